import JSONRPC

/// A place in a JSON value: `3166-1`, `data.items`, or a JSON Pointer such as `/data/items` (RFC 6901).
struct JSONPath {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  /// The steps to it.
  var names: [String] {
    guard text.hasPrefix("/") else { return text.split(separator: ".").map(String.init) }
    return text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(Self.unescaped)
  }

  private static func unescaped(_ part: Substring) -> String {
    var result = ""
    var characters = part[...]
    while let character = characters.popFirst() {
      guard character == "~", let code = characters.first, code == "0" || code == "1" else {
        result.append(character)
        continue
      }
      characters.removeFirst()
      result.append(code == "0" ? "~" : "/")
    }
    return result
  }

  /// What a value is, with the names by which one can go on.
  static func description(of value: JSON) -> String {
    switch value.kind {
    case .object: return description(ofObjectWith: value.members.prefix(8).map(\.name))
    case .array: return "a list"
    case .string: return "text"
    case .number: return "a number"
    case .boolean: return "a boolean"
    case .null: return "null"
    }
  }

  static func description(ofObjectWith names: [String]) -> String {
    let quoted = names.map { "'\($0)'" }.joined(separator: ", ")
    return names.isEmpty ? "an empty object" : "an object with \(quoted)"
  }
}
