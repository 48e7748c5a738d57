import InProcessService
import JSONRPC
import Records
import Testing

@testable import ListsService

struct SubscriptionTests {
  let service: InProcessService
  let writer: InProcessClient
  let reader: InProcessClient

  init() {
    service = InProcessService()
    writer = service.connect()
    reader = service.connect()
  }

  @discardableResult
  private func save(_ name: String, _ fields: JSONNode, type: String = "Item") throws -> JSONNode {
    try writer.result(
      "saveRecord",
      [
        "record": ["recordType": .string(type), "recordName": .string(name), "fields": fields],
        "savePolicy": "allKeys",
      ])
  }

  private func delete(_ name: String) throws {
    _ = try writer.result("deleteRecord", ["recordName": .string(name)])
  }

  /// Reasons and names of the changes pushed to the reader since the last call.
  private func told(_ client: InProcessClient? = nil) throws -> [String] {
    try (client ?? reader).takePushes().flatMap { push in
      (push["params"]?["changes"]?.elements ?? []).map {
        "\($0["reason"]?.text ?? "") \($0["recordName"]?.text ?? "")"
      }
    }
  }

  @Test("A record that comes under the filter, changes in it, leaves it or is deleted is told so")
  func reasons() throws {
    try save("a", ["g": "x"])
    _ = try reader.result("subscribe", ["recordType": "Item", "predicate": "g == 'x'"])
    try save("a", ["g": "y"])
    #expect(try told() == ["left a"])
    try save("a", ["g": "y", "n": 1])
    #expect(try told() == [])
    try save("a", ["g": "x"])
    #expect(try told() == ["entered a"])
    try save("a", ["g": "x", "n": 2])
    #expect(try told() == ["updated a"])
    try save("b", ["g": "x"])
    #expect(try told() == ["created b"])
    try delete("a")
    #expect(try told() == ["deleted a"])
  }

  @Test("A filter looks into the records that references lead to")
  func references() throws {
    try save("food", ["name": "Food"], type: "List")
    _ = try reader.result("subscribe", ["recordType": "Item", "predicate": "list.name == 'Food'"])
    try save("a", ["list": ["$reference": ["recordName": "food"]]])
    try save("b", ["list": ["$reference": ["recordName": "gone"]]])
    #expect(try told() == ["created a"])
    try save("a", ["list": ["$reference": ["recordName": "gone"]]])
    #expect(try told() == ["left a"])
    // A replay as well.
    try save("b", ["list": ["$reference": ["recordName": "food"]]])
    let late = service.connect()
    _ = try late.result(
      "subscribe", ["recordType": "Item", "predicate": "list.name == 'Food'", "sendInitial": true])
    #expect(try told(late) == ["created b"])
  }

  @Test("CloudKit's filters say the same as a predicate")
  func filterBy() throws {
    _ = try reader.result(
      "subscribe",
      [
        "recordType": "Item",
        "filterBy": [["fieldName": "g", "comparator": "BEGINS_WITH", "fieldValue": ["value": "x"]]],
      ])
    try save("a", ["g": "xy"])
    try save("b", ["g": "y"])
    #expect(try told() == ["created a"])
  }

  @Test("now() is the moment of each subscription")
  func moment() throws {
    let time = Time()
    let service = InProcessService { $0.clock = { time.now } }
    let early = service.connect()
    let late = service.connect()
    let due = JSONNode.object([("$date", .int(time.now + 1000))])
    let params: JSONNode = ["recordType": "Item", "predicate": "due <= now()"]
    _ = try early.result("subscribe", params)
    time.advance(2000)
    _ = try late.result("subscribe", params)
    _ = try early.result(
      "saveRecord", ["record": ["recordType": "Item", "recordName": "a", "fields": ["due": due]]])
    service.settle()
    #expect(try told(early) == [])
    #expect(try told(late) == ["created a"])
  }

  @Test("Only deletions of what matched are told")
  func deletions() throws {
    try save("a", ["g": "x"])
    try save("b", ["g": "y"])
    _ = try reader.result("subscribe", ["recordType": "Item", "predicate": "g == 'x'"])
    try delete("b")
    try delete("a")
    #expect(try told() == ["deleted a"])
  }

  @Test("A save that changes nothing is told to nobody")
  func unchanged() throws {
    try save("a", ["g": "x"])
    _ = try reader.result("subscribe", ["recordType": "Item"])
    try save("a", ["g": "x"])
    #expect(try told() == [])
  }

  @Test("A change says what differs, who made it, and whether over this connection")
  func changeDetails() throws {
    let id = try reader.result("subscribe", ["recordType": "Item"])["subscriptionID"]
    try save("a", ["g": "x", "n": 1])
    let saved = try save("a", ["g": "x", "m": 2])
    let pushes = try reader.takePushes()
    #expect(pushes.map { $0["params"]?["seq"] } == [1, 2])
    let params = pushes[1]["params"]
    #expect(params?["subscriptionID"] == id)
    #expect(params?["changeToken"] == saved["changeToken"])
    let change = params?["changes"]?[0]
    #expect(change?["record"] == saved["record"])
    #expect(change?["changedKeys"] == ["m", "n"])
    #expect(change?["origin"] == ["userRecordName": "_1000", "isOwn": false])
    _ = try reader.result(
      "saveRecord", ["record": ["recordType": "Item", "recordName": "b", "fields": [:]]])
    #expect(try reader.takePushes().last?["params"]?["changes"]?[0]?["origin"]?["isOwn"] == true)
  }

  @Test("All changes of a commit come in one push, those of others in others")
  func onePushPerCommit() throws {
    _ = try reader.result("subscribe", ["recordType": "Item"])
    _ = try writer.result(
      "modifyRecords",
      [
        "operations": [
          ["operationType": "create", "record": ["recordType": "Item", "recordName": "a"]],
          ["operationType": "create", "record": ["recordType": "Other", "recordName": "o"]],
          ["operationType": "create", "record": ["recordType": "Item", "recordName": "b"]],
        ]
      ])
    let pushes = try reader.takePushes()
    #expect(pushes.count == 1)
    #expect(pushes[0]["params"]?["changes"]?.elements.map { $0["recordName"] } == ["a", "b"])
  }

  @Test("A batch that fails is told to nobody")
  func failedBatch() throws {
    let token = try reader.result("subscribe", ["recordType": "Item"])["changeToken"]
    _ = try writer.failure(
      "modifyRecords",
      [
        "operations": [
          ["operationType": "create", "record": ["recordType": "Item", "recordName": "a"]],
          ["operationType": "update", "record": ["recordType": "Item", "recordName": "nobody"]],
        ]
      ])
    #expect(try told() == [])
    #expect(try writer.result("countRecords", ["recordType": "Item"])["changeToken"] == token)
  }

  @Test("firesOn keeps the reasons that it names, desiredKeys the fields")
  func firesOn() throws {
    _ = try reader.result(
      "subscribe", ["recordType": "Item", "firesOn": ["updated", "deleted"], "desiredKeys": ["g"]])
    try save("a", ["g": "x"])
    try save("a", ["g": "y", "n": 1])
    let pushes = try reader.takePushes()
    #expect(pushes.count == 1)
    #expect(pushes[0]["params"]?["changes"]?[0]?["record"]?["fields"] == ["g": "y"])
    try delete("a")
    #expect(try told() == ["deleted a"])
  }

  @Test("Without a record type every record of the database is told")
  func wholeDatabase() throws {
    _ = try reader.result("subscribe")
    try save("a", [:], type: "One")
    try save("b", [:], type: "Two")
    #expect(try told() == ["created a", "created b"])
  }

  @Test("Subscriptions that ask for the same are told the same")
  func sameShape() throws {
    let others = (1...5).map { _ in service.connect() }
    for client in others + [writer] {
      _ = try client.result("subscribe", ["recordType": "Item", "predicate": "g == 'x'"])
    }
    try save("a", ["g": "x"])
    for client in others { #expect(try told(client) == ["created a"]) }
    #expect(try told(writer) == ["created a"])
    others[0].session.close()
    try delete("a")
    for client in others.dropFirst() { #expect(try told(client) == ["deleted a"]) }
    #expect(others[0].outbound.isEmpty)
  }

  @Test("No push follows the reply of unsubscribe")
  func unsubscribe() throws {
    let id = try reader.result("subscribe", ["recordType": "Item"])["subscriptionID"] ?? .null
    #expect(try reader.result("unsubscribe", ["subscriptionID": id])["subscriptionID"] == id)
    try save("a", [:])
    #expect(try told() == [])
    #expect(try reader.failure("unsubscribe", ["subscriptionID": id])["errorCode"] == "unknownItem")
  }

  @Test("The reply to subscribe comes before the first push, in a batch too")
  func replyComesFirst() throws {
    let request: JSONNode = [
      "jsonrpc": "2.0", "id": 1, "method": "subscribe",
      "params": ["recordType": "Item", "sendInitial": true],
    ]
    let save: JSONNode = [
      "jsonrpc": "2.0", "id": 2, "method": "saveRecord",
      "params": ["record": ["recordType": "Item", "recordName": "a"]],
    ]
    reader.send([request, save])
    #expect(try reader.receive()[0]?["id"] == 1)
    // The initial records are those at the subscription, so the save comes as a change of its own.
    var names: [JSONNode?] = []
    while names.isEmpty {
      names += (try reader.receive()["params"]?["changes"]?.elements ?? []).map { $0["recordName"] }
    }
    #expect(names == ["a"])
  }

  @Test("A subscription that the service ends is told so, with the reason, and gets no more")
  func ended() throws {
    let id = try reader.result("subscribe", ["recordType": "Item"])["subscriptionID"]
    let subscription = try #require(reader.session.subscriptions[id?.text ?? ""])
    service.service.end(subscription, .failed(RecordError(.storeDamaged, "the store is damaged")))
    let push = try #require(try reader.takePushes().first)
    #expect(push["method"] == "subscriptionEnded")
    #expect(push["params"]?["subscriptionID"] == id)
    #expect(push["params"]?["error"]?["data"]?["errorCode"] == "storeDamaged")
    try save("a", [:])
    #expect(try told() == [])
    #expect(service.service.isIdle)
  }

  @Test("A connection's subscriptions are limited")
  func subscriptionLimit() throws {
    let service = InProcessService { $0.limits.maximumSubscriptions = 1 }
    let client = service.connect()
    _ = try client.result("subscribe", ["recordType": "Item"])
    #expect(
      try client.failure("subscribe", ["recordType": "Other"])["limitName"] == "maximumSubscriptions")
  }

  @Test("A live filter's comparisons are limited, a query's are not")
  func filterLimit() throws {
    let service = InProcessService { $0.limits.maximumFilterComparisons = 2 }
    let client = service.connect()
    let three: JSONNode = ["recordType": "Item", "predicate": "a = 1 OR b = 2 OR c = 3"]
    #expect(try client.failure("subscribe", three)["limitName"] == "maximumFilterComparisons")
    _ = try client.result("performQuery", three)
    _ = try client.result("subscribe", ["recordType": "Item", "predicate": "a = 1 OR b IN {2, 3, 4}"])
  }

  @Test("A filter that takes too long for a commit ends its subscriptions and says so; the others go on")
  func costlyFilter() throws {
    let other = service.connect()
    _ = try other.result("subscribe", ["recordType": "Item"])
    let id = try reader.result("subscribe", ["recordType": "Item", "predicate": "g = 1"])["subscriptionID"]
    try #require(reader.session.subscriptions.values.first).shape.maximumMilliseconds = 0
    try save("a", ["g": 1])
    let push = try #require(try reader.takePushes().first)
    #expect(push["method"] == "subscriptionEnded" && push["params"]?["subscriptionID"] == id)
    #expect(push["params"]?["error"]?["data"]?["errorCode"] == "limitExceeded")
    #expect(try told(other) == ["created a"])
    #expect(reader.session.subscriptions.isEmpty)
  }
}
