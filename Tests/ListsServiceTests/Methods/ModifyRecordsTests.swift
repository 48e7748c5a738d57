import InProcessService
import JSONRPC
import ListsService
import Testing

struct ModifyRecordsTests {
  let client = InProcessService().connect()

  private func operation(_ type: String, _ name: String, _ fields: JSONNode = [:]) -> JSONNode {
    [
      "operationType": .string(type),
      "record": ["recordType": "Item", "recordName": .string(name), "fields": fields],
    ]
  }

  @Test("An atomic batch has its true cause at the true operation, though it be the only one")
  func atomicFailure() throws {
    let one = try client.failure("modifyRecords", ["operations": [operation("update", "nobody")]])
    #expect(one["errorCode"] == "batchRequestFailed")
    #expect(one["results"]?.elements.map { $0["error"]?["data"]?["errorCode"] } == ["unknownItem"])
    let three = try client.failure(
      "modifyRecords",
      ["operations": [operation("create", "a"), operation("update", "nobody"), operation("create", "b")]])
    #expect(
      three["results"]?.elements.map { $0["error"]?["data"]?["errorCode"] }
        == ["batchRequestFailed", "unknownItem", "batchRequestFailed"])
    #expect(try client.failure("fetchRecord", ["recordName": "a"])["errorCode"] == "unknownItem")
  }

  @Test("A record that can't be understood fails like any other operation")
  func badRecord() throws {
    let bad = operation("create", "_mine")
    let data = try client.failure("modifyRecords", ["operations": [operation("create", "a"), bad]])
    #expect(
      data["results"]?.elements.map { $0["error"]?["data"]?["errorCode"] }
        == ["batchRequestFailed", "invalidArguments"])
    let results = try client.result(
      "modifyRecords", ["operations": [bad, operation("create", "a"), bad], "atomic": false])["results"]
    #expect(results?[0]?["error"]?["code"] == -32602 && results?[2]?["error"]?["code"] == -32602)
    #expect(results?[1]?["record"]?["recordName"] == "a")
  }

  @Test("What is no operation at all is refused by its place")
  func malformedOperations() throws {
    for (wrong, text) in [
      (["operationType": "upsert", "record": [:]] as JSONNode, "operationType"),
      (["operationType": "create"], "record"),
      (["operationType": "create", "record": [:], "extra": 1], "extra"),
      (5, "operationType"),
    ] {
      let reply = try client.call("modifyRecords", ["operations": [operation("create", "a"), wrong]])
      #expect(reply["error"]?["data"]?["operation"] == 2)
      #expect(reply["error"]?["message"]?.text.contains(text) == true)
    }
  }

  @Test("No operations are no change")
  func empty() throws {
    #expect(try client.result("modifyRecords", ["operations": []])["results"] == [])
  }

  @Test("More operations than allowed are refused, with the limit and the count, and nothing is done")
  func limit() throws {
    let client = InProcessService { $0.limits.maximumItems = 2 }.connect()
    let operations = (1...3).map { operation("create", "r\($0)") }
    let data = try client.failure("modifyRecords", ["operations": .array(operations)])
    #expect(data["limitName"] == "maximumItems" && data["limit"] == 2 && data["actual"] == 3)
    #expect(try client.failure("fetchRecord", ["recordName": "r1"])["errorCode"] == "unknownItem")
  }

  @Test("A reply that grows too long goes on without fields, because what is done is done")
  func longReply() throws {
    let client = InProcessService { $0.limits.maximumReplyBytes = 1000 }.connect()
    let text = JSONNode.string(String(repeating: "x", count: 2000))
    let results = try client.result(
      "modifyRecords",
      ["operations": [operation("create", "a", ["t": text]), operation("create", "b", ["t": text])]])[
        "results"]
    #expect(results?[0]?["record"]?["fields"] == ["t": text])
    #expect(results?[1]?["record"]?["fields"] == [:])
  }
}
