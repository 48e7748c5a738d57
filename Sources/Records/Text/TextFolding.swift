/// What a comparison of text passes over: `[c]`, `[d]` and `[cd]` of a predicate.
public struct TextFolding: OptionSet, Sendable, Hashable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The case of letters, by full folding: `STRASSE` is `straße`, a final sigma is a sigma.
  public static let caseInsensitive = TextFolding(rawValue: 1)
  /// Marks: `é` is `e`. What makes another letter in its script stays: the voicing marks of kana, the
  /// nuktas and viramas of Indic scripts.
  public static let diacriticInsensitive = TextFolding(rawValue: 2)

  /// The text in which only what matters is left, in normalization form C: two texts are equal, begin alike,
  /// … under this folding if their folded forms are and do by code point.
  public func fold(_ text: String) -> String {
    String(decoding: folded(text), as: UTF8.self)
  }

  /// The UTF-8 of ``fold(_:)``.
  func folded(_ text: String) -> [UInt8] {
    if isEmpty { return Normalization.composed(text) }
    if text.utf8.span.isASCII {
      return contains(.caseInsensitive) ? text.utf8.map(\.lowercasedASCII) : Array(text.utf8)
    }
    var folded = ""
    for scalar in Normalization.decomposed(text) {
      if contains(.diacriticInsensitive), scalar.isMark { continue }
      if contains(.caseInsensitive) {
        folded.unicodeScalars.append(contentsOf: scalar.caseFolded)
      } else {
        folded.unicodeScalars.append(scalar)
      }
    }
    return Normalization.composed(folded)
  }
}

extension UInt8 {
  @inline(__always)
  var lowercasedASCII: UInt8 {
    self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self
  }
}

extension Unicode.Scalar {
  /// The full case folding, made from the case mappings that the standard library has: down, up and down again
  /// brings all forms of a letter together, the same ones as Unicode's CaseFolding.txt (status C and F) does.
  /// The dotless i, whose upper case is that of another letter, is the exception there and here.
  var caseFolded: [Unicode.Scalar] {
    if isASCII { return [Unicode.Scalar(UInt8(value).lowercasedASCII)] }
    if value == 0x131 { return [self] }
    guard properties.changesWhenCaseMapped else { return [self] }
    var result: [Unicode.Scalar] = []
    for lower in properties.lowercaseMapping.unicodeScalars {
      for upper in lower.properties.uppercaseMapping.unicodeScalars {
        result.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
      }
    }
    return result
  }

  fileprivate var isMark: Bool {
    guard value >= 0x300, properties.generalCategory == .nonspacingMark else { return false }
    switch properties.canonicalCombiningClass {
    case .notReordered, .nukta, .kanaVoicing, .virama: return false
    default: return true
    }
  }
}
