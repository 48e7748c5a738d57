import InProcessService
import JSONRPC
import RecordStore
import Synchronization
import Testing

@testable import ListsService

/// What a subscription may ask for besides a filter.
struct SubscriptionOptionTests {
  let service: InProcessService
  let writer: InProcessClient
  let reader: InProcessClient
  /// Milliseconds that the service's clock is ahead.
  let time = Time()

  final class Time: Sendable {
    private let now = Atomic<Int64>(1_796_000_000_000)
    var milliseconds: Int64 { now.load(ordering: .relaxed) }
    func pass(milliseconds: Int64) { now.add(milliseconds, ordering: .relaxed) }
  }

  init() {
    let time = time
    service = InProcessService {
      $0.clock = { time.milliseconds }
      $0.limits.maximumQueuedBytes = 2000
      $0.storeLimits.maximumHistoryChanges = 50
    }
    writer = service.connect()
    reader = service.connect()
  }

  private func request(_ name: String, _ fields: JSONNode, _ type: String) -> JSONNode {
    [
      "record": ["recordType": .string(type), "recordName": .string(name), "fields": fields],
      "savePolicy": "allKeys",
    ]
  }

  @discardableResult
  private func save(
    _ name: String, _ fields: JSONNode, type: String = "Item", by client: InProcessClient? = nil
  ) throws -> JSONNode {
    try (client ?? writer).result("saveRecord", request(name, fields, type))
  }

  /// Sends a save and does not wait.
  private func send(_ name: String, _ fields: JSONNode, type: String = "Item", by client: InProcessClient) {
    client.send(["jsonrpc": "2.0", "method": "saveRecord", "params": request(name, fields, type)])
  }

  private func delete(_ name: String) throws {
    _ = try writer.result("deleteRecord", ["recordName": .string(name)])
  }

  private func subscribe(_ params: JSONNode) throws { _ = try reader.result("subscribe", params) }

  /// The changes pushed to the reader since the last call.
  private func changes() throws -> [JSONNode] {
    try reader.takePushes().flatMap { $0["params"]?["changes"]?.elements ?? [] }
  }

  private func told() throws -> [String] {
    try changes().map { "\($0["reason"]?.text ?? "") \($0["recordName"]?.text ?? "")" }
  }

  /// Has the reader stop reading and fall behind, and read again once `body` is done.
  private func whileBehind(_ body: () throws -> Void) throws {
    reader.outbound.stall()
    // More than is kept for it.
    send("filler", ["t": .string(String(repeating: "x", count: 3000))], type: "Filler", by: writer)
    try body()
    try save("end", [:], type: "End")
    reader.outbound.drain()
    reader.session.outboundDidDrain()
    service.settle()
  }

  // MARK: Kinds

  @Test("A subscription to a record hears of that one, from before it is there on")
  func record() throws {
    try subscribe(["recordName": "a"])
    try save("a", ["n": 1])
    try save("b", ["n": 1])
    try save("a", ["n": 2], type: "Item")
    try delete("a")
    #expect(try told() == ["created a", "updated a", "deleted a"])
    let data = try reader.failure(
      "subscribe", ["recordName": "a", "recordType": "Item", "predicate": "n = 1"])
    #expect(data["parameter"] == "recordName")
  }

  @Test("A record's initial state comes first where it is asked for")
  func initialRecord() throws {
    try save("a", ["n": 1])
    try save("b", ["n": 1])
    try subscribe(["recordName": "a", "sendInitial": true])
    let initial = try changes()
    #expect(initial.map { $0["recordName"] } == ["a"])
    #expect(initial[0]["origin"]?["userRecordName"] == "_1000")
  }

  @Test("There is no subscription to a zone that is not there")
  func noZone() throws {
    #expect(try reader.failure("subscribe", ["zoneName": "work"])["errorCode"] == "zoneNotFound")
  }

  // MARK: What is told

  @Test("One that fires once ends with its first change, not with its initial records")
  func firesOnce() throws {
    try save("a", ["n": 1])
    try subscribe(["recordType": "Item", "firesOnce": true, "sendInitial": true])
    #expect(try told() == ["created a"])
    try save("b", ["n": 1])
    try save("c", ["n": 1])
    let pushes = try reader.takePushes()
    #expect(pushes.map { $0["method"] } == ["recordsChanged", "subscriptionEnded"])
    #expect(pushes.last?["params"]?["reason"] == "fired")
    #expect(service.service.subscriptionCount == 0)
  }

  @Test("watchKeys leaves out updates of other fields, and nothing else")
  func watchKeys() throws {
    try subscribe(["recordType": "Item", "predicate": "g = 'x'", "watchKeys": ["n"]])
    try save("a", ["g": "x", "n": 1, "m": 1])
    try save("a", ["g": "x", "n": 1, "m": 2])
    try save("a", ["g": "x", "n": 2, "m": 2])
    try save("a", ["g": "y", "n": 2, "m": 2])
    try save("a", ["g": "x", "n": 2, "m": 2])
    try delete("a")
    #expect(try told() == ["created a", "updated a", "left a", "entered a", "deleted a"])
    #expect(
      try reader.failure("subscribe", ["recordType": "Item", "watchKeys": []])["parameter"] == "watchKeys")
  }

  @Test("suppressOwn leaves out what the connection wrote itself, also where it fell behind")
  func suppressOwn() throws {
    try subscribe(["recordType": "Item", "suppressOwn": true])
    try subscribe(["recordType": "Filler"])
    try save("a", ["n": 1], by: reader)
    try save("b", ["n": 1])
    #expect(try told() == ["created b"])
    try whileBehind {
      send("c", ["n": 1], by: reader)
      send("d", ["n": 1], by: reader)
      send("d", ["n": 2], by: writer)
      send("e", ["n": 1], by: writer)
    }
    #expect(Set(try told()) == ["created filler", "created d", "created e"])
  }

  @Test("With suppressOwn, what it made itself and others deleted is told as gone, also where it fell behind")
  func ownThatIsGone() throws {
    try subscribe(["recordType": "Item", "suppressOwn": true])
    try subscribe(["recordType": "Filler"])
    try whileBehind {
      send("a", ["n": 1], by: reader)
      writer.send(["jsonrpc": "2.0", "method": "deleteRecord", "params": ["recordName": "a"]])
    }
    #expect(Set(try told()) == ["created filler", "deleted a"])
  }

  @Test("A replay to one who fell behind still knows what was its own doing")
  func ownInReplay() throws {
    try subscribe(["recordType": "Item"])
    try subscribe(["recordType": "Filler"])
    try whileBehind {
      send("own", ["n": 1], by: reader)
      send("other", ["n": 1], by: writer)
      send("both", ["n": 1], by: reader)
      send("both", ["n": 2], by: writer)
    }
    let isOwn = try Dictionary(
      uniqueKeysWithValues: changes().map { ($0["recordName"]?.text ?? "", $0["origin"]?["isOwn"]) })
    #expect(isOwn["own"] == true)
    #expect(isOwn["other"] == false)
    #expect(isOwn["both"] == false)
  }

  @Test("includePrevious tells the values before of what changed, and all of what was deleted")
  func includePrevious() throws {
    try subscribe(["recordType": "Item", "includePrevious": true])
    try save("a", ["n": 1, "m": 1])
    try save("a", ["n": 2, "k": 1, "m": 1])
    try delete("a")
    let previous = try changes().map { $0["previous"]?["fields"] }
    #expect(previous == [nil, ["n": 1, "k": .null], ["n": 2, "k": 1, "m": 1]])
  }

  @Test("include brings what the records refer to, each once, there or not")
  func include() throws {
    try save("food", ["name": "Food"], type: "List")
    let reference: JSONNode = ["$reference": ["recordName": "food"]]
    try save("a", ["list": reference])
    try subscribe(["recordType": "Item", "include": ["list"], "sendInitial": true])
    let initial = try reader.takePushes()[0]["params"]?["included"]?.elements ?? []
    #expect(initial.map { $0["record"]?["fields"]?["name"] } == ["Food"])
    _ = try writer.result(
      "modifyRecords",
      [
        "operations": [
          [
            "operationType": "create",
            "record": ["recordType": "Item", "recordName": "b", "fields": ["list": reference]],
          ],
          [
            "operationType": "create",
            "record": ["recordType": "Item", "recordName": "c", "fields": ["list": reference]],
          ],
          [
            "operationType": "create",
            "record": [
              "recordType": "Item", "recordName": "d",
              "fields": ["list": ["$reference": ["recordName": "gone"]]],
            ],
          ],
        ]
      ])
    let included = try reader.takePushes()[0]["params"]?["included"]?.elements ?? []
    #expect(included.map { $0["recordName"] } == ["food", "gone"])
    #expect(included[1]["record"] == .null)
  }

  // MARK: Positions

  @Test("Who hears of nothing else is told the position after a thousand commits")
  func progressByCommits() throws {
    try subscribe(["recordType": "Quiet"])
    for index in 0..<999 { try save("a", ["n": .int(Int64(index))]) }
    #expect(try reader.takePushes() == [])
    let reply = try save("a", ["n": 999])
    let params = try #require(try reader.takePushes().first?["params"])
    #expect(params["changes"] == [])
    #expect(params["seq"] == 1)
    #expect(params["changeToken"] == reply["changeToken"])
  }

  @Test("Who hears of nothing else is told the position with the first commit after a minute")
  func progressByTime() throws {
    try subscribe(["recordType": "Quiet"])
    time.pass(milliseconds: 59_999)
    try save("a", ["n": 1])
    #expect(try reader.takePushes() == [])
    time.pass(milliseconds: 1)
    let reply = try save("a", ["n": 2])
    #expect(try reader.takePushes().map { $0["params"]?["changeToken"] } == [reply["changeToken"]])
  }

  @Test("After a resync the initial records come again by themselves, where they were asked for")
  func resync() throws {
    try save("old", ["n": 1])
    try subscribe(["recordType": "Item", "sendInitial": true])
    try subscribe(["recordType": "Filler"])
    #expect(try told() == ["created old"])
    try whileBehind {
      try delete("old")
      for index in 0..<1000 { try save("a", ["n": .int(Int64(index))]) }
    }
    let pushes = try reader.takePushes().compactMap { $0["params"] }.filter { $0["subscriptionID"] == "1" }
    #expect(pushes.map { $0["resync"] } == [true, nil])
    #expect(pushes[1]["initial"] == true)
    #expect(pushes[1]["changes"]?.elements.map { $0["recordName"] } == ["a"])
  }

  @Test("Each part of a commit but the last gives the position before it")
  func tokensOfParts() throws {
    let token = try reader.result("subscribe", ["recordType": "Item"])["changeToken"]
    let text = JSONNode.string(String(repeating: "x", count: 3 << 20))
    let operations = (0..<4).map { index -> JSONNode in
      [
        "operationType": "create",
        "record": ["recordType": "Item", "recordName": .string("r\(index)"), "fields": ["t": text]],
      ]
    }
    let reply = try writer.result("modifyRecords", ["operations": .array(operations)])
    let pushes = try reader.takePushes().compactMap { $0["params"] }
    #expect(pushes.map { $0["changeToken"] } == [token, reply["changeToken"]])
    #expect(pushes.map { $0["moreComing"] } == [true, nil])
  }
}
