import InProcessService
import JSONRPC
import Testing

/// A file of `Protocol/conformance`: what is sent and what comes back. `Protocol/conformance/README.md` states
/// the format.
struct Transcript: CustomTestStringConvertible, Sendable {
  enum Step: Sendable {
    /// Bytes of one message.
    case send([UInt8], on: String)
    /// A pattern for the next message of the service.
    case expect(JSONNode, on: String)
    /// Patterns for as many messages, in any order.
    case expectInAnyOrder([JSONNode], on: String)
  }

  struct Line: Sendable {
    let number: Int
    let step: Step
  }

  let name: String
  var about = ""
  /// Only requests and their replies on one connection, so that it can be run by a program that makes one
  /// request at a time.
  var isPlain = false
  var lines: [Line] = []

  var testDescription: String { "\(name): \(about)" }

  init(file: String) throws {
    name = file
    let text = try ProjectFiles.bytes("Protocol/conformance/\(file)")
    for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .enumerated() where !line.isEmpty
    {
      try add(JSONNode(JSON(parsing: Array(line))), number: index + 1)
    }
  }

  static let all: [Transcript] = {
    ProjectFiles.names(in: "Protocol/conformance", endingWith: ".jsonl").compactMap {
      try? Transcript(file: $0)
    }
  }()

  private mutating func add(_ json: JSONNode, number: Int) throws {
    let connection = json["on"]?.text ?? "a"
    func append(_ step: Step) { lines.append(Line(number: number, step: step)) }
    var unknown = json.membersOrNone.map(\.0).filter { !["on", "about", "plain"].contains($0) }
    if let about = json["about"] { self.about = about.text }
    if json["plain"] == true { isPlain = true }
    if let message = json["send"] { append(.send(message.encoded(), on: connection)) }
    if let text = json["sendText"] { append(.send(Array(text.text.utf8), on: connection)) }
    if let pattern = json["expect"] { append(.expect(pattern, on: connection)) }
    if let patterns = json["expectInAnyOrder"] {
      append(.expectInAnyOrder(patterns.array ?? [], on: connection))
    }
    unknown.removeAll { ["send", "sendText", "expect", "expectInAnyOrder"].contains($0) }
    if !unknown.isEmpty { throw TranscriptFault(description: "\(name):\(number): unknown \(unknown)") }
  }
}

struct TranscriptFault: Error, CustomStringConvertible {
  let description: String
}

/// Values that a transcript has given names to.
struct Captures {
  private var values: [String: JSONNode] = [:]

  /// The text with every string that is the name of a value in its place; `$$x` stands for `$x`.
  func filled(_ message: [UInt8]) throws -> [UInt8] {
    guard message.contains(UInt8(ascii: "$")), let json = try? JSON(parsing: message) else { return message }
    return filled(JSONNode(json)).encoded()
  }

  private func filled(_ node: JSONNode) -> JSONNode {
    switch node {
    case .array(let elements): .array(elements.map(filled))
    case .object(let members): .object(members.map { ($0.0, filled($0.1)) })
    case .string(let text):
      if let name = Self.name(text) { values[name] ?? node } else { .string(Self.unescaped(text)) }
    default: node
    }
  }

  /// Whether the value is as the pattern says. Takes in the names that the pattern gives.
  mutating func match(_ value: JSONNode, _ pattern: JSONNode) -> Bool {
    switch pattern {
    case .string(let text):
      if let name = Self.name(text) {
        if let known = values[name] { return known == value }
        values[name] = value
        return true
      }
      if let type = Self.type(text) { return type == "any" || JSONSchema.isOfType(value, type) }
      return value == .string(Self.unescaped(text))
    case .array(let patterns):
      guard let elements = value.array else { return false }
      let isOpen = patterns.last == "…"
      let fixed = isOpen ? patterns.dropLast() : patterns[...]
      guard isOpen ? elements.count >= fixed.count : elements.count == fixed.count else { return false }
      for (element, pattern) in zip(elements, fixed) where !match(element, pattern) { return false }
      return true
    case .object(let patterns):
      guard case .object(let members) = value else { return false }
      let named = patterns.filter { $0.0 != "…" }
      guard named.count < patterns.count || members.count == named.count else { return false }
      for (name, pattern) in named {
        guard let member = value[name], match(member, pattern) else { return false }
      }
      return true
    default: return value == pattern
    }
  }

  private static func name(_ text: String) -> String? {
    guard text.hasPrefix("$"), !text.hasPrefix("$$") else { return nil }
    let name = text.dropFirst()
    return name.isEmpty || !name.allSatisfy { $0.isLetter || $0.isNumber } ? nil : String(name)
  }

  private static func type(_ text: String) -> String? {
    text.hasPrefix("…") && text.count > 1 ? String(text.dropFirst()) : nil
  }

  private static func unescaped(_ text: String) -> String {
    text.hasPrefix("$$") ? String(text.dropFirst()) : text
  }
}
