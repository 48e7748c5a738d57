import InProcessService
import JSONRPC
import Testing

struct DistinctValuesTests {
  let service = InProcessService()

  private func fill(_ client: InProcessClient, _ count: Int) throws {
    for start in stride(from: 0, to: count, by: 1000) {
      let operations = (start..<min(start + 1000, count)).map { index -> JSONNode in
        [
          "operationType": "create",
          "record": [
            "recordType": "Item", "recordName": .string("r\(index)"),
            "fields": index % 5 == 4 ? [:] : ["v": .int(Int64(index % 5)), "n": .int(Int64(index))],
          ],
        ]
      }
      _ = try client.result("modifyRecords", ["operations": .array(operations), "desiredKeys": []])
    }
  }

  @Test("Values come with their counts, in pages")
  func pages() throws {
    let client = service.connect()
    try fill(client, 50)
    let first = try client.result("distinctValues", ["recordType": "Item", "key": "v", "resultsLimit": 3])
    #expect(
      first["values"] == [
        ["value": .null, "count": 10], ["value": 0, "count": 10], ["value": 1, "count": 10],
      ])
    let second = try client.result(
      "distinctValues",
      [
        "recordType": "Item", "key": "v", "resultsLimit": 3, "cursor": first["cursor"] ?? .null,
        "explain": true,
      ])
    #expect(second["values"] == [["value": 2, "count": 10], ["value": 3, "count": 10]])
    #expect(second["cursor"] == nil)
    #expect(second["plan"]?["rowsReturned"] == 2)
    #expect(second["changeToken"]?.string != nil)
  }

  @Test("What takes long is worked out apart")
  func long() throws {
    let client = service.connect()
    try fill(client, 5000)
    let page = try client.result(
      "distinctValues", ["recordType": "Item", "key": "v", "predicate": "n < 2500 OR n == nil"])
    #expect(page["values"]?.elements.map { $0["count"] } == [1000, 500, 500, 500, 500])
  }

  @Test("What is no key is refused")
  func badKey() throws {
    let client = service.connect()
    #expect(
      try client.failure("distinctValues", ["recordType": "Item", "key": "a..b"])["parameter"] == "key")
    #expect(try client.failure("distinctValues", ["recordType": "Item"])["parameter"] == "key")
  }
}
