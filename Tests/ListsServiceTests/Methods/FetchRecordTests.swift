import InProcessService
import JSONRPC
import ListsService
import Testing

struct FetchRecordTests {
  private func save(_ client: InProcessClient, _ name: String, _ fields: JSONNode) throws -> JSONNode? {
    try client.result(
      "saveRecord",
      ["record": ["recordType": "Item", "recordName": .string(name), "fields": fields]])["record"]
  }

  @Test("A record is given out as it was saved, byte for byte")
  func bytes() throws {
    let client = InProcessService().connect()
    let record = try save(client, "a", ["n": 1, "t": "é \"quoted\"", "d": 1.0]) ?? .null
    client.send(#"{"jsonrpc":"2.0","id":1,"method":"fetchRecord","params":{"recordName":"a"}}"#)
    let reply = String(decoding: try client.receiveBytes(), as: UTF8.self)
    #expect(reply == #"{"jsonrpc":"2.0","id":1,"result":{"record":\#(record)}}"#)
  }

  @Test("A record of another type than the one asked for is not found")
  func otherType() throws {
    let client = InProcessService().connect()
    _ = try save(client, "a", [:])
    let params: JSONNode = ["recordName": "a", "recordType": "Other"]
    #expect(try client.failure("fetchRecord", params)["errorCode"] == "unknownItem")
    #expect(try client.failure("deleteRecord", params)["errorCode"] == "unknownItem")
  }

  @Test("Several records come in the order asked for, an error in the place of one that isn't there")
  func several() throws {
    let client = InProcessService().connect()
    _ = try save(client, "a", [:])
    let results = try client.result("fetchRecords", ["recordNames": ["b", "a", "a"]])["results"]
    #expect(results?[0]?["recordName"] == "b")
    #expect(results?[0]?["error"]?["data"]?["errorCode"] == "unknownItem")
    #expect(results?[1]?["record"]?["recordName"] == "a" && results?[2] == results?[1])
  }

  @Test("A reply that would be too long is an error that says what to do")
  func longReply() throws {
    let client = InProcessService { $0.limits.maximumReplyBytes = 1000 }.connect()
    _ = try save(client, "a", ["t": .string(String(repeating: "x", count: 900))])
    let data = try client.failure("fetchRecords", ["recordNames": ["a", "a"]])
    #expect(data["limitName"] == "maximumReplyBytes")
    #expect(try client.result("fetchRecords", ["recordNames": ["a"], "desiredKeys": []])["results"] != nil)
  }

  @Test("A zone that isn't there is its own error")
  func missingZone() throws {
    let client = InProcessService().connect()
    let params: JSONNode = ["recordName": "a", "zoneName": "Nowhere"]
    #expect(try client.failure("fetchRecord", params)["errorCode"] == "zoneNotFound")
    #expect(try client.failure("deleteRecord", params)["errorCode"] == "zoneNotFound")
  }
}
