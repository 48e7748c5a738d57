import InProcessService
import JSONRPC
import Testing

@testable import ListsService

/// Filters that look into the records that references lead to hear of changes of those.
struct FollowingFilterTests {
  let service = InProcessService()
  let writer: InProcessClient
  let reader: InProcessClient

  init() throws {
    writer = service.connect()
    reader = service.connect()
    try save("food", ["name": "Food", "color": "green"], type: "List")
    try save("home", ["name": "Home"], type: "List")
    for (item, list) in [("a", "food"), ("b", "food"), ("c", "home")] {
      try save(item, ["list": ["$reference": ["recordName": .string(list)]]])
    }
  }

  private func save(_ name: String, _ fields: JSONNode, type: String = "Item") throws {
    _ = try writer.result(
      "saveRecord",
      [
        "record": ["recordType": .string(type), "recordName": .string(name), "fields": fields],
        "savePolicy": "allKeys",
      ])
  }

  private func subscribe(_ params: JSONNode) throws { _ = try reader.result("subscribe", params) }

  private func changes() throws -> [JSONNode] {
    try reader.takePushes().flatMap { $0["params"]?["changes"]?.elements ?? [] }
  }

  private func told() throws -> [String] {
    try changes().map { "\($0["reason"]?.text ?? "") \($0["recordName"]?.text ?? "")" }
  }

  @Test("What refers to a record enters and leaves with that")
  func entersAndLeaves() throws {
    try subscribe(["recordType": "Item", "predicate": "list.name == 'Food'"])
    try save("food", ["name": "Drink"], type: "List")
    #expect(try told() == ["left a", "left b"])
    try save("home", ["name": "Food"], type: "List")
    #expect(try told() == ["entered c"])
    _ = try writer.result("deleteRecord", ["recordName": "home"])
    #expect(try told() == ["left c"])
    try save("home", ["name": "Food"], type: "List")
    #expect(try told() == ["entered c"])
  }

  @Test("It is updated only by what the filter sees of the other record, which is told as a key path")
  func updated() throws {
    try subscribe(["recordType": "Item", "predicate": "list.name BEGINSWITH 'F'"])
    try save("food", ["name": "Food", "color": "red"], type: "List")
    #expect(try told() == [])
    try save("food", ["name": "Fish", "color": "red"], type: "List")
    let changes = try changes()
    #expect(changes.map { $0["reason"] } == ["updated", "updated"])
    #expect(changes[0]["changedKeys"] == ["list.name"])
    #expect(changes[0]["record"]?["recordName"] == "a")
    #expect(changes[0]["origin"]?["isOwn"] == false)
  }

  @Test("Over two references, and where both ends change in one commit")
  func twoHops() throws {
    try save("ann", ["name": "Ann"], type: "Person")
    try save("food", ["name": "Food", "owner": ["$reference": ["recordName": "ann"]]], type: "List")
    try subscribe(["recordType": "Item", "predicate": "list.owner.name == 'Ann'", "sendInitial": true])
    #expect(try told() == ["created a", "created b"])
    try save("ann", ["name": "Bob"], type: "Person")
    #expect(try told() == ["left a", "left b"])
    _ = try writer.result(
      "modifyRecords",
      [
        "operations": [
          [
            "operationType": "forceReplace",
            "record": ["recordType": "Person", "recordName": "ann", "fields": ["name": "Ann"]],
          ],
          ["operationType": "forceDelete", "record": ["recordName": "b"]],
          [
            "operationType": "forceReplace",
            "record": [
              "recordType": "Item", "recordName": "c",
              "fields": ["list": ["$reference": ["recordName": "food"]]],
            ],
          ],
        ]
      ])
    #expect(try told() == ["entered c", "entered a"])
  }

  @Test("One that has included another is updated by any change of that")
  func included() throws {
    try subscribe(["recordType": "Item", "include": ["list"]])
    try save("home", ["name": "Home", "color": "blue"], type: "List")
    let push = try reader.takePushes()[0]["params"]
    #expect(push?["changes"]?.elements.map { $0["recordName"] } == ["c"])
    #expect(push?["changes"]?[0]?["changedKeys"] == ["list"])
    #expect(push?["included"]?[0]?["record"]?["fields"]?["color"] == "blue")
  }

  @Test("Several commits that are delivered at once are each told as they were")
  func group() throws {
    try subscribe(["recordType": "Item", "predicate": "list.name == 'Food'"])
    for name in ["x", "Food", "y", "Food", "z"] {
      writer.send([
        "jsonrpc": "2.0", "method": "saveRecord",
        "params": [
          "record": ["recordType": "List", "recordName": "home", "fields": ["name": .string(name)]],
          "savePolicy": "allKeys",
        ],
      ])
    }
    writer.send(["jsonrpc": "2.0", "method": "deleteRecord", "params": ["recordName": "c"]])
    try save("end", [:], type: "End")
    #expect(try told() == ["entered c", "left c", "entered c", "left c"])
  }

  @Test("Who was away is told the same by a replay")
  func replay() throws {
    let token = try reader.result("subscribe", ["recordType": "Item"])["changeToken"] ?? .null
    try save("food", ["name": "Drink"], type: "List")
    try save("home", ["name": "Food"], type: "List")
    try save("b", ["list": ["$reference": ["recordName": "home"]]])
    let late = service.connect()
    _ = try late.result(
      "subscribe", ["recordType": "Item", "predicate": "list.name == 'Food'", "since": token])
    let told = try late.takePushes().flatMap { $0["params"]?["changes"]?.elements ?? [] }
      .map { "\($0["reason"]?.text ?? "") \($0["recordName"]?.text ?? "")" }
    #expect(told == ["updated b", "left a", "entered c"])
  }
}
