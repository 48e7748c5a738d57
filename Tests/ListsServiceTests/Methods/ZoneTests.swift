import InProcessService
import JSONRPC
import ListsService
import Testing

struct ZoneTests {
  let service = InProcessService()

  private func save(_ client: InProcessClient, _ record: JSONNode) throws {
    _ = try client.result("saveRecord", ["record": record, "savePolicy": "allKeys"])
  }

  private func names(_ reply: JSONNode, _ list: String = "records") -> [String] {
    (reply[list]?.array ?? []).map { $0["recordName"]?.text ?? "" }
  }

  @Test("Zones are made, listed and deleted")
  func life() throws {
    let client = service.connect()
    #expect(try client.result("saveZone", ["zoneName": "work"])["zone"] == ["zoneName": "work"])
    _ = try client.result("saveZone", ["zoneName": "work"])
    _ = try client.result("saveZone", ["zoneName": "_defaultZone"])
    #expect(
      try client.result("fetchZones")["zones"] == [["zoneName": "_defaultZone"], ["zoneName": "work"]])
    try save(client, ["recordType": "Item", "recordName": "a", "zoneName": "work", "fields": [:]])
    let reply = try client.result("deleteZone", ["zoneName": "work"])
    #expect(reply["zoneName"] == "work" && reply["deletedRecords"] == 1)
    let zones = try client.result("fetchZones")
    #expect(zones["zones"] == [["zoneName": "_defaultZone"]])
    #expect(zones["changeToken"] == reply["changeToken"])
    let none = try client.result("deleteZone", ["zoneName": "work", "ignoreMissing": true])
    #expect(none["deletedRecords"] == 0)
  }

  @Test("What can't be done to a zone is told")
  func refusals() throws {
    let service = InProcessService { $0.limits.maximumZones = 2 }
    let client = service.connect()
    for name in ["", "_own", "$own", "a\u{7}"] {
      #expect(
        try client.failure("saveZone", ["zoneName": .string(name)])["errorCode"] == "invalidArguments")
    }
    _ = try client.result("saveZone", ["zoneName": "z"])
    let data = try client.failure("saveZone", ["zoneName": "y"])
    #expect(data["errorCode"] == "limitExceeded" && data["limitName"] == "maximumZones")
    #expect(try client.result("serverInfo")["limits"]?["maximumZones"] == 2)
    #expect(try client.failure("deleteZone", ["zoneName": "y"])["errorCode"] == "zoneNotFound")
    #expect(
      try client.failure("deleteZone", ["zoneName": "_defaultZone"])["errorCode"] == "invalidArguments")
    for (method, params) in [
      ("performQuery", ["recordType": "Item", "zoneName": "y"]),
      ("fetchRecord", ["recordName": "a", "zoneName": "y"]),
      ("deleteRecord", ["recordName": "a", "zoneName": "y"]),
      ("fetchChanges", ["zoneName": "y"]),
      ("countRecords", ["recordType": "Item", "zoneName": "y"]),
    ] as [(String, JSONNode)] {
      #expect(try client.failure(method, params)["errorCode"] == "zoneNotFound", "\(method)")
    }
  }

  @Test("Every zone has its own records, for queries, batches and references")
  func ownRecords() throws {
    let client = service.connect()
    for zone in ["x", "y"] { _ = try client.result("saveZone", ["zoneName": .string(zone)]) }
    let field: JSONNode = ["type": "int64", "indexes": ["queryable", "sortable"]]
    _ = try client.result("saveRecordType", ["recordType": ["name": "Item", "fields": ["v": field]]])
    var operations: [JSONNode] = []
    for (zone, start) in [("x", 0), ("y", 10), ("_defaultZone", 20)] {
      for index in 0..<5 {
        operations.append([
          "operationType": "create",
          "record": [
            "recordType": "Item", "recordName": .string("r\(index)"), "zoneName": .string(zone),
            "fields": ["v": .int(Int64(start + index))],
          ],
        ])
      }
    }
    _ = try client.result("modifyRecords", ["operations": .array(operations)])
    let query: JSONNode = [
      "recordType": "Item", "predicate": "v >= 3", "zoneName": "x",
      "sortDescriptors": [["key": "v", "ascending": false]],
    ]
    #expect(names(try client.result("performQuery", query)) == ["r4", "r3"])
    #expect(try client.result("countRecords", ["recordType": "Item", "zoneName": "y"])["count"] == 5)
    try save(
      client,
      [
        "recordType": "Link", "recordName": "l", "zoneName": "x",
        "fields": ["to": ["$reference": ["recordName": "r1", "zoneName": "y"]]],
      ])
    let across: JSONNode = ["recordType": "Link", "predicate": "to.v == 11"]
    #expect(names(try client.result("performQuery", across)) == ["l"])
    _ = try client.result("deleteZone", ["zoneName": "y"])
    #expect(names(try client.result("performQuery", across)).isEmpty)
    #expect(try client.result("countRecords", ["recordType": "Item"])["count"] == 10)
    let other = try client.result(
      "performQuery", ["recordType": "Item", "predicate": "v >= 10 AND v < 20"])
    #expect(names(other).isEmpty)
  }

  @Test("A subscription of a zone hears of its records, deletions with the zone included, and of no others")
  func subscription() throws {
    let client = service.connect()
    for zone in ["x", "y"] { _ = try client.result("saveZone", ["zoneName": .string(zone)]) }
    let reader = service.connect()
    _ = try reader.result("subscribe", ["zoneName": "x"])
    for zone in ["x", "y"] {
      try save(client, ["recordType": "Item", "recordName": "a", "zoneName": .string(zone), "fields": [:]])
    }
    for zone in ["y", "x"] { _ = try client.result("deleteZone", ["zoneName": .string(zone)]) }
    var told: [JSONNode] = []
    while told.count < 2 { told += try reader.receive()["params"]?["changes"]?.array ?? [] }
    #expect(told.map { $0["zoneName"]?.text } == ["x", "x"])
    #expect(told.map { $0["reason"]?.text } == ["created", "deleted"])
  }

  @Test("Changes asked for tell the zones that were deleted")
  func deletedZones() throws {
    let client = service.connect()
    for zone in ["x", "y"] { _ = try client.result("saveZone", ["zoneName": .string(zone)]) }
    try save(client, ["recordType": "Item", "recordName": "a", "zoneName": "x", "fields": [:]])
    let start = try client.result("fetchZones")["changeToken"] ?? .null
    for zone in ["x", "y"] { _ = try client.result("deleteZone", ["zoneName": .string(zone)]) }
    let page = try client.result("fetchChanges", ["since": start])
    #expect(page["deletedZones"] == ["x", "y"])
    #expect(names(page, "changes") == ["a"])
    _ = try client.result("saveZone", ["zoneName": "x"])
    #expect(try client.result("fetchChanges", ["since": start])["deletedZones"] == ["y"])
  }
}
