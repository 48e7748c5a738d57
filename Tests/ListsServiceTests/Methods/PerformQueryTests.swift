import InProcessService
import JSONRPC
import ListsService
import Synchronization
import Testing

struct PerformQueryTests {
  let service = InProcessService()

  private func fill(_ client: InProcessClient, _ count: Int) throws {
    for start in stride(from: 0, to: count, by: 1000) {
      let operations = (start..<min(start + 1000, count)).map { index -> JSONNode in
        [
          "operationType": "create",
          "record": [
            "recordType": "Item", "recordName": .string("r\(index)"),
            "fields": ["v": .int(Int64(index)), "even": .bool(index % 2 == 0)],
          ],
        ]
      }
      _ = try client.result("modifyRecords", ["operations": .array(operations), "desiredKeys": []])
    }
  }

  @Test("A query that takes long holds up what follows on its connection, and nobody else")
  func longQuery() throws {
    let client = service.connect()
    let other = service.connect()
    try fill(client, 5000)
    client.send(
      #"{"jsonrpc":"2.0","id":1,"method":"countRecords","params":{"recordType":"Item","predicate":"even == YES"}}"#
    )
    client.send(#"{"jsonrpc":"2.0","id":2,"method":"fetchRecord","params":{"recordName":"r1"}}"#)
    client.send(#"{"jsonrpc":"2.0","id":3,"method":"saveRecord","params":{"record":{"recordType":"Item"}}}"#)
    #expect(client.session.hasPendingWork)
    other.send(#"{"jsonrpc":"2.0","id":1,"method":"fetchRecord","params":{"recordName":"r1"}}"#)
    #expect(!other.outbound.isEmpty)
    let reply = try client.receive()
    #expect(reply["id"] == 1 && reply["result"]?["count"] == 2500)
    #expect(try client.receive()["id"] == 2)
    #expect(try client.receive()["id"] == 3)
  }

  @Test("Pages by cursor give each record once, whatever their size")
  func pages() throws {
    let client = service.connect()
    try fill(client, 3000)
    var names: Set<String> = []
    var cursor = JSONNode.null
    repeat {
      let page = try client.result(
        "performQuery",
        [
          "recordType": "Item", "predicate": "v >= 100", "resultsLimit": 700, "cursor": cursor,
          "sortDescriptors": [["key": "even"], ["key": "v", "ascending": false]], "desiredKeys": [],
        ])
      for record in page["records"]?.elements ?? [] {
        let isNew = names.insert(record["recordName"]?.text ?? "").inserted
        #expect(isNew)
      }
      cursor = page["cursor"] ?? .null
    } while cursor != .null
    #expect(names.count == 2900)
  }

  @Test("A page ends early rather than grow past what a reply may have")
  func longPages() throws {
    let client = InProcessService { $0.limits.maximumReplyBytes = 20_000 }.connect()
    let text = JSONNode.string(String(repeating: "x", count: 3000))
    for name in ["a", "b", "c", "d", "e", "f"] {
      _ = try client.result(
        "saveRecord",
        ["record": ["recordType": "Item", "recordName": .string(name), "fields": ["t": text]]])
    }
    var names: [String] = []
    var cursor = JSONNode.null
    var pages = 0
    repeat {
      let page = try client.result("performQuery", ["recordType": "Item", "cursor": cursor])
      names += (page["records"]?.elements ?? []).map { $0["recordName"]?.text ?? "" }
      cursor = page["cursor"] ?? .null
      pages += 1
    } while cursor != .null
    #expect(names == ["a", "b", "c", "d", "e", "f"])
    #expect(pages > 1)
  }

  @Test("A predicate that can't be read is told with its column")
  func badPredicate() throws {
    let reply = try service.connect().call(
      "performQuery", ["recordType": "Item", "predicate": "name = 'x' AND quantity >> 2"])
    #expect(reply["error"]?["code"] == -32602)
    #expect(reply["error"]?["data"]?["column"]?.number ?? 0 >= 25)
    #expect(reply["error"]?["data"]?["expected"] != nil)
  }

  @Test("Index titles stand once each, in the order of the sections")
  func indexTitles() throws {
    let client = service.connect()
    for name in ["apple", "Ant", "bee", "Bear"] {
      _ = try client.result(
        "saveRecord",
        ["record": ["recordType": "Item", "recordName": .string(name), "fields": ["n": .string(name)]]])
    }
    let page = try client.result(
      "performQuery",
      ["recordType": "Item", "sortDescriptors": [["key": "n"]], "sectionNameKey": "n"])
    #expect(page["sections"]?.elements.map { $0["name"] } == ["Ant", "Bear", "apple", "bee"])
    #expect(page["sectionIndexTitles"] == ["A", "B"])
  }

  // MARK: What comes beside the records

  private func save(_ client: InProcessClient, _ name: String, _ fields: JSONNode, type: String = "Item")
    throws
  {
    _ = try client.result(
      "saveRecord",
      ["record": ["recordType": .string(type), "recordName": .string(name), "fields": fields]])
  }

  private func names(_ page: JSONNode) -> [String] {
    (page["records"]?.elements ?? []).map { $0["recordName"]?.text ?? "" }
  }

  @Test("Records that others refer to come along whole, each once, also when they are not there")
  func include() throws {
    let client = service.connect()
    try save(client, "food", ["name": "Food"], type: "List")
    let food: JSONNode = ["$reference": ["recordName": "food"]]
    try save(client, "a", ["list": food])
    try save(client, "b", ["list": food, "others": [["$reference": ["recordName": "gone"]]]])
    let page = try client.result(
      "performQuery", ["recordType": "Item", "include": ["list", "others"], "desiredKeys": []])
    let included = try #require(page["included"]?.array)
    #expect(included.map { $0["recordName"] } == ["food", "gone"])
    #expect(included[0]["record"]?["fields"]?["name"] == "Food")
    #expect(included[1]["record"] == .null && included[1]["zoneName"] == "_defaultZone")
    let without = try client.result("performQuery", ["recordType": "Item"])
    #expect(without["included"] == nil && without["plan"] == nil)
    #expect(try client.result("performQuery", ["recordType": "Item", "include": []])["included"] == [])
    #expect(
      try client.failure("performQuery", ["recordType": "Item", "include": ["a..b"]])["parameter"]
        == "include")
  }

  @Test("A plan is told when it is asked for")
  func explain() throws {
    let client = service.connect()
    try save(client, "a", ["v": 1])
    for method in ["performQuery", "countRecords"] {
      let plan = try client.result(
        method, ["recordType": "Item", "predicate": "v == 1 AND w == nil", "explain": true])["plan"]
      #expect(plan?["access"] == "type" && plan?["index"] == .null)
      #expect(plan?["rowsExamined"] == 1 && plan?["rowsReturned"] == 1)
      #expect(plan?["unknownKeys"] == ["w"])
      #expect(plan?["reason"]?.text != "")
    }
  }

  @Test("A page starts at an index title; an unknown one is told with those that there are")
  func fromIndexTitle() throws {
    let client = service.connect()
    for name in ["pear", "apple", "plum"] { try save(client, name, ["n": .string(name)]) }
    var params: JSONNode = [
      "recordType": "Item", "sortDescriptors": [["key": "n"]], "sectionNameKey": "n", "fromIndexTitle": "P",
    ]
    #expect(names(try client.result("performQuery", params)) == ["pear", "plum"])
    params = [
      "recordType": "Item", "sortDescriptors": [["key": "n"]], "sectionNameKey": "n", "fromIndexTitle": "Q",
    ]
    let failure = try client.failure("performQuery", params)
    #expect(failure["errorCode"] == "unknownItem" && failure["known"] == ["A", "P"])
    #expect(
      try client.failure("performQuery", ["recordType": "Item", "fromIndexTitle": "P"])["parameter"]
        == "fromIndexTitle")
  }

  @Test("CloudKit's filters and sort descriptors stand in place of ours, not beside them")
  func cloudKitSpelling() throws {
    let client = service.connect()
    for name in ["a", "b", "c"] { try save(client, name, ["n": .string(name), "v": name == "b" ? 2 : 1]) }
    let filter: JSONNode = [
      ["fieldName": "v", "comparator": "EQUALS", "fieldValue": ["value": 1, "type": "INT64"]]
    ]
    let sort: JSONNode = [["fieldName": "n", "ascending": false]]
    let page = try client.result("performQuery", ["recordType": "Item", "filterBy": filter, "sortBy": sort])
    #expect(names(page) == ["c", "a"])
    #expect(try client.result("countRecords", ["recordType": "Item", "filterBy": filter])["count"] == 2)
    #expect(
      try client.failure(
        "performQuery", ["recordType": "Item", "filterBy": filter, "predicate": "v == 1"])["parameter"]
        == "filterBy")
    #expect(
      try client.failure(
        "performQuery", ["recordType": "Item", "sortBy": sort, "sortDescriptors": []])["parameter"]
        == "sortBy")
  }

  @Test("now() is on every page what it was on the first")
  func moment() throws {
    let time = Time()
    let client = InProcessService { $0.clock = { time.now } }.connect()
    for number in 0..<4 {
      try save(client, "\(number)", ["due": ["$date": .int(time.now + Int64(number) * 1000)]])
    }
    func page(_ cursor: JSONNode) throws -> JSONNode {
      try client.result(
        "performQuery",
        ["recordType": "Item", "predicate": "due <= now() + 1", "resultsLimit": 1, "cursor": cursor])
    }
    let first = try page(.null)
    time.advance(2000)
    let second = try page(try #require(first["cursor"]))
    #expect(names(first) + names(second) == ["0", "1"])
    #expect(second["cursor"] == nil)
    #expect(
      try client.result("countRecords", ["recordType": "Item", "predicate": "due <= now() + 1"])["count"] == 4
    )
  }
}

/// A clock that stands still until it is told.
final class Time: Sendable {
  private let milliseconds = Atomic<Int64>(1_796_000_000_000)

  var now: Int64 { milliseconds.load(ordering: .relaxed) }

  func advance(_ difference: Int64) { milliseconds.add(difference, ordering: .relaxed) }
}
