import InProcessService
import JSONRPC
import Testing

/// The examples of `Protocol/openrpc.json`, taken as the one session that they say they are.
struct ExampleTests {
  let document: OpenRPCDocument

  init() throws { document = try OpenRPCDocument() }

  @Test("Every example is answered as it says", arguments: ["by name", "by position"])
  func examplesAreAnswered(passing: String) throws {
    let service = InProcessService()
    let client = service.connect()
    var bindings = Bindings()
    for method in document.methods {
      for example in method.json["examples"]?.array ?? [] {
        let values = example["params"]?.array ?? []
        let isByName = passing == "by name" && !method.takesAnyParameters
        let params: JSONNode =
          isByName
          ? .object(values.map { ($0["name"]?.text ?? "", bindings.filled($0["value"] ?? .null)) })
          : .array(values.map { bindings.filled($0["value"] ?? .null) })
        // What one method hands over another takes.
        let reply = try client.call(
          method.name, params, with: method.name == "restoreDatabase" ? client.outbound.descriptors.last : nil
        )
        let expected = example["result"]?["value"] ?? .null
        #expect(
          bindings.faults(of: reply["result"] ?? reply, as: expected) == [],
          "\(method.name), \(example["name"] ?? .null)")
        #expect(document.faults(ofMessage: reply, to: method.name) == [])
      }
    }
  }

  @Test("rpc.discover returns the document, on one line")
  func discoverReturnsTheDocument() throws {
    let client = InProcessService().connect()
    client.send(#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#)
    let reply = try client.receiveBytes()
    #expect(!reply.contains(UInt8(ascii: "\n")))
    #expect(try JSONNode(JSON(parsing: reply))["result"] == document.json)
  }
}

/// What differs from run to run: an example's word for it, and the service's.
private struct Bindings {
  private static let variable: Set<String> = ["recordChangeTag", "changeToken", "cursor", "timestamp"]
  /// Where a file is as large as its engine makes it.
  private static func isOfWholeFile(
    _ name: String, _ path: String, _ siblings: [(String, JSONNode)]
  ) -> Bool {
    ["size", "checksum"].contains(name) && path.isEmpty && siblings.contains { $0.0 == "schemaVersion" }
  }

  private var actual: [String: JSONNode] = [:]

  /// Parameters with the service's words in place of the example's.
  func filled(_ node: JSONNode) -> JSONNode {
    switch node {
    case .array(let elements): .array(elements.map(filled))
    case .object(let members): .object(members.map { ($0.0, filled($0.1)) })
    case .string(let word): actual[word] ?? node
    default: node
    }
  }

  mutating func faults(of value: JSONNode, as expected: JSONNode, at path: String = "") -> [String] {
    switch (value, expected) {
    case (.array(let values), .array(let expecteds)) where values.count == expecteds.count:
      var faults: [String] = []
      for (index, pair) in zip(values, expecteds).enumerated() {
        faults += self.faults(of: pair.0, as: pair.1, at: "\(path)/\(index)")
      }
      return faults
    case (.object(let members), .object(let expecteds)) where members.map(\.0) == expecteds.map(\.0):
      var faults: [String] = []
      for (member, expected) in zip(members, expecteds) {
        let place = "\(path)/\(member.0)"
        if Self.variable.contains(member.0) || Self.isOfWholeFile(member.0, path, expecteds)
          || (place.contains("/databases/") && member.0 == "bytes")
        {
          faults += bind(expected.1, to: member.1, at: place)
        } else {
          faults += self.faults(of: member.1, as: expected.1, at: place)
        }
      }
      return faults
    default: return value == expected ? [] : ["\(path): \(value), expected \(expected)"]
    }
  }

  /// The same word always stands for the same value.
  private mutating func bind(_ word: JSONNode, to value: JSONNode, at path: String) -> [String] {
    if case .int = word {
      if case .int = value { return [] }
      return ["\(path): \(value) is no integer"]
    }
    guard let known = actual.updateValue(value, forKey: word.text), known != value else { return [] }
    return ["\(path): \(value), but \(word) was \(known) before"]
  }
}
