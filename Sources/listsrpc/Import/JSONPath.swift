import JSONRPC

/// A place in a JSON value: `3166-1`, `data.items`, or a JSON Pointer such as `/data/items` (RFC 6901).
struct JSONPath {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  /// - Throws: `Failure.trouble` that says what is there instead.
  func value(in root: JSON, file: String) throws(Failure) -> JSON {
    // A member may have a dot in its name: the whole text is tried first.
    if !text.hasPrefix("/"), let value = root[text] { return value }
    var value = root
    for name in names {
      guard let next = Self.step(from: value, name) else {
        throw .trouble("\(file) has no '\(name)' at '\(text)', but \(Self.description(of: value))")
      }
      value = next
    }
    return value
  }

  private var names: [String] {
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

  private static func step(from value: JSON, _ name: String) -> JSON? {
    guard value.kind == .array else { return value[name] }
    guard let index = Int(name), index >= 0 else { return nil }
    var elements = value.elements.dropFirst(index).makeIterator()
    return elements.next()
  }

  /// What a value is, with the names by which one can go on.
  static func description(of value: JSON) -> String {
    switch value.kind {
    case .object:
      let names = value.members.prefix(8).map { "'\($0.name)'" }
      return names.isEmpty ? "an empty object" : "an object with \(names.joined(separator: ", "))"
    case .array: return "a list"
    case .string: return "text"
    case .number: return "a number"
    case .boolean: return "a boolean"
    case .null: return "null"
    }
  }
}
