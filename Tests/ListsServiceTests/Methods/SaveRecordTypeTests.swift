import InProcessService
import JSONRPC
import ListsService
import Testing

struct SaveRecordTypeTests {
  let service = InProcessService()

  private func save(_ declaration: JSONNode, _ client: InProcessClient) throws -> JSONNode {
    try client.result("saveRecordType", ["recordType": declaration])["recordType"] ?? .null
  }

  @Test("what is declared is what fetchSchema shows")
  func declared() throws {
    let client = service.connect()
    let saved = try save(
      [
        "name": "Item",
        "fields": [
          "name": ["type": "string", "indexes": ["queryable", "sortable", "searchable"]],
          "tags": ["type": "list<string>", "indexes": ["queryable"]], "size": ["type": "int64"],
        ],
        "indexes": [["keys": ["list", "name"]], ["keys": ["codes"], "kind": "elements"]],
        "automaticIndexes": false,
      ], client)
    #expect(saved["numberOfRecords"] == 0)
    #expect(saved["automaticIndexes"] == false)
    #expect(
      saved["fields"] == [
        ["name": "name", "type": "string", "indexes": ["queryable", "sortable", "searchable"]],
        ["name": "size", "type": "int64", "indexes": []],
        ["name": "tags", "type": "list<string>", "indexes": ["queryable"]],
      ])
    let indexes = saved["indexes"]?.elements ?? []
    #expect(indexes.map { $0["keys"] } == [["name"], [], ["tags"], ["list", "name"], ["codes"]])
    #expect(
      indexes.map { $0["kind"]?.text } == ["ordered", "fullText", "elements", "ordered", "elements"])
    #expect(indexes.allSatisfy { $0["state"] == "ready" && $0["origin"] == "declared" })
    #expect(indexes.allSatisfy { $0["progress"] == nil && $0["uses"] == 0 && $0["lastUsed"] == .null })
    let schema = try client.result("fetchSchema")
    #expect(schema["recordTypes"] == [saved])
    #expect(try client.result("fetchSchema", ["recordType": "Item"])["recordTypes"] == [saved])
  }

  @Test("an index is built behind the reply, and queries answer the same before and after")
  func built() throws {
    let client = service.connect()
    for number in 0..<20 {
      _ = try client.result(
        "saveRecord",
        [
          "record": [
            "recordType": "Item", "recordName": .string("r\(number)"),
            "fields": ["v": .int(Int64(number % 3))],
          ]
        ])
    }
    let query: JSONNode = ["recordType": "Item", "predicate": "v == 1", "desiredKeys": []]
    let before = try client.result("performQuery", query)["records"]
    _ = try save(["name": "Item", "fields": ["v": ["indexes": ["queryable"]]]], client)
    var index: JSONNode?
    repeat {
      // Each write is a delivery, so that there is always one to wait for.
      _ = try save(["name": "Other"], client)
      index = try client.result("fetchSchema", ["recordType": "Item"])["recordTypes"]?.elements[0]["indexes"]?
        .elements[0]
    } while index?["state"] == "building"
    #expect(index?["entries"] == 20)
    #expect(try client.result("performQuery", query)["records"] == before)
  }

  @Test(
    "what is wrong is told, and nothing is declared",
    arguments: [
      #"{}"#, #"{"name":1}"#, #"{"name":"_x"}"#, #"{"name":"Item","field":{}}"#,
      #"{"name":"Item","name":"B"}"#,
      #"{"name":"Item","fields":[]}"#, #"{"name":"Item","fields":{"v":{"type":"text"}}}"#,
      #"{"name":"Item","fields":{"v":{"type":"int64","indexes":["fast"]}}}"#,
      #"{"name":"Item","fields":{"v":{"type":"int64"},"v":{"type":"int64"}}}"#,
      #"{"name":"Item","fields":{"recordName":{"type":"string"}}}"#,
      #"{"name":"Item","fields":{"v":{"indexes":["queryable"]}}}"#,
      #"{"name":"Item","fields":{"v":{"type":"int64","indexes":["searchable"]}}}"#,
      #"{"name":"Item","fields":{"v":{"type":"string","indexes":["queryable"],"collation":"localized"}}}"#,
      #"{"name":"Item","indexes":{}}"#, #"{"name":"Item","indexes":[{}]}"#,
      #"{"name":"Item","indexes":[{"keys":[]}]}"#,
      #"{"name":"Item","indexes":[{"keys":["a..b"]}]}"#,
      #"{"name":"Item","indexes":[{"keys":["a"],"kind":"fullText"}]}"#,
      #"{"name":"Item","indexes":[{"keys":["a"],"collation":"swedish"}]}"#,
      #"{"name":"Item","fields":{"to":{"type":"reference"}},"indexes":[{"keys":["to.name"]}]}"#,
      #"{"name":"Item","automaticIndexes":"no"}"#,
    ])
  func refused(declaration: String) throws {
    let client = service.connect()
    let json = JSONNode(try JSON(parsing: declaration))
    #expect(try client.failure("saveRecordType", ["recordType": json])["errorCode"] == "invalidArguments")
    #expect(try client.result("fetchSchema")["recordTypes"] == [])
  }

  @Test("a field of another type is a mismatch, with both types")
  func mismatch() throws {
    let client = service.connect()
    _ = try save(["name": "Item", "fields": ["v": ["type": "int64"]]], client)
    let failure = try client.failure(
      "saveRecordType", ["recordType": ["name": "Item", "fields": ["v": ["type": "string"]]]])
    #expect(failure["errorCode"] == "fieldTypeMismatch")
    #expect(failure["field"] == "v")
    #expect(failure["expected"] == "int64")
    #expect(failure["actual"] == "string")
  }

  @Test("limits are kept, also by a declaration that is very long")
  func limits() throws {
    let service = InProcessService { configuration in
      configuration.limits.maximumIndexes = 2
      configuration.limits.maximumFields = 3
    }
    let client = service.connect()
    func failure(_ declaration: JSONNode) throws -> JSONNode? {
      let failure = try client.failure("saveRecordType", ["recordType": declaration])
      return failure["errorCode"] == "limitExceeded" ? failure["limitName"] : nil
    }
    let indexes = (0..<3).map { ["keys": [.string("k\($0)")]] as JSONNode }
    #expect(try failure(["name": "Item", "indexes": .array(indexes)]) == "maximumIndexes")
    let same = Array(repeating: ["keys": ["k"]] as JSONNode, count: 20_000)
    #expect(try failure(["name": "Item", "indexes": .array(same)]) == "maximumIndexes")
    let fields = (0..<20_000).map { ("f\($0)", ["type": "int64"] as JSONNode) }
    #expect(try failure(["name": "Item", "fields": .object(fields)]) == "maximumFields")
    _ = try save(
      [
        "name": "Item", "fields": ["v": ["type": "int64", "indexes": ["queryable"]]],
        "indexes": [["keys": ["k"]]],
      ],
      client)
    let one = try failure(
      ["name": "Item", "fields": ["w": ["type": "int64", "indexes": ["sortable"]]]])
    #expect(one == "maximumIndexes")
    #expect(try client.result("serverInfo")["limits"]?["maximumIndexes"] == 2)
  }

  @Test("a type that is not there is an unknown item")
  func unknown() throws {
    let failure = try service.connect().failure("fetchSchema", ["recordType": "Item"])
    #expect(failure["errorCode"] == "unknownItem")
  }
}
