import InProcessService
import JSONRPC
import ListsService
import RecordStore
import Testing

/// How a subscription begins, falls behind and catches up: nothing missed, nothing kept without bound.
struct SubscriptionFeedTests {
  private func save(_ client: InProcessClient, _ name: String, _ fields: JSONNode) throws -> JSONNode {
    try client.result(
      "saveRecord",
      [
        "record": ["recordType": "Item", "recordName": .string(name), "fields": fields],
        "savePolicy": "allKeys",
      ])
  }

  /// What a client holds that applies every push: names and the value of `v`.
  private func apply(_ pushes: [JSONNode], to held: inout [String: JSONNode]) {
    for push in pushes {
      for change in push["params"]?["changes"]?.elements ?? [] {
        let name = change["recordName"]?.text ?? ""
        switch change["reason"]?.text {
        case "deleted", "left": held[name] = nil
        default: held[name] = change["record"]?["fields"]?["v"] ?? .null
        }
      }
    }
  }

  @Test("since tells what was missed, deletions too, then goes on live")
  func since() throws {
    let service = InProcessService()
    let writer = service.connect()
    _ = try save(writer, "a", ["v": 1])
    let token = try save(writer, "b", ["v": 1])["changeToken"] ?? .null
    _ = try save(writer, "a", ["v": 2])
    _ = try writer.result("deleteRecord", ["recordName": "b"])
    _ = try save(writer, "c", ["v": 3])
    let reader = service.connect()
    reader.send(
      [
        "jsonrpc": "2.0", "id": 1, "method": "subscribe", "params": ["recordType": "Item", "since": token],
      ])
    #expect(try reader.receive()["id"] == 1)
    let replay = try reader.receive()["params"]
    let changes = replay?["changes"]?.elements ?? []
    #expect(changes.map { $0["reason"]?.text } == ["updated", "deleted", "created"])
    #expect(changes.map { $0["recordName"]?.text } == ["a", "b", "c"])
    let last = try save(writer, "c", ["v": 4])["changeToken"]
    #expect(try reader.receive()["params"]?["changeToken"] == last)
  }

  @Test("A query's token is good for since: nothing is missed and nothing told twice")
  func queryThenSubscribe() throws {
    let service = InProcessService()
    let writer = service.connect()
    let reader = service.connect()
    var held: [String: JSONNode] = [:]
    for round in 1...50 {
      for index in 0..<20 {
        let record: JSONNode = [
          "recordType": "Item", "recordName": .string("r\(index)"), "fields": ["v": .int(Int64(round))],
        ]
        writer.send([
          "jsonrpc": "2.0", "id": .int(Int64(index)), "method": "saveRecord",
          "params": ["record": record, "savePolicy": "allKeys"],
        ])
      }
      let page = try reader.result("performQuery", ["recordType": "Item"])
      held = [:]
      for record in page["records"]?.elements ?? [] {
        held[record["recordName"]?.text ?? ""] = record["fields"]?["v"]
      }
      let id = try reader.result(
        "subscribe", ["recordType": "Item", "since": page["changeToken"] ?? .null])["subscriptionID"]
      for _ in 0..<20 { _ = try writer.receive() }
      apply(try reader.takePushes(), to: &held)
      #expect(held.count == 20 && held.values.allSatisfy { $0 == .int(Int64(round)) }, "round \(round)")
      _ = try reader.result("unsubscribe", ["subscriptionID": id ?? .null])
    }
  }

  @Test("sendInitial gives all matching records in pages, then goes on live")
  func initial() throws {
    let service = InProcessService()
    let writer = service.connect()
    for start in stride(from: 0, to: 600, by: 200) {
      let operations = (start..<start + 200).map { index -> JSONNode in
        [
          "operationType": "create",
          "record": [
            "recordType": "Item", "recordName": .string("r\(index)"), "fields": ["v": .int(Int64(index))],
          ],
        ]
      }
      _ = try writer.result("modifyRecords", ["operations": .array(operations)])
    }
    let reader = service.connect()
    _ = try reader.result(
      "subscribe", ["recordType": "Item", "predicate": "v >= 100", "sendInitial": true])
    var held: [String: JSONNode] = [:]
    var pushes: [JSONNode] = []
    repeat { pushes.append(try reader.receive()) } while pushes.last?["params"]?["moreComing"] == true
    #expect(pushes.count > 1)
    #expect(pushes.allSatisfy { $0["params"]?["initial"] == true })
    #expect(pushes.map { $0["params"]?["seq"] } == (1...pushes.count).map { .int(Int64($0)) })
    apply(pushes, to: &held)
    #expect(held.count == 500)
    _ = try save(writer, "new", ["v": 1000])
    #expect(try reader.receive()["params"]?["initial"] == nil)
  }

  @Test("Initial records that take long to find are looked for apart, and come all the same")
  func longInitial() throws {
    let service = InProcessService()
    let writer = service.connect()
    for start in stride(from: 0, to: 5000, by: 1000) {
      let operations = (start..<start + 1000).map { index -> JSONNode in
        [
          "operationType": "create",
          "record": [
            "recordType": "Item", "recordName": .string("r\(index)"),
            "fields": ["v": .int(Int64(index % 100))],
          ],
        ]
      }
      _ = try writer.result("modifyRecords", ["operations": .array(operations), "desiredKeys": []])
    }
    let reader = service.connect()
    _ = try reader.result(
      "subscribe", ["recordType": "Item", "predicate": "v == 7", "sendInitial": true])
    var held: [String: JSONNode] = [:]
    var last: JSONNode
    repeat {
      last = try reader.receive()
      apply([last], to: &held)
    } while last["params"]?["moreComing"] == true
    #expect(held.count == 50 && held.values.allSatisfy { $0 == 7 })
    _ = try save(writer, "r7", ["v": 8])
    #expect(try reader.receive()["params"]?["changes"]?[0]?["reason"] == "left")
  }

  @Test("Records that change while the initial ones are sent are told once, as the client holds them")
  func initialWhileOthersWrite() throws {
    let service = InProcessService { $0.limits.maximumQueuedBytes = 20_000 }
    let writer = service.connect()
    let reader = service.connect()
    for index in 0..<1000 { _ = try save(writer, "r\(1000 + index)", ["v": .int(Int64(index))]) }
    reader.outbound.stall()
    _ = try reader.result(
      "subscribe",
      ["recordType": "Item", "predicate": "v >= 0", "sendInitial": true, "includePrevious": true])
    var held: [String: JSONNode] = [:]
    var isDone = false
    for round in 0..<400 where !isDone {
      // Before, at and behind what was sent so far; under the filter and out of it; gone and new.
      let v = JSONNode.int(Int64(round % 3 == 0 ? -1 : 10_000 + round))
      for place in [round * 7 % 1000, round * 131 % 1000, 999 - round % 50] {
        _ = try save(writer, "r\(1000 + place)", ["v": v])
      }
      if round % 5 == 0 {
        _ = try writer.result(
          "deleteRecord", ["recordName": .string("r\(1000 + round * 17 % 1000)"), "ignoreMissing": true])
      }
      reader.outbound.drain()
      reader.session.outboundDidDrain()
      if round < 30 { reader.outbound.stall() }
      service.settle()
      for push in try reader.takePushes() {
        for change in push["params"]?["changes"]?.elements ?? [] {
          let name = try #require(change["recordName"]?.text)
          switch change["reason"]?.text {
          case "created", "entered":
            #expect(held[name] == nil, "\(name) was held")
            held[name] = change["record"]?["fields"]?["v"]
          case "updated":
            #expect(held[name] == change["previous"]?["fields"]?["v"], "\(name) was another")
            held[name] = change["record"]?["fields"]?["v"]
          default:
            #expect(held.removeValue(forKey: name) != nil, "\(name) was not held")
          }
        }
        isDone = round > 30 && push["params"]?["moreComing"] == nil
      }
    }
    #expect(isDone)
    let count = try writer.result("countRecords", ["recordType": "Item", "predicate": "v >= 0"])["count"]
    #expect(count == .int(Int64(held.count)))
  }

  @Test("A slow reader is not waited for, holds a bounded queue, and misses nothing when it reads again")
  func slowReader() throws {
    let service = InProcessService { $0.limits.maximumQueuedBytes = 20_000 }
    let writer = service.connect()
    let slow = service.connect()
    let quick = service.connect()
    for client in [slow, quick] {
      _ = try client.result("subscribe", ["recordType": "Item"])
    }
    slow.outbound.stall()
    let text = JSONNode.string(String(repeating: "x", count: 1000))
    for index in 0..<300 { _ = try save(writer, "r\(index % 30)", ["v": .int(Int64(index)), "t": text]) }
    #expect(slow.outbound.queuedBytes < 30_000)
    #expect(try quick.takePushes().count == 300)
    var held: [String: JSONNode] = [:]
    var pushes = try slow.takePushes()
    for _ in 0..<100 where held.count < 30 || !held.values.allSatisfy({ $0.number ?? 0 >= 270 }) {
      slow.outbound.drain()
      slow.session.outboundDidDrain()
      service.settle()
      pushes += try slow.takePushes()
      apply(pushes, to: &held)
    }
    #expect(held.count == 30)
    #expect(pushes.enumerated().allSatisfy { $0.element["params"]?["seq"] == .int(Int64($0.offset + 1)) })
    _ = try save(writer, "last", ["v": 999])
    #expect(try slow.receive()["params"]?["changes"]?[0]?["recordName"] == "last")
  }

  @Test("Who fell behind farther than changes are kept is told once to fetch anew, and goes on from there")
  func resync() throws {
    let service = InProcessService {
      $0.limits.maximumQueuedBytes = 1000
      $0.storeLimits.maximumHistoryChanges = 10
    }
    let writer = service.connect()
    let slow = service.connect()
    let token = try slow.result("subscribe", ["recordType": "Item"])["changeToken"] ?? .null
    slow.outbound.stall()
    let text = JSONNode.string(String(repeating: "x", count: 1000))
    for index in 0..<2000 { _ = try save(writer, "r", ["v": .int(Int64(index)), "t": text]) }
    _ = try slow.takePushes()
    slow.outbound.drain()
    slow.session.outboundDidDrain()
    let push = try slow.receive()["params"]
    #expect(push?["resync"] == true)
    #expect(push?["changes"] == [])
    let last = try save(writer, "r", ["v": 0])
    #expect(try slow.receive()["params"]?["changes"]?[0]?["record"]?["fields"]?["v"] == 0)
    let data = try writer.failure("subscribe", ["recordType": "Item", "since": token])
    #expect(data["errorCode"] == "changeTokenExpired")
    #expect(data["changeToken"] == last["changeToken"])
  }

  @Test("A token of another store is refused with a fresh one")
  func foreignToken() throws {
    let other = InProcessService().connect()
    let foreign = try save(other, "a", [:])["changeToken"] ?? .null
    let client = InProcessService().connect()
    let own = try save(client, "a", [:])["changeToken"]
    for token in [foreign, "", "not a token"] {
      let data = try client.failure("subscribe", ["recordType": "Item", "since": token])
      #expect(data["errorCode"] == "changeTokenExpired")
      #expect(data["changeToken"] == own)
    }
  }

  @Test("since and sendInitial are one or the other")
  func sinceOrInitial() throws {
    let client = InProcessService().connect()
    let token = try save(client, "a", [:])["changeToken"] ?? .null
    let data = try client.failure(
      "subscribe", ["recordType": "Item", "since": token, "sendInitial": true])
    #expect(data["parameter"] == "sendInitial")
  }
}
