import InProcessService
import JSONRPC
import ListsService
import Testing

/// What is the same request, and what its second answer is.
struct IdempotencyTests {
  let service = InProcessService()

  private func reply(_ client: InProcessClient, _ method: String, _ params: String) throws -> String {
    client.send(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#)
    return String(decoding: try client.receiveBytes(), as: UTF8.self)
  }

  @Test("All ways to write a request are the same, and the answer is the same to the byte")
  func canonical() throws {
    let client = service.connect()
    let first = try reply(
      client, "saveRecord",
      #"{"record":{"recordType":"Item","recordName":"a","fields":{"x":{"p":[1, 2],"q":"é"},"y":null}},"savePolicy":"allKeys","idempotencyKey":"k"}"#
    )
    #expect(first.contains(#""changeToken""#))
    for params in [
      #"{"idempotencyKey":"k","container":"default","database":"private","savePolicy":"allKeys","record":{"fields":{"y":null,"x":{"q":"\u00e9","p":[1,2]}},"recordName":"a","recordType":"Item"},"desiredKeys":null}"#,
      #"[{"recordType":"Item","recordName":"a","fields":{"x":{"p":[1,2],"q":"é"},"y":null}},"allKeys",null,"k"]"#,
    ] {
      #expect(try reply(client, "saveRecord", params) == first)
      #expect(try reply(service.connect(), "saveRecord", params) == first)
    }
    for params in [
      #"{"record":{"recordType":"Item","recordName":"a","fields":{"x":{"p":[2,1],"q":"é"},"y":null}},"savePolicy":"allKeys","idempotencyKey":"k"}"#,
      #"{"record":{"recordType":"Item","recordName":"a","fields":{"x":{"p":[1,2],"q":"é"},"y":null}},"idempotencyKey":"k"}"#,
      #"{"record":{"recordType":"Item","recordName":"a","fields":{"x":{"p":[1,2],"q":"é"},"y":null}},"savePolicy":"allKeys","desiredKeys":[],"idempotencyKey":"k"}"#,
    ] {
      #expect(try reply(client, "saveRecord", params).contains(#""reason":"keyReused""#))
    }
    // Keys of other databases and other methods.
    #expect(
      try reply(client, "deleteRecord", #"{"recordName":"a","idempotencyKey":"k"}"#).contains("keyReused"))
    #expect(
      try reply(
        client, "deleteRecord",
        #"{"recordName":"a","ignoreMissing":true,"database":"public","idempotencyKey":"k"}"#
      ).contains(#""deleted":false"#))
  }

  @Test("A batch is repeated with its failures, and tells a reused key as such")
  func batches() throws {
    let client = service.connect()
    let operations: JSONNode = [
      ["operationType": "create", "record": ["recordType": "Item", "recordName": "a", "fields": [:]]],
      ["operationType": "update", "record": ["recordType": "Item", "recordName": "none", "fields": [:]]],
      ["operationType": "create", "record": ["recordName": "no type"]],
    ]
    let params: JSONNode = ["operations": operations, "atomic": false, "idempotencyKey": "k"]
    let first = try client.result("modifyRecords", params)
    #expect(first["results"]?.array?.count == 3)
    #expect(try client.result("modifyRecords", params) == first)
    let other = try client.failure("modifyRecords", ["operations": [], "idempotencyKey": "k"])
    #expect(other["errorCode"] == "invalidArguments" && other["reason"] == "keyReused")
    // All or nothing, and nothing: the key stays free.
    let failed: JSONNode = ["operations": operations, "idempotencyKey": "l"]
    #expect(try client.failure("modifyRecords", failed)["errorCode"] == "batchRequestFailed")
    #expect(try client.result("modifyRecords", ["operations": [], "idempotencyKey": "l"])["results"] == [])
  }

  @Test("Subscribers hear of it once, and both askers at once get one answer")
  func pushes() throws {
    let client = service.connect()
    _ = try client.result("subscribe", ["recordType": "Item"])
    let save = #"{"record":{"recordType":"Item","fields":{"v":1}},"idempotencyKey":"k"}"#
    let others = (0..<3).map { _ in service.connect() }
    for other in others {
      other.send(#"{"jsonrpc":"2.0","id":1,"method":"saveRecord","params":\#(save)}"#)
    }
    let replies = try others.map { String(decoding: try $0.receiveBytes(), as: UTF8.self) }
    // Without a name the service made one: the same for all.
    #expect(Set(replies).count == 1)
    #expect(try client.takePushes().count == 1)
  }

  @Test("A key has 1 to 255 bytes")
  func form() throws {
    let client = service.connect()
    for key: JSONNode in ["", .string(String(repeating: "k", count: 256)), 7] {
      let data = try client.failure("deleteRecord", ["recordName": "a", "idempotencyKey": key])
      #expect(data["errorCode"] == "invalidArguments" && data["parameter"] == "idempotencyKey")
    }
    let longest: JSONNode = .string(String(repeating: "k", count: 255))
    _ = try client.result(
      "deleteRecord", ["recordName": "a", "ignoreMissing": true, "idempotencyKey": longest])
  }
}
