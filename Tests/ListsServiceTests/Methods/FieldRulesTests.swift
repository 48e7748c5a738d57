import InProcessService
import JSONRPC
import ListsService
import Testing

/// Rules, merges and changes of fields as clients and their subscriptions see them.
struct FieldRulesServiceTests {
  let service = InProcessService()

  private func save(_ fields: JSONNode, _ client: InProcessClient, tag: JSONNode? = nil) throws -> JSONNode {
    var record: [(String, JSONNode)] = [("recordType", "Item"), ("recordName", "a"), ("fields", fields)]
    if let tag { record.append(("recordChangeTag", tag)) }
    return try client.result(
      "saveRecord",
      .object([("record", .object(record))] + (tag == nil ? [("savePolicy", .string("allKeys"))] : [])))
  }

  @Test("changes of fields are pushed record by record, with what changed and whose doing it was")
  func pushed() throws {
    let client = service.connect()
    let watcher = service.connect()
    _ = try save(["old": "1", "keep": true], client)
    _ = try watcher.result("subscribe", ["recordType": "Item", "includePrevious": true])
    let reply = try client.result(
      "saveRecordType",
      [
        "recordType": ["name": "Item", "fields": ["new": ["min": 0]]],
        "changes": ["rename": ["old": "new"], "retype": ["new": "int64"]],
      ])
    #expect(reply["report"]?["records"] == 1)
    let changes = try watcher.takePushes().flatMap { $0["params"]?["changes"]?.elements ?? [] }
    #expect(changes.count == 1)
    #expect(changes.first?["changedKeys"] == ["new", "old"])
    #expect(changes.first?["record"]?["fields"] == ["new": 1, "keep": true])
    #expect(changes.first?["previous"]?["fields"]?["old"] == "1")
    #expect(changes.first?["origin"]?["isOwn"] == false)
  }

  @Test("a dry run moves no position and pushes nothing")
  func dryRun() throws {
    let client = service.connect()
    _ = try save(["v": "x"], client)
    let before = try client.result("fetchSchema")
    _ = try client.result("subscribe", ["recordType": "Item"])
    let reply = try client.result(
      "saveRecordType",
      [
        "recordType": ["name": "Item", "fields": ["w": ["type": "string", "required": true]]],
        "changes": ["retype": ["v": "int64"]], "dryRun": true,
      ])
    #expect(reply["recordType"] == nil)
    #expect(reply["report"]?["lost"]?.elements.first?["count"] == 1)
    #expect(reply["report"]?["violations"]?.elements.first?["rule"] == "required")
    #expect(reply["changeToken"] == before["changeToken"])
    #expect(try client.takePushes().isEmpty)
    #expect(try client.result("fetchSchema")["recordTypes"] == before["recordTypes"])
  }

  @Test("a merged save tells what it settled, and others are pushed the merged record")
  func merged() throws {
    let client = service.connect()
    let watcher = service.connect()
    _ = try client.result(
      "saveRecordType", ["recordType": ["name": "Item", "fields": ["n": ["type": "int64", "merge": "sum"]]]])
    let tag = try save(["n": 1], client)["record"]?["recordChangeTag"]
    _ = try save(["n": 5], client)
    _ = try watcher.result("subscribe", ["recordType": "Item"])
    let reply = try save(["n": 3], client, tag: tag)
    #expect(reply["merged"] == ["n"])
    #expect(reply["record"]?["fields"] == ["n": 7])
    let changes = try watcher.takePushes().flatMap { $0["params"]?["changes"]?.elements ?? [] }
    #expect(changes.map { $0["record"]?["fields"] } == [["n": 7]])
  }

  @Test(
    "what is no change of fields is refused",
    arguments: [
      #"{"rename":[]}"#, #"{"rename":{"a":1}}"#, #"{"rename":{"v":"_w"}}"#, #"{"rename":{"v":"recordName"}}"#,
      #"{"retype":{"v":"text"}}"#, #"{"drop":"v"}"#, #"{"drop":[1]}"#, #"{"remove":["v"]}"#, "[]", "1",
    ])
  func faults(_ changes: String) throws {
    let client = service.connect()
    _ = try save(["v": 1], client)
    let data = try client.failure(
      "saveRecordType", ["recordType": ["name": "Item"], "changes": JSONNode(try JSON(parsing: changes))])
    #expect(data["errorCode"] == "invalidArguments")
  }
}
