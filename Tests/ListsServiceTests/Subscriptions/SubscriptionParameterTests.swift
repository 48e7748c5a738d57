import InProcessService
import JSONRPC
import Testing

/// What `subscribe` does not take together.
struct SubscriptionParameterTests {
  let client = InProcessService().connect()

  private static let ofResults = [
    "sortDescriptors", "sortBy", "sectionNameKey", "sectionIndexTitle", "resultsLimit",
  ]
  private static let ofChanges = ["since", "firesOn", "watchKeys", "desiredKeys", "include"]
  private static let booleans = ["firesOnce", "suppressOwn", "includePrevious"]
  private static let values: [JSONNode] = [false, true, 0, 5, "", "n", [], ["n"], [:], ["a": 1]]

  private func refused(_ params: [(String, JSONNode)]) throws -> [JSONNode?] {
    let data = try client.failure("subscribe", .object([("recordType", "Item")] + params))
    return [data["errorCode"], data["parameter"]]
  }

  @Test(
    "A count takes nothing of orders, sections, limits and contents, whatever value it has", arguments: values
  )
  func beside(value: JSONNode) throws {
    for name in Self.ofResults + Self.ofChanges {
      #expect(
        try refused([("countOnly", true), (name, value)]) == ["invalidArguments", .string(name)], "\(name)")
    }
  }

  @Test("A list takes nothing of what is told of changes, whatever value it has", arguments: values)
  func besideOrder(value: JSONNode) throws {
    for name in ["since", "firesOn", "watchKeys"] {
      #expect(
        try refused([("resultsLimit", 5), (name, value)]) == ["invalidArguments", .string(name)], "\(name)")
    }
  }

  @Test("What is true or false may be false beside a count, and nothing else")
  func booleans() throws {
    for name in Self.booleans {
      _ = try client.result("subscribe", ["recordType": "Item", "countOnly": true, name: false])
      for value in Self.values where value != false {
        #expect(try refused([("countOnly", true), (name, value)]) == ["invalidArguments", .string(name)])
      }
    }
  }
}
