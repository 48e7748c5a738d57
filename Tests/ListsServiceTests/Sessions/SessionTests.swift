import InProcessService
import JSONRPC
import ListsService
import Testing

struct SessionTests {
  let service = InProcessService()

  private func save(_ id: Int, _ name: String, _ value: Int) -> JSONNode {
    [
      "jsonrpc": "2.0", "id": .int(Int64(id)), "method": "saveRecord",
      "params": [
        "record": ["recordType": "Item", "recordName": .string(name), "fields": ["v": .int(Int64(value))]],
        "savePolicy": "allKeys",
      ],
    ]
  }

  private func fetch(_ id: Int, _ name: String) -> JSONNode {
    [
      "jsonrpc": "2.0", "id": .int(Int64(id)), "method": "fetchRecord",
      "params": ["recordName": .string(name)],
    ]
  }

  @Test("A read that was sent behind writes sees them, and replies keep the order of the requests")
  func readsSeeEarlierWrites() throws {
    let client = service.connect()
    for value in 1...20 { client.send(save(value, "a", value)) }
    client.send(fetch(21, "a"))
    client.send(["jsonrpc": "2.0", "id": 22, "method": "echo"])
    #expect(client.session.hasPendingWork)
    let replies = try (1...22).map { _ in try client.receive() }
    #expect(replies.map { $0["id"] } == (1...22).map { .int($0) })
    #expect(replies[20]["result"]?["record"]?["fields"] == ["v": 20])
    #expect(!client.session.hasPendingWork)
  }

  @Test("A read doesn't wait for the writes of others")
  func readsDontWaitForOthers() throws {
    let writer = service.connect()
    let reader = service.connect()
    _ = try writer.result("saveRecord", ["record": ["recordType": "Item", "recordName": "a"]])
    writer.send(save(9, "a", 2))
    reader.send(fetch(1, "a"))
    #expect(!reader.outbound.isEmpty)
    #expect(try writer.receive()["id"] == 9)
  }

  @Test("A refused request keeps its place behind a write that is under way")
  func errorsKeepTheirPlace() throws {
    let client = service.connect()
    client.send(save(1, "a", 1))
    client.send(["jsonrpc": "2.0", "id": 2, "method": "noSuchMethod"])
    client.send("{")
    #expect(try client.receive()["id"] == 1)
    #expect(try client.receive()["error"]?["code"] == -32601)
    #expect(try client.receive()["error"]?["code"] == -32700)
  }

  @Test("A batch is answered by one list, in order, once all its replies are there")
  func batches() throws {
    let client = service.connect()
    client.send([save(1, "a", 1), fetch(2, "a"), ["jsonrpc": "2.0", "method": "echo"], fetch(3, "b")])
    let reply = try client.receive()
    #expect([0, 1, 2].map { reply[$0]?["id"] } == [1, 2, 3])
    #expect(reply[1]?["result"]?["record"]?["fields"] == ["v": 1])
    #expect(reply[2]?["error"]?["data"]?["errorCode"] == "unknownItem")
    #expect(reply[3] == nil)
  }

  @Test("Odd batches: empty, of junk, of notifications, of a request and junk")
  func oddBatches() throws {
    let client = service.connect()
    client.send("[]")
    var reply = try client.receive()
    #expect(reply["id"] == .null && reply["error"]?["code"] == -32600)
    client.send("[1,2]")
    reply = try client.receive()
    #expect([0, 1].map { reply[$0]?["error"]?["code"] } == [-32600, -32600])
    client.send(#"[{"jsonrpc":"2.0","method":"echo"},{"jsonrpc":"2.0","method":"noSuchMethod"}]"#)
    #expect(client.outbound.isEmpty)
    client.send(#"[{"jsonrpc":"2.0","id":7,"method":"echo"},{}]"#)
    reply = try client.receive()
    #expect(reply[0]?["id"] == 7)
    #expect(reply[1]?["error"]?["code"] == -32600)
  }

  @Test("A batch beyond the limit gets one error, and nothing of it is done")
  func batchLimit() throws {
    let service = InProcessService { $0.limits.maximumBatchCalls = 2 }
    let client = service.connect()
    client.send([save(1, "a", 1), save(2, "b", 1), save(3, "c", 1)])
    let data = try client.receive()["error"]?["data"]
    #expect(data?["limitName"] == "maximumBatchCalls")
    #expect(data?["limit"] == 2 && data?["actual"] == 3)
    #expect(try client.result("countRecords", ["recordType": "Item"])["count"] == 0)
  }

  @Test("A batch whose replies grow too long is refused from there on, and nothing more of it is done")
  func longBatch() throws {
    let service = InProcessService { $0.limits.maximumReplyBytes = 1000 }
    let client = service.connect()
    let echo: JSONNode = [
      "jsonrpc": "2.0", "id": 1, "method": "echo", "params": [.string(String(repeating: "x", count: 1100))],
    ]
    client.send([echo, save(2, "a", 1)])
    let reply = try client.receive()
    #expect(reply[0]?["result"] != nil)
    #expect(reply[1]?["error"]?["data"]?["limitName"] == "maximumReplyBytes")
    client.send(fetch(3, "a"))
    #expect(try client.receive()["error"]?["data"]?["errorCode"] == "unknownItem")
  }

  @Test(
    "Ids come back as they were sent",
    arguments: ["\"1\"", "9007199254740993", "3.5", "-0", "1e2", "null", "\"\\u00e9\""])
  func ids(id: String) throws {
    let client = service.connect()
    client.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"echo"}"#)
    let reply = try JSON(parsing: client.receiveBytes())
    #expect(reply["id"]?.text == id)
  }

  @Test("Ids that can't be returned get -32600 with id null", arguments: ["1e400", "{}", "[1]", "true"])
  func impossibleIDs(id: String) throws {
    let client = service.connect()
    client.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"echo"}"#)
    let reply = try client.receive()
    #expect(reply["id"] == .null && reply["error"]?["code"] == -32600)
  }

  @Test("A notification takes effect and is not answered, not even when it fails")
  func notifications() throws {
    let client = service.connect()
    client.send(
      #"{"jsonrpc":"2.0","method":"saveRecord","params":{"record":{"recordType":"Item","recordName":"a"}}}"#)
    client.send(
      #"{"jsonrpc":"2.0","method":"saveRecord","params":{"record":{"recordType":"Item","recordName":"a"}}}"#)
    client.send(fetch(1, "a"))
    #expect(try client.receive()["result"] != nil)
    #expect(!client.session.hasPendingWork)
  }

  @Test("Reading pauses while too many requests are unanswered, and resumes")
  func requestsInFlight() throws {
    let service = InProcessService { $0.limits.maximumRequestsInFlight = 3 }
    let client = service.connect()
    var resumed = 0
    client.session.inputDidResume = { resumed += 1 }
    for id in 1...3 { client.send(save(id, "a", id)) }
    #expect(!client.session.acceptsInput)
    for _ in 1...3 { _ = try client.receive() }
    #expect(client.session.acceptsInput)
    #expect(resumed == 1)
  }

  @Test("A peer that doesn't read its replies gets no more of them made until it does")
  func unreadReplies() throws {
    let service = InProcessService { $0.limits.maximumQueuedBytes = 1000 }
    let client = service.connect()
    client.outbound.stall()
    let text = String(repeating: "x", count: 600)
    for id in Int64(1)...5 {
      client.send(["jsonrpc": "2.0", "id": .int(id), "method": "echo", "params": [.string(text)]])
    }
    #expect(!client.session.acceptsInput)
    #expect(client.outbound.queuedBytes < 2000)
    client.outbound.drain()
    client.session.outboundDidDrain()
    #expect(client.session.acceptsInput)
    #expect(try (1...5).map { _ in try client.receive()["id"] } == (1...5).map { .int($0) })
  }

  @Test("What waited for a peer to read takes effect once there is room, and nothing is pending then")
  func waitingForRoom() throws {
    let service = InProcessService { $0.limits.maximumQueuedBytes = 1000 }
    let client = service.connect()
    _ = try client.result("subscribe", ["recordType": "Item"])
    client.outbound.stall()
    let text = String(repeating: "x", count: 2000)
    client.send(["jsonrpc": "2.0", "id": 10, "method": "echo", "params": [.string(text)]])
    client.send(save(11, "a", 1))
    client.send(fetch(12, "a"))
    #expect(service.service.hasPendingWork)
    client.outbound.drain()
    client.session.outboundDidDrain()
    let other = service.connect()
    while service.service.hasPendingWork { try service.turn() }
    client.session.close()
    #expect(try other.result("countRecords", ["recordType": "Item"])["count"] == 1)
    #expect(service.service.isIdle)
  }

  @Test("A client that ends its input gets its answers, then the end")
  func finishedInput() throws {
    let client = service.connect()
    client.send(save(1, "a", 1))
    client.session.finishInput()
    #expect(client.outbound.endReason == nil)
    _ = try client.receive()
    #expect(client.outbound.endReason != nil)
  }

  @Test("A client that ends its input goes on being told of changes")
  func finishedInputWithSubscription() throws {
    let client = service.connect()
    _ = try client.result("subscribe", ["recordType": "Item"])
    client.session.finishInput()
    _ = try service.connect().result(
      "saveRecord", ["record": ["recordType": "Item", "recordName": "a"]])
    #expect(try client.receive()["method"] == "recordsChanged")
    #expect(client.outbound.endReason == nil)
  }

  @Test("What was accepted takes effect though the connection is gone")
  func closedConnection() throws {
    let client = service.connect()
    client.send(save(1, "a", 1))
    client.send(fetch(2, "a"))
    client.session.close()
    let other = service.connect()
    other.send(save(1, "b", 1))
    _ = try other.receive()
    #expect(try other.result("countRecords", ["recordType": "Item"])["count"] == 2)
    #expect(client.outbound.isEmpty)
    #expect(!service.service.hasPendingWork)
  }

  @Test("Damaged framing is answered, then the connection ends")
  func unrecoverableFraming() throws {
    let client = service.connect()
    _ = try client.result("subscribe", ["recordType": "Item"])
    client.session.receive(.unrecoverable(reason: "no Content-Length"))
    #expect(try client.receive()["error"]?["code"] == -32700)
    #expect(client.outbound.endReason != nil)
  }

  @Test("A message that is too long gets one error, and the connection goes on")
  func tooLarge() throws {
    let client = service.connect()
    client.session.receive(.tooLarge(limit: 100))
    let reply = try client.receive()
    #expect(reply["error"]?["data"]?["errorCode"] == "limitExceeded")
    #expect(reply["error"]?["data"]?["limit"] == 100)
    #expect(try client.result("echo", [1]) == [1])
  }
}
