import InProcessService
import JSONRPC
import ListsService
import Testing

/// Zones that go while their records are sent, or before.
struct InitialRecordsOfZonesTests {
  let service = InProcessService { $0.limits.maximumQueuedBytes = 2000 }
  let writer: InProcessClient
  let reader: InProcessClient

  init() throws {
    writer = service.connect()
    reader = service.connect()
  }

  private func fill(_ zone: String, _ count: Int) throws {
    _ = try writer.result("saveZone", ["zoneName": .string(zone)])
    guard count > 0 else { return }
    let operations = (0..<count).map { index -> JSONNode in
      [
        "operationType": "create",
        "record": [
          "recordType": "Item", "recordName": .string("r\(1000 + index)"), "zoneName": .string(zone),
          "fields": [:],
        ],
      ]
    }
    _ = try writer.result("modifyRecords", ["operations": .array(operations)])
  }

  /// Subscribes, and has `body` done once the first page is sent. Gives what was pushed until no more comes.
  private func subscribe(
    _ params: JSONNode, whileStalled body: () throws -> Void
  ) throws -> [JSONNode] {
    reader.outbound.stall()
    _ = try reader.result("subscribe", params)
    try body()
    service.settle()
    reader.outbound.drain()
    reader.session.outboundDidDrain()
    return try pushes()
  }

  /// What is pushed until no more comes, or the subscription ends.
  private func pushes() throws -> [JSONNode] {
    var pushes: [JSONNode] = []
    repeat { pushes.append(try reader.receive()) } while pushes.last?["params"]?["moreComing"] == true
    return pushes
  }

  private func held(_ pushes: [JSONNode]) -> Set<String> {
    var held: Set<String> = []
    for change in pushes.flatMap({ $0["params"]?["changes"]?.array ?? [] }) {
      let name = "\(change["zoneName"]?.text ?? "") \(change["recordName"]?.text ?? "")"
      if change["reason"] == "deleted" { held.remove(name) } else { held.insert(name) }
    }
    return held
  }

  private func deletedZones(_ pushes: [JSONNode]) -> [JSONNode] {
    pushes.flatMap { $0["params"]?["deletedZones"]?.array ?? [] }
  }

  private func deleteZone(_ name: String) throws {
    _ = try writer.result("deleteZone", ["zoneName": .string(name)])
  }

  @Test("Zones that are deleted between two pages are named, also those of which nothing was sent")
  func betweenPages() throws {
    for (zone, count) in [("a", 300), ("b", 300), ("empty", 0)] { try fill(zone, count) }
    let pushes = try subscribe(["sendInitial": true]) {
      try deleteZone("empty")
      try deleteZone("a")
    }
    #expect(deletedZones(pushes) == ["empty", "a"])
    #expect(held(pushes) == Set((0..<300).map { "b r\(1000 + $0)" }))
  }

  @Test("A zone that is deleted while its records are sent is told as gone, and the subscription goes on")
  func ofTheZone() throws {
    try fill("a", 600)
    let pushes = try subscribe(["zoneName": "a", "sendInitial": true]) { try deleteZone("a") }
    #expect(pushes.allSatisfy { $0["method"] == "recordsChanged" })
    #expect(deletedZones(pushes) == ["a"])
    #expect(held(pushes) == [])
    #expect(pushes.last?["params"]?["initial"] == true)
    #expect(pushes.last?["params"]?["changes"] == [])
    let position = try writer.result("fetchZones")["changeToken"]
    #expect(pushes.last?["params"]?["changeToken"] == position)
    try fill("a", 1)
    #expect(held([try reader.receive()]) == ["a r1000"])
  }

  @Test("A zone that is deleted and made anew while its records are sent is told as it is in the end")
  func madeAnew() throws {
    try fill("a", 600)
    let pushes = try subscribe(["zoneName": "a", "sendInitial": true]) {
      try deleteZone("a")
      try fill("a", 2)
    }
    #expect(held(pushes) == ["a r1000", "a r1001"])
  }

  @Test("Attached to a zone that is gone, a saved subscription says so, and hears of it when it is made anew")
  func saved() throws {
    try fill("a", 1)
    _ = try writer.result(
      "saveSubscription", ["subscriptionID": "inbox", "zoneName": "a", "sendInitial": true])
    try deleteZone("a")
    _ = try reader.result("subscribe", ["subscriptionID": "inbox"])
    let pushes = try pushes()
    #expect(pushes.map { $0["method"] } == ["recordsChanged"])
    #expect(pushes[0]["params"]?["initial"] == true)
    #expect(pushes[0]["params"]?["changes"] == [])
    #expect(deletedZones(pushes) == ["a"])
    try fill("a", 1)
    #expect(held([try reader.receive()]) == ["a r1000"])
  }
}
