import InProcessService
import JSONRPC
import ListsService
import Testing

/// Subscriptions that have much to get at once share one turn, after which requests have theirs.
struct FeedingTurnTests {
  let service = InProcessService { $0.limits.maximumQueuedBytes = 4000 }
  let writer: InProcessClient

  init() { writer = service.connect() }

  /// Records `r0`… with a text to search, in one commit.
  private func save(_ count: Int) throws {
    let text = JSONNode.string(String(repeating: "lorem ipsum ", count: 30))
    let operations = (0..<count).map { index -> JSONNode in
      [
        "operationType": "forceReplace",
        "record": [
          "recordType": "Item", "recordName": .string("r\(index)"),
          "fields": ["n": .int(Int64(index)), "t": text],
        ],
      ]
    }
    _ = try writer.result("modifyRecords", ["operations": .array(operations), "desiredKeys": []])
  }

  /// A filter that no index serves, which one record passes. Each number makes another one.
  private func subscribe(_ number: Int, _ more: [(String, JSONNode)] = []) -> JSONNode {
    let params: [(String, JSONNode)] =
      [("recordType", "Item"), ("predicate", .string("n = 5 OR t CONTAINS 'ipsum \(number)'"))] + more
    return [
      "jsonrpc": "2.0", "id": .int(Int64(number)), "method": "subscribe", "params": .object(params),
    ]
  }

  /// Takes pushes until each of `count` subscriptions was told of the one record.
  private func receive(upTo count: Int, beginningWith pushes: [JSONNode], by client: InProcessClient) throws {
    var told: [String: Int] = [:]
    func take(_ push: JSONNode) {
      let changes = push["params"]?["changes"]?.array?.count ?? 0
      if changes > 0 { told[push["params"]?["subscriptionID"]?.text ?? "", default: 0] += changes }
    }
    for push in pushes { take(push) }
    while told.count < count { take(try client.receive()) }
    #expect(told.values.allSatisfy { $0 == 1 })
  }

  @Test("A batch of subscriptions is answered, and a part of them fed; the others are in the turns after it")
  func batch() throws {
    // Few enough that they are not looked for apart.
    try save(60)
    let reader = service.connect()
    let count = 300
    reader.send(.array((1...count).map { subscribe($0, [("sendInitial", true)]) }))
    let messages = try reader.takeMessages()
    #expect(messages.first?.array?.count == count)
    #expect(messages.count < count / 2)
    try receive(upTo: count, beginningWith: Array(messages.dropFirst()), by: reader)
  }

  @Test("Connections that resume at once share a turn")
  func resumption() throws {
    let token = try writer.result("saveRecord", ["record": ["recordType": "Other"]])["changeToken"] ?? .null
    try save(400)
    let readers = (0..<100).map { _ in service.connect() }
    for reader in readers {
      reader.send(subscribe(1, [("since", token)]))
    }
    let messages = try readers.map { try $0.takeMessages() }
    #expect(messages.allSatisfy { $0.first?["id"] == 1 })
    #expect(messages.filter { $0.count > 1 }.count < readers.count / 2)
    for (reader, messages) in zip(readers, messages) {
      try receive(upTo: 1, beginningWith: Array(messages.dropFirst()), by: reader)
    }
  }

  @Test("Subscriptions of a connection that reads again share a turn")
  func draining() throws {
    let reader = service.connect()
    let count = 200
    reader.send(.array((1...count).map { subscribe($0) }))
    _ = try reader.takeMessages()
    service.settle()
    reader.outbound.stall()
    let text = JSONNode.string(String(repeating: "x", count: 5000))
    reader.send(["jsonrpc": "2.0", "id": 0, "method": "echo", "params": [text]])
    try save(400)
    service.settle()
    #expect(try reader.takeMessages().count == 1)
    reader.outbound.drain()
    reader.session.outboundDidDrain()
    let pushes = try reader.takeMessages()
    #expect(pushes.count < count / 2)
    try receive(upTo: count, beginningWith: pushes, by: reader)
  }

  @Test("A replay as a filter that follows references sees it goes in pages of 500 rows of the log")
  func pagesThroughReferences() throws {
    let token = try writer.result("saveRecord", ["record": ["recordType": "Other"]])["changeToken"] ?? .null
    let count = 1600
    for number in 1...count {
      let record: JSONNode = [
        "recordType": "Item", "recordName": "a", "fields": ["n": .int(Int64(number))],
      ]
      writer.send([
        "jsonrpc": "2.0", "method": "saveRecord", "params": ["record": record, "savePolicy": "allKeys"],
      ])
    }
    _ = try writer.result("fetchRecord", ["recordName": "a"])
    let reader = service.connect()
    _ = try reader.result(
      "subscribe", ["recordType": "Item", "predicate": "n > 0 OR list.n > 0", "since": token])
    let pushes = try reader.takePushes().filter { $0["params"]?["changes"]?.array?.isEmpty == false }
    #expect(pushes.count >= count / 500)
    #expect(pushes.last?["params"]?["changes"]?.elements.last?["record"]?["fields"]?["n"] == 1600)
  }
}
