import InProcessService
import JSONRPC
import ListsService
import RecordStore
import Testing

/// Who is told to have made the changes of a live result that are told as a difference, since they were missed.
struct MissedOriginTests {
  private static let place: [(String, JSONNode)] = [("database", "public")]

  let service: InProcessService
  let reader: InProcessClient

  init() throws {
    service = InProcessService {
      $0.access = .everyone
      $0.limits.maximumQueuedBytes = 1000
      $0.storeLimits.maximumHistoryChanges = 5
    }
    reader = service.connect(user: 9)
  }

  private func save(
    _ name: String, _ fields: JSONNode = [:], type: String = "Item", zone: String = "_defaultZone",
    by user: UInt32
  ) throws {
    let record: JSONNode = [
      "recordType": .string(type), "recordName": .string(name), "zoneName": .string(zone), "fields": fields,
    ]
    try write("saveRecord", [("record", record), ("savePolicy", "allKeys")], by: user)
  }

  private func delete(_ name: String, by user: UInt32) throws {
    try write("deleteRecord", [("recordName", .string(name))], by: user)
  }

  private func write(_ method: String, _ params: [(String, JSONNode)], by user: UInt32) throws {
    _ = try service.connect(user: user).result(method, .object(params + Self.place))
  }

  /// A list that has its initial rows.
  private func subscribe(_ params: [(String, JSONNode)] = [("recordType", "Item")]) throws -> LiveList {
    let order: [(String, JSONNode)] = [("sortDescriptors", [["key": "recordName"]])]
    _ = try reader.result("subscribe", .object(params + order + Self.place))
    var list = LiveList()
    try list.apply(try reader.receive())
    _ = list.takeTold()
    return list
  }

  /// Has the reader not read until more happened than is kept, then what `last` does besides.
  private func miss(inZone zone: String = "_defaultZone", _ last: () throws -> Void) throws {
    reader.outbound.stall()
    try churn(inZone: zone)
    try last()
    reader.outbound.drain()
    reader.session.outboundDidDrain()
  }

  /// More changes than are kept.
  private func churn(inZone zone: String = "_defaultZone") throws {
    let text = JSONNode.string(String(repeating: "x", count: 1000))
    for index in 0..<10 { try save("kept", ["n": .int(Int64(index)), "t": text], zone: zone, by: 1) }
  }

  /// The origins of what the reader is told of the records of these names last, which it applies.
  private func origins(_ list: inout LiveList, of names: [String]) throws -> [JSONNode?] {
    var told: [String: JSONNode] = [:]
    // Results are read apart when the machine has much to do.
    while list.names.contains(where: names.contains) {
      let push = try reader.receive()
      try list.apply(push)
      for change in push["params"]?["changes"]?.elements ?? [] {
        told[change["recordName"]?.text ?? ""] = change["origin"]
      }
    }
    return names.map { told[$0] }
  }

  private func origin(_ user: UInt32) -> JSONNode {
    ["userRecordName": .string("_\(user)"), "isOwn": false]
  }

  @Test("A row that another user deleted meanwhile was deleted by that user")
  func deleted() throws {
    for name in ["a", "b", "kept"] { try save(name, by: 1) }
    var list = try subscribe()
    try miss {
      try delete("a", by: 2)
      try delete("b", by: 3)
    }
    #expect(try origins(&list, of: ["a", "b"]) == [origin(2), origin(3)])
    // As a difference, which knows no keys.
    #expect(list.takeTold().suffix(3) == ["deleted b 1>", "deleted a 0>", "updated kept 0>0"])
  }

  @Test("Whose deletion is no longer kept was deleted by nobody who is known")
  func pruned() throws {
    for name in ["a", "kept"] { try save(name, by: 1) }
    var list = try subscribe()
    try miss {
      try delete("a", by: 2)
      try churn()
    }
    #expect(try origins(&list, of: ["a"]) == [["userRecordName": nil, "isOwn": false]])
    #expect(list.takeTold().contains("deleted a 0>"))
  }

  @Test("A row whose record is of another type by now is gone by who saved that")
  func otherType() throws {
    for name in ["a", "kept"] { try save(name, by: 1) }
    var list = try subscribe()
    try miss {
      try delete("a", by: 2)
      try save("a", type: "Other", by: 3)
      try churn()
    }
    #expect(try origins(&list, of: ["a"]) == [origin(3)])
    #expect(list.takeTold().contains("deleted a 0>"))
  }

  @Test("A row that left the result left by who modified its record last")
  func left() throws {
    for name in ["a", "kept"] { try save(name, ["n": 1], by: 1) }
    var list = try subscribe([("recordType", "Item"), ("predicate", "n < 100")])
    try miss { try save("a", ["n": 100], by: 2) }
    #expect(try origins(&list, of: ["a"]) == [origin(2)])
    #expect(list.takeTold().contains("left a 0>"))
  }

  @Test("Rows of a zone that was deleted meanwhile were deleted by who deleted it")
  func zone() throws {
    try write("saveZone", [("zoneName", "z")], by: 1)
    for name in ["a", "b", "kept"] { try save(name, zone: "z", by: 1) }
    var list = try subscribe([("recordType", "Item"), ("zoneName", "z")])
    try miss(inZone: "z") { try write("deleteZone", [("zoneName", "z")], by: 2) }
    #expect(try origins(&list, of: ["a", "b"]) == [origin(2), origin(2)])
    #expect(list.names == [])
  }
}
