import InProcessService
import JSONRPC
import Testing

@testable import ListsService

/// One who was cut off may hold more than the position that it goes on from.
struct ResumedSubscriptionTests {
  let service = InProcessService()
  let writer: InProcessClient
  let reader: InProcessClient

  init() {
    writer = service.connect()
    reader = service.connect()
  }

  private func save(_ name: String, _ fields: JSONNode, type: String = "Item") throws {
    _ = try writer.result(
      "saveRecord",
      [
        "record": ["recordType": .string(type), "recordName": .string(name), "fields": fields],
        "savePolicy": "allKeys",
      ])
  }

  private func delete(_ name: String) throws {
    _ = try writer.result("deleteRecord", ["recordName": .string(name)])
  }

  private func token() throws -> JSONNode {
    try writer.result("performQuery", ["recordType": "Item", "resultsLimit": 1])["changeToken"] ?? .null
  }

  private func told(_ client: InProcessClient) throws -> [String] {
    try client.takePushes().flatMap { $0["params"]?["changes"]?.elements ?? [] }
      .map { "\($0["reason"]?.text ?? "") \($0["recordName"]?.text ?? "")" }
  }

  @Test("What came and went since the position is told as gone")
  func cameAndWent() throws {
    let since = try token()
    try save("a", ["n": 1])
    try save("b", ["n": 1])
    try save("c", ["n": 2])
    try delete("a")
    try save("b", ["n": 2])
    try save("c", ["n": 1])
    try save("c", ["n": 3])
    try save("d", ["n": 2])
    try delete("d")
    _ = try reader.result("subscribe", ["recordType": "Item", "predicate": "n = 1", "since": since])
    #expect(Set(try told(reader)) == ["deleted a", "left b", "left c"])
    // Once live it holds what it was told.
    try save("e", ["n": 2])
    try delete("e")
    #expect(try told(reader) == [])
    let page = try reader.result("fetchChanges", ["since": since])["changes"]?.elements ?? []
    #expect(
      Set(page.map { "\($0["reason"]?.text ?? "") \($0["recordName"]?.text ?? "")" })
        == ["deleted a", "created b", "created c", "deleted d", "deleted e"])
  }

  @Test("A record that was made and deleted in one commit is told to nobody")
  func withinACommit() throws {
    let since = try token()
    _ = try writer.result(
      "modifyRecords",
      [
        "operations": [
          [
            "operationType": "create",
            "record": ["recordType": "Item", "recordName": "a", "fields": ["n": 1]],
          ],
          ["operationType": "forceDelete", "record": ["recordName": "a"]],
        ]
      ])
    try save("b", ["n": 1])
    _ = try reader.result("subscribe", ["recordType": "Item", "since": since])
    #expect(try told(reader) == ["created b"])
  }

  @Test("What was told of a saved subscription and not acknowledged is told as gone when it is")
  func saved() throws {
    _ = try reader.result("saveSubscription", ["subscriptionID": "s", "recordType": "Item"])
    _ = try reader.result("subscribe", ["subscriptionID": "s"])
    try save("x", ["n": 1])
    #expect(try told(reader) == ["created x"])
    reader.session.close()
    try delete("x")
    let again = service.connect()
    _ = try again.result("subscribe", ["subscriptionID": "s"])
    #expect(try told(again) == ["deleted x"])
  }

  @Test("What matched for a while because of a record that it refers to is told as gone")
  func following() throws {
    try save("list", ["name": "A"], type: "List")
    try save("a", ["list": ["$reference": ["recordName": "list"]]])
    let since = try token()
    try save("list", ["name": "B"], type: "List")
    try save("list", ["name": "C"], type: "List")
    _ = try reader.result(
      "subscribe", ["recordType": "Item", "predicate": "list.name = 'B'", "since": since])
    #expect(try told(reader) == ["left a"])
  }

  @Test("Whoever goes on from a position is told of the end of a zone")
  func zone() throws {
    _ = try writer.result("saveZone", ["zoneName": "work"])
    let since = try token()
    _ = try writer.result(
      "saveRecord", ["record": ["recordType": "Item", "recordName": "a", "zoneName": "work", "fields": [:]]])
    _ = try writer.result("deleteZone", ["zoneName": "work"])
    _ = try reader.result("subscribe", ["zoneName": "work", "since": since])
    let push = try #require(try reader.takePushes().first?["params"])
    #expect(push["changes"]?.elements.map { $0["reason"] } == ["deleted"])
    #expect(push["deletedZones"] == ["work"])
    let page = try reader.result("fetchChanges", ["zoneName": "work", "since": since])
    #expect(page["deletedZones"] == ["work"])
    #expect(try reader.failure("subscribe", ["zoneName": "work"])["errorCode"] == "zoneNotFound")
    #expect(
      try reader.failure("subscribe", ["zoneName": "none", "since": since])["errorCode"] == "zoneNotFound")
  }

  @Test("The values before are told on paths through references too")
  func previous() throws {
    try save("list", ["name": "A"], type: "List")
    try save("a", ["list": ["$reference": ["recordName": "list"]]])
    _ = try reader.result(
      "subscribe",
      ["recordType": "Item", "predicate": "list.name = 'A'", "includePrevious": true, "desiredKeys": ["n"]])
    try save("list", ["name": "B"], type: "List")
    let change = try reader.takePushes().first?["params"]?["changes"]?[0]
    #expect(change?["reason"] == "left")
    #expect(change?["previous"]?["fields"] == ["list.name": "A"])
  }

  @Test("So they are of the rows of a live result")
  func previousOfRows() throws {
    try save("list", ["name": "A"], type: "List")
    try save("a", ["list": ["$reference": ["recordName": "list"]]])
    _ = try reader.result(
      "subscribe",
      ["recordType": "Item", "sortDescriptors": [["key": "list.name"]], "includePrevious": true])
    _ = try reader.takePushes()
    try save("list", ["name": "B"], type: "List")
    let change = try reader.takePushes().first?["params"]?["changes"]?[0]
    #expect(change?["reason"] == "updated")
    #expect(change?["previous"]?["fields"] == ["list.name": "A"])
  }
}
