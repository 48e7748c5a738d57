import JSONRPC
import ServiceFixture
import Testing

/// What users of other systems reported of saving, each as it would have shown here.
@Suite("Faults reported of saves")
struct SaveFaultsTests {
  let service: ListsdProcess
  let connection: LineConnection

  init() throws {
    service = try ListsdProcess()
    connection = try service.connect()
  }

  func save(_ value: Int, tag: String?) throws -> JSON {
    let tag = tag.map { ",\"recordChangeTag\":\"\($0)\"" } ?? ""
    return try connection.reply(
      to: "saveRecord",
      """
      {"record":{"recordType":"Item","recordName":"a"\(tag),"fields":{"v":\(value)}},\
      "savePolicy":"ifServerRecordUnchanged"}
      """)
  }

  @Test("A conflict carries the record that won, so that a client whose reply was lost can go on")
  func conflictsCarryTheServersRecord() throws {
    let first = try #require(try save(1, tag: nil)["result"]?["record"]?["recordChangeTag"]?.stringValue)
    let second = try #require(try save(2, tag: first)["result"]?["record"]?["recordChangeTag"]?.stringValue)
    for stale in [try save(3, tag: first), try save(4, tag: nil)] {
      let error = try #require(stale["error"])
      #expect(error.errorCode == "serverRecordChanged")
      #expect(error["data"]?["serverRecord"]?["fields"]?["v"]?.int64Value == 2)
      #expect(error["data"]?["serverRecord"]?["recordChangeTag"]?.stringValue == second)
    }
    // The second save again, as after a lost reply: what the conflict carries shows that it had landed.
    let again = try save(2, tag: first)
    let landed = again["error"]?["data"]?["serverRecord"] ?? again["result"]?["record"]
    #expect(landed?["fields"]?["v"]?.int64Value == 2)
    #expect(landed?["recordChangeTag"]?.stringValue == second)
  }

  @Test("One bad record in an atomic batch: the cause stands at it, nothing is stored, nobody is told")
  func atomicBatches() throws {
    let subscriber = try service.connect()
    _ = try subscriber.result(of: "subscribe", #"{"recordType":"Item"}"#)
    func operation(_ name: String, _ tag: String = "") -> String {
      let record = "{\"recordType\":\"Item\",\"recordName\":\"\(name)\"\(tag),\"fields\":{\"v\":1}}"
      return "{\"operationType\":\"\(tag.isEmpty ? "create" : "update")\",\"record\":\(record)}"
    }
    let operations = [operation("a"), operation("b", #","recordChangeTag":"bogus""#), operation("c")]
    let error = try connection.error(
      of: "modifyRecords", "{\"operations\":[\(operations.joined(separator: ","))],\"atomic\":true}")
    #expect(error.errorCode == "batchRequestFailed")
    let causes = (error["data"]?["results"]?.elements).map { $0.map { $0["error"]?.errorCode } }
    #expect(causes?.first == .some("batchRequestFailed") && causes?.last == .some("batchRequestFailed"))
    #expect(causes?[1] != nil && causes?[1] != "batchRequestFailed")
    let fetched = try connection.result(of: "fetchRecords", #"{"recordNames":["a","b","c"]}"#)
    #expect(
      (fetched["results"]?.elements).map { $0.allSatisfy { $0["error"]?.errorCode == "unknownItem" } } == true
    )
    #expect(try subscriber.reply(to: "echo", "[1]")["result"]?.text == "[1]", "nothing was pushed")
  }

  @Test("A batch over the limit is refused whole, with the limit and the count")
  func batchLimit() throws {
    let limit = try #require(
      try connection.result(of: "serverInfo", "{}")["limits"]?["maximumItems"]?.int64Value)
    let operations = (0...limit).map {
      "{\"operationType\":\"forceReplace\",\"record\":{\"recordType\":\"Item\",\"recordName\":\"r\($0)\",\"fields\":{}}}"
    }
    let error = try connection.error(
      of: "modifyRecords", "{\"operations\":[\(operations.joined(separator: ","))]}")
    #expect(error.errorCode == "limitExceeded")
    #expect(error["data"]?["limit"]?.int64Value == limit)
    #expect(error["data"]?["actual"]?.int64Value == limit + 1)
    #expect(try connection.result(of: "countRecords", #"{"recordType":"Item"}"#)["count"]?.int64Value == 0)
    let deletion = "{\"operationType\":\"forceDelete\",\"record\":{\"recordName\":\"r0\"}}"
    let full = operations.dropLast() + [deletion]
    #expect(
      try connection.error(of: "modifyRecords", "{\"operations\":[\(full.joined(separator: ","))]}").errorCode
        == "limitExceeded", "deletions count like saves")
  }

  @Test("Clients that save under their tag and retry lose no increment")
  func noLostIncrement() async throws {
    try connection.save("n", #"{"v":0}"#)
    let path = service.socketPath
    let (clients, loops) = (20, 25)
    let tags = try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<clients {
        group.addTask {
          let connection = try LineConnection(to: path)
          return try (0..<loops).map { _ in try increment(on: connection) }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let final = try connection.result(of: "fetchRecord", #"{"recordName":"n"}"#)["record"]
    #expect(final?["fields"]?["v"]?.int64Value == Int64(clients * loops))
    #expect(Set(tags).count == clients * loops, "no tag was given out twice")
  }
}

/// Reads `n`, saves it one higher under its tag, and again until that succeeds; returns the new tag.
private func increment(on connection: LineConnection) throws -> String {
  while true {
    let record = try connection.result(of: "fetchRecord", #"{"recordName":"n"}"#)["record"]
    let (value, tag) = (record?["fields"]?["v"]?.int64Value ?? 0, record?["recordChangeTag"]?.text ?? "null")
    let reply = try connection.reply(
      to: "saveRecord",
      "{\"record\":{\"recordType\":\"Item\",\"recordName\":\"n\",\"recordChangeTag\":\(tag),\"fields\":{\"v\":\(value + 1)}}}"
    )
    if let saved = reply["result"]?["record"]?["recordChangeTag"]?.stringValue { return saved }
    guard reply["error"]?.errorCode == "serverRecordChanged" else { throw FixtureError(reply.text) }
  }
}
