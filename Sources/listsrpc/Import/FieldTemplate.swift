import ArgumentParsing
import JSONRPC

/// Text with fields of a row in it: `{code}`, or its first two characters `{code:2}`; a name alone stands for
/// that field. Alternatives stand between `|`.
struct FieldTemplate: Equatable {
  enum Part: Equatable {
    case text(String)
    case field(String, prefix: Int?)
  }

  /// At least one.
  let alternatives: [[Part]]

  /// - Throws: `UsageError` that names the template.
  init(parsing text: String) throws(UsageError) {
    guard text.contains("{") else {
      guard !text.isEmpty, !text.contains("}") else { throw UsageError("'\(text)' is no field or template") }
      alternatives = text.split(separator: "|").map { [.field(String($0), prefix: nil)] }
      return
    }
    var alternatives: [[Part]] = []
    for alternative in text.split(separator: "|", omittingEmptySubsequences: false) {
      alternatives.append(try Self.parts(of: alternative, in: text))
    }
    self.alternatives = alternatives
  }

  private static func parts(of text: Substring, in whole: String) throws(UsageError) -> [Part] {
    var parts: [Part] = []
    var rest = text
    while let open = rest.firstIndex(of: "{") {
      if open > rest.startIndex { parts.append(.text(String(rest[..<open]))) }
      guard let close = rest[open...].firstIndex(of: "}") else {
        throw UsageError("the template '\(whole)' has a '{' without its '}'")
      }
      let inside = rest[rest.index(after: open)..<close].split(
        separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let prefix = inside.count == 2 ? Int(inside[1]) : nil
      guard let name = inside.first, !name.isEmpty, inside.count == 1 || (prefix ?? 0) > 0 else {
        throw UsageError("the template '\(whole)' has a place that is not like {field} or {field:2}")
      }
      parts.append(.field(String(name), prefix: prefix))
      rest = rest[rest.index(after: close)...]
    }
    if !rest.isEmpty { parts.append(.text(String(rest))) }
    guard !parts.isEmpty else { throw UsageError("the template '\(whole)' has an empty alternative") }
    return parts
  }

  /// The text of each alternative whose fields the row has.
  func texts(for row: JSON) -> [String] {
    alternatives.compactMap { parts in
      var result = ""
      for part in parts {
        switch part {
        case .text(let text): result += text
        case .field(let name, let prefix):
          guard let text = Self.text(of: row[name]) else { return nil }
          result += prefix.map { String(text.prefix($0)) } ?? text
        }
      }
      return result
    }
  }

  /// Text, numbers and booleans have one; empty text counts as missing.
  private static func text(of value: JSON?) -> String? {
    guard let value else { return nil }
    switch value.kind {
    case .string: return value.stringValue.flatMap { $0.isEmpty ? nil : $0 }
    case .number, .boolean: return value.text
    case .null, .array, .object: return nil
    }
  }
}
