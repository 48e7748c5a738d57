import InProcessService
import JSONRPC
import Testing

struct FetchChangesTests {
  let service = InProcessService()

  @discardableResult
  private func save(
    _ client: InProcessClient, _ name: String, _ fields: JSONNode, type: String = "Item"
  ) throws -> JSONNode {
    let record: JSONNode = [
      "recordType": .string(type), "recordName": .string(name), "fields": fields,
    ]
    return try client.result("saveRecord", ["record": record, "savePolicy": "allKeys"])["changeToken"]
      ?? .null
  }

  private func changes(_ reply: JSONNode) -> [JSONNode] { reply["changes"]?.array ?? [] }

  @Test("A change is the same as in a push of the same time")
  func sameAsPushed() throws {
    let client = service.connect()
    try save(client, "a", ["v": 1, "w": 1])
    let token = try save(client, "b", ["v": 1])
    try save(client, "a", ["v": 2])
    _ = try client.result("deleteRecord", ["recordName": "b"])
    try save(client, "c", ["v": 3])
    let reader = service.connect()
    let page = try reader.result("fetchChanges", ["since": token])
    _ = try reader.result("subscribe", ["since": token])
    let push = try reader.receive()["params"]
    #expect(page["changes"] == push?["changes"])
    #expect(page["changeToken"] == push?["changeToken"])
    #expect(page["moreComing"] == false)
    #expect(page["deletedZones"] == [])
    #expect(changes(page).map { $0["reason"]?.text } == ["updated", "deleted", "created"])
  }

  @Test("What was there before comes along where it is asked for")
  func previous() throws {
    let client = service.connect()
    try save(client, "a", ["v": 1, "w": 1])
    let token = try save(client, "b", ["v": 1, "w": 2])
    try save(client, "a", ["v": 2, "x": 5])
    _ = try client.result("deleteRecord", ["recordName": "b"])
    let page = try client.result("fetchChanges", ["since": token, "includePrevious": true])
    #expect(
      changes(page).map { $0["previous"] } == [
        ["fields": ["v": 1, "x": .null, "w": 1]], ["fields": ["v": 1, "w": 2]],
      ])
    let some = try client.result(
      "fetchChanges", ["since": token, "includePrevious": true, "desiredKeys": ["v"]])
    #expect(
      changes(some).map { $0["previous"] } == [["fields": ["v": 1]], ["fields": ["v": 1]]])
    #expect(changes(some)[0]["record"]?["fields"] == ["v": 2])
  }

  @Test("Without since everything comes in pages, and their last token is good for subscribe")
  func everything() throws {
    let client = service.connect()
    for name in ["a", "b", "c", "d", "e"] { try save(client, name, ["v": 1]) }
    try save(client, "o", [:], type: "Other")
    var params: JSONNode = ["recordType": "Item", "resultsLimit": 2]
    var told: [JSONNode] = []
    var page: JSONNode
    repeat {
      page = try client.result("fetchChanges", params)
      told += changes(page)
      if told.count == 2 { try save(client, "a", ["v": 2]) }
      params = ["recordType": "Item", "resultsLimit": 2, "since": page["changeToken"] ?? .null]
    } while page["moreComing"] == true
    #expect(told.map { $0["recordName"]?.text } == ["a", "b", "c", "d", "e", "a"])
    #expect(told.map { $0["reason"]?.text } == Array(repeating: "created", count: 5) + ["updated"])
    #expect(told[0]["origin"] == ["userRecordName": "_1000", "isOwn": false])
    _ = try client.result("subscribe", ["since": page["changeToken"] ?? .null])
    try save(client, "f", [:])
    #expect(try client.receive()["params"]?["changes"]?[0]?["recordName"] == "f")
  }

  @Test("Tokens that are no good are refused with the reason and a fresh one")
  func tokens() throws {
    let foreign = try save(InProcessService().connect(), "a", [:])
    let client = service.connect()
    let own = try save(client, "a", [:])
    for token in [foreign, "", "not a token", .string("r.1.\(foreign.text)")] {
      let data = try client.failure("fetchChanges", ["since": token])
      #expect(data["errorCode"] == "changeTokenExpired")
      #expect(data["reason"] == "otherStore")
      #expect(data["changeToken"] == own)
    }
    #expect(try client.failure("fetchChanges", ["zoneName": "z"])["errorCode"] == "zoneNotFound")
    #expect(try client.failure("fetchChanges", ["resultsLimit": 0])["parameter"] == "resultsLimit")
  }

  @Test("A long log is gone through apart, and what the connection asks next waits for it")
  func longLog() throws {
    let client = service.connect()
    let token = try save(client, "first", [:])
    for round in 0..<3 {
      let operations = (0..<1000).map { index -> JSONNode in
        [
          "operationType": "forceReplace",
          "record": [
            "recordType": "Item", "recordName": .string("r\(index)"), "fields": ["v": .int(Int64(round))],
          ],
        ]
      }
      _ = try client.result("modifyRecords", ["operations": .array(operations), "desiredKeys": []])
    }
    var names: Set<String> = []
    var page = try client.result("fetchChanges", ["since": token, "resultsLimit": 700])
    while true {
      for change in changes(page) {
        let isNew = names.insert(change["recordName"]?.text ?? "").inserted
        #expect(isNew)
        #expect(change["record"]?["fields"] == ["v": 2])
      }
      guard page["moreComing"] == true else { break }
      page = try client.result(
        "fetchChanges", ["since": page["changeToken"] ?? .null, "resultsLimit": 700])
    }
    #expect(names.count == 1000)
  }
}
