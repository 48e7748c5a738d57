import InProcessService
import JSONRPC
import ListsService
import Testing

/// What a connection is told of its own doing where it asked not to be.
struct OwnChangesTests {
  let service = InProcessService()
  let own: InProcessClient
  let other: InProcessClient

  init() {
    own = service.connect()
    other = service.connect()
  }

  @discardableResult
  private func save(
    _ name: String, _ fields: JSONNode = [:], type: String = "Item", zone: String = "_defaultZone",
    by client: InProcessClient
  ) throws -> JSONNode {
    let record: JSONNode = [
      "recordType": .string(type), "recordName": .string(name), "zoneName": .string(zone), "fields": fields,
    ]
    return try client.result("saveRecord", ["record": record, "savePolicy": "allKeys"])["changeToken"]
      ?? .null
  }

  /// The changes of pushes, as `reason recordName`, with the zones deleted as `zone name`.
  private func told(_ pushes: [JSONNode]) -> [String] {
    pushes.flatMap { push in
      (push["params"]?["changes"]?.array ?? []).map {
        "\($0["reason"]?.text ?? "") \($0["recordName"]?.text ?? "")"
      } + (push["params"]?["deletedZones"]?.array ?? []).map { "zone \($0.text)" }
    }
  }

  @Test("A commit that changed no record does not make those before it another's in a replay")
  func commitsWithoutRecords() throws {
    let start = try save("before", by: other)
    try save("own1", by: own)
    _ = try other.result("saveZone", ["zoneName": "empty"])
    _ = try other.result("deleteZone", ["zoneName": "empty"])
    try save("own2", by: own)
    try save("another", by: other)
    _ = try own.result("subscribe", ["recordType": "Item", "since": start, "suppressOwn": true])
    #expect(told(try own.takePushes()) == ["created another"])
    _ = try own.result("subscribe", ["recordType": "Item", "since": start])
    let changes = try own.takePushes().flatMap { $0["params"]?["changes"]?.array ?? [] }
    #expect(changes.map { $0["origin"]?["isOwn"] } == [true, true, false])
  }

  @Test("A zone that the connection deleted itself is told, its records are not; live and in a replay")
  func deletedZones() throws {
    let start = try save("before", by: other)
    for zone in ["empty", "full"] { _ = try own.result("saveZone", ["zoneName": .string(zone)]) }
    try save("a", zone: "full", by: own)
    _ = try own.result("subscribe", ["suppressOwn": true])
    for zone in ["empty", "full"] { _ = try own.result("deleteZone", ["zoneName": .string(zone)]) }
    #expect(told(try own.takePushes()) == ["zone empty", "zone full"])
    _ = try own.result("subscribe", ["since": start, "suppressOwn": true])
    #expect(told(try own.takePushes()) == ["zone empty", "zone full"])
  }

  @Test("What the connection's own write does to records that refer to what it wrote is told")
  func referrers() throws {
    try save("l", ["name": "G"], type: "List", by: other)
    try save("j", ["list": ["$reference": ["recordName": "l"]]], by: other)
    _ = try own.result(
      "subscribe", ["recordType": "Item", "predicate": "list.name == 'G'", "suppressOwn": true])
    let start = try own.result("fetchZones")["changeToken"]
    try save("l", ["name": "H"], type: "List", by: own)
    let pushes = try own.takePushes()
    #expect(told(pushes) == ["left j"])
    #expect(pushes.first?["params"]?["changes"]?.array?.first?["origin"]?["isOwn"] == true)
    _ = try own.result(
      "subscribe",
      [
        "recordType": "Item", "predicate": "list.name == 'G'", "suppressOwn": true, "since": start ?? .null,
      ])
    #expect(told(try own.takePushes()) == ["left j"])
    try save("l", ["name": "G"], type: "List", by: other)
    #expect(told(try own.takePushes()) == ["entered j", "entered j"])
    try save("j", ["list": ["$reference": ["recordName": "l"]], "n": 1], by: own)
    #expect(try own.takePushes().isEmpty)
  }

  @Test("What a cascade of its own deleted and it made anew is told as both in a replay")
  func madeAnew() throws {
    try save("l", type: "List", by: own)
    try save("j", ["list": ["$reference": ["recordName": "l", "action": "deleteSelf"]]], by: own)
    let start = try own.result("fetchZones")["changeToken"] ?? .null
    _ = try own.result("deleteRecord", ["recordName": "l"])
    try save("j", by: own)
    _ = try own.result("subscribe", ["recordType": "Item", "since": start, "suppressOwn": true])
    #expect(told(try own.takePushes()) == ["deleted j", "created j"])
  }
}
