import InProcessService
import JSONRPC
import ListsService
import Testing

struct AggregateRecordsTests {
  let service = InProcessService()

  private func fill(_ client: InProcessClient, _ count: Int = 10) throws {
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

  @Test("Figures are called by their names, or by what they are")
  func figures() throws {
    let client = service.connect()
    try fill(client)
    let all = try client.result(
      "aggregateRecords",
      [
        "recordType": "Item",
        "aggregates": [
          ["function": "count"], ["function": "sum", "key": "v", "name": "total"],
          ["function": "avg", "key": "v"], ["function": "min", "key": "v"], ["function": "max", "key": "v"],
        ],
      ])
    #expect(
      all["groups"] == [
        [
          "group": [:],
          "values": ["count": 10, "total": 45, "avg(v)": 4.5, "min(v)": 0, "max(v)": 9],
        ]
      ])
    #expect(all["plan"] == nil)
  }

  @Test("Groups come in the order of their keys")
  func groups() throws {
    let client = service.connect()
    try fill(client)
    let grouped = try client.result(
      "aggregateRecords",
      [
        "recordType": "Item", "aggregates": [["function": "sum", "key": "v"]], "groupBy": ["even"],
        "predicate": "v < %@", "arguments": [5], "explain": true,
      ])
    #expect(
      grouped["groups"] == [
        ["group": ["even": false], "values": ["sum(v)": 4]],
        ["group": ["even": true], "values": ["sum(v)": 6]],
      ])
    #expect(grouped["plan"]?["rowsReturned"] == 2)
    let first = try client.result(
      "aggregateRecords",
      [
        "recordType": "Item", "aggregates": [["function": "count"]], "groupBy": ["v"], "resultsLimit": 2,
      ])
    #expect(first["groups"]?.elements.map { $0["group"]?["v"] } == [0, 1])
  }

  @Test("What takes long is worked out apart")
  func long() throws {
    let client = service.connect()
    try fill(client, 5000)
    let all = try client.result(
      "aggregateRecords", ["recordType": "Item", "aggregates": [["function": "sum", "key": "v"]]])
    #expect(all["groups"]?.elements.first?["values"]?["sum(v)"] == 12_497_500)
  }

  @Test("More groups than are kept in mind are refused with the limit's name")
  func tooManyGroups() throws {
    let client = InProcessService { $0.limits.maximumGroups = 9 }.connect()
    try fill(client)
    let failure = try client.failure(
      "aggregateRecords", ["recordType": "Item", "aggregates": [["function": "count"]], "groupBy": ["v"]])
    #expect(failure["errorCode"] == "limitExceeded")
    #expect(failure["limitName"] == "maximumGroups" && failure["limit"] == 9)
  }

  @Test(
    "What is no aggregate is refused",
    arguments: [
      [], [1], [["key": "v"]], [["function": "median", "key": "v"]], [["function": "sum"]],
      [["function": "sum", "key": "a..b"]], [["function": "sum", "key": 1]],
      [["function": "count", "surplus": "x"]], [["function": "count"], ["function": "count"]],
    ] as [JSONNode])
  func badAggregates(aggregates: JSONNode) throws {
    let client = service.connect()
    let failure = try client.failure("aggregateRecords", ["recordType": "Item", "aggregates": aggregates])
    #expect(failure["errorCode"] == "invalidArguments" && failure["parameter"] == "aggregates")
  }

  @Test("Keys to group by are key paths, each once")
  func badGroupKeys() throws {
    let client = service.connect()
    for keys in [["a", "a"], ["a..b"]] as [JSONNode] {
      let failure = try client.failure(
        "aggregateRecords",
        ["recordType": "Item", "aggregates": [["function": "count"]], "groupBy": keys])
      #expect(failure["parameter"] == "groupBy")
    }
  }
}
