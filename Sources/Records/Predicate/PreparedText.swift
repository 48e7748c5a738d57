import JSONRPC

/// The text that a test compares with, folded once.
struct PreparedText: Sendable {
  let folding: TextFolding
  private let bytes: [UInt8]

  init(_ text: String, folding: TextFolding) {
    self.folding = folding
    bytes = folding.folded(text)
  }

  /// Whether `operation` holds between the JSON string on the left and this text.
  func holds(_ operation: Predicate.Operation, _ json: JSON) -> Bool {
    withFoldedText(of: json, folding: folding) { text in
      let own = bytes.span
      return switch operation {
      case .equal: text.isEqual(to: own)
      case .notEqual: !text.isEqual(to: own)
      case .less, .lessOrEqual, .greater, .greaterOrEqual: operation.accepts(Order(bytes: text, own))
      case .beginsWith: text.hasPrefix(own)
      case .endsWith: text.hasSuffix(own)
      case .contains: text.firstOffset(of: own) != nil
      case .in: own.firstOffset(of: text) != nil
      case .between, .like, .within, .matches, .containsWords, .matchesWords: false
      }
    }
  }
}

/// Gives `body` the folded UTF-8 of a JSON string: the bytes of the JSON itself where folding changes nothing,
/// as for most texts.
func withFoldedText(of json: JSON, folding: TextFolding, _ body: (Span<UInt8>) -> Bool) -> Bool {
  let literal = json.bytes
  guard literal.count >= 2 else { return body(literal.span) }
  let bytes = literal.span
  let text = bytes.extracting(1..<bytes.count - 1)
  switch text.form {
  case .ascii where !folding.contains(.caseInsensitive): return body(text)
  case .ascii:
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count) { copy in
      for index in text.indices { copy.initializeElement(at: index, to: text[index].lowercasedASCII) }
      return body(UnsafeBufferPointer(copy).span)
    }
  case .composed where folding.isEmpty: return body(text)
  default: return body(folding.folded(json.stringValue ?? "").span)
  }
}

private enum TextForm {
  /// ASCII without escapes.
  case ascii
  /// Known to be in normalization form C, without escapes.
  case composed
  case other
}

extension Span where Element == UInt8 {
  /// What is known of the inside of a JSON string.
  fileprivate var form: TextForm {
    var all: UInt8 = 0
    for index in indices {
      let byte = self[index]
      if byte == UInt8(ascii: "\\") { return .other }
      all |= byte
    }
    return all < 0x80 ? .ascii : isKnownComposed ? .composed : .other
  }
}
