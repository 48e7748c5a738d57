import InProcessService
import JSONRPC
import ListsService
import Testing

/// What subscribers are told of what a deletion led to.
struct CascadedChangesTests {
  let service = InProcessService()
  let own: InProcessClient
  let other: InProcessClient

  init() throws {
    own = service.connect()
    other = service.connect()
    var operations: [JSONNode] = []
    for (name, fields) in [
      ("a", ["n": 0]), ("b", ["n": 1, "r": Self.reference("a", "deleteSelf")]),
      ("c", ["n": 2, "r": Self.reference("b", "deleteSelf")]),
      ("d", ["n": 3, "r": Self.reference("c", "setNull")]), ("e", ["n": 4]),
    ] as [(String, JSONNode)] {
      operations.append([
        "operationType": "create",
        "record": ["recordType": "Item", "recordName": .string(name), "fields": fields],
      ])
    }
    _ = try own.result("modifyRecords", ["operations": .array(operations)])
  }

  private static func reference(_ name: String, _ action: String) -> JSONNode {
    ["$reference": ["recordName": .string(name), "action": .string(action)]]
  }

  private func told(_ changes: [JSONNode]) -> [String] {
    changes.map { change in
      let cause = change["cause"]?["recordName"].map { " because of \($0.text)" } ?? ""
      return "\(change["reason"]?.text ?? "") \(change["recordName"]?.text ?? "")\(cause)"
    }
  }

  private func told(_ client: InProcessClient) throws -> [String] {
    told(try client.takePushes().flatMap { $0["params"]?["changes"]?.array ?? [] })
  }

  private static let all = [
    "deleted a", "deleted b because of a", "deleted c because of b", "updated d because of c",
  ]

  @Test("Each is told once, with its cause: live, in a replay, by fetchChanges and to a saved subscription")
  func everyWay() throws {
    let start = try own.result("fetchZones")["changeToken"] ?? .null
    _ = try other.result("saveSubscription", ["subscriptionID": "s", "recordType": "Item"])
    _ = try other.result("subscribe", ["recordType": "Item"])
    _ = try own.result("deleteRecord", ["recordName": "a"])
    #expect(try told(other) == Self.all)
    _ = try other.result("subscribe", ["since": start])
    #expect(try told(other) == Self.all)
    _ = try other.result("subscribe", ["subscriptionID": "s"])
    #expect(try told(other) == Self.all)
    let page = try other.result("fetchChanges", ["since": start])
    #expect(told(page["changes"]?.array ?? []) == Self.all)
  }

  @Test("A filter is told of what enters and leaves it by a cascade")
  func filters() throws {
    _ = try other.result("subscribe", ["recordType": "Item", "predicate": "r = NULL"])
    _ = try other.result("subscribe", ["recordType": "Item", "predicate": "r.n = 2"])
    _ = try own.result("deleteRecord", ["recordName": "a"])
    #expect(
      try told(other).sorted() == ["deleted a", "entered d because of c", "left d because of c"])
  }

  @Test("One who does not want to hear of its own writes hears of what they led to; live and in a replay")
  func suppressed() throws {
    let start = try own.result("fetchZones")["changeToken"] ?? .null
    _ = try own.result("subscribe", ["recordType": "Item", "suppressOwn": true])
    _ = try own.result("deleteRecord", ["recordName": "a"])
    #expect(try told(own) == Array(Self.all.dropFirst()))
    _ = try own.result("subscribe", ["recordType": "Item", "suppressOwn": true, "since": start])
    #expect(try told(own) == Array(Self.all.dropFirst()))
  }

  @Test("A live result loses its rows one by one, and says why")
  func results() throws {
    _ = try other.result(
      "subscribe", ["recordType": "Item", "sortDescriptors": [["key": "n"]], "resultsLimit": 10])
    service.settle()
    var list = LiveList()
    for push in try other.takePushes() { try list.apply(push) }
    _ = try own.result("deleteRecord", ["recordName": "a"])
    service.settle()
    let pushes = try other.takePushes()
    for push in pushes { try list.apply(push) }
    let changes = pushes.flatMap { $0["params"]?["changes"]?.array ?? [] }
    #expect(told(changes).sorted() == Self.all.sorted())
    #expect(list.names == ["d", "e"])
    _ = try own.result("restoreRecord", ["recordName": "a", "withCascade": true])
    service.settle()
    for push in try other.takePushes() { try list.apply(push) }
    #expect(list.names == ["a", "b", "c", "d", "e"])
  }
}
