import InProcessService
import JSONRPC
import ListsService
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
}
