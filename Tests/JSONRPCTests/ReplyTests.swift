import JSONRPC
import Testing

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

@Suite struct ReplyTests {
  @Test("replies have the members of JSON-RPC 2.0, on one line")
  func replies() {
    #expect(
      text(Reply.result(id: RequestID(7), result: Array("{\"a\":1}".utf8)))
        == #"{"jsonrpc":"2.0","id":7,"result":{"a":1}}"#)
    #expect(
      text(Reply.result(id: RequestID("\n"), result: "null".utf8))
        == #"{"jsonrpc":"2.0","id":"\n","result":null}"#)
    #expect(
      text(Reply.error(id: .null, RPCError(code: -1, message: "\"")))
        == #"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"\""}}"#)
    #expect(
      text(Reply.error(id: .null, .methodNotFound("x")))
        == #"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found: \"x\"","data":{"errorCode":"methodNotFound"}}}"#
    )
    #expect(
      text(Reply.notification(method: "n", params: "[]".utf8))
        == #"{"jsonrpc":"2.0","method":"n","params":[]}"#)
    #expect(
      text(Reply.request(id: RequestID(1), method: "m", params: nil))
        == #"{"jsonrpc":"2.0","id":1,"method":"m"}"#)
    #expect(
      text(Reply.request(id: RequestID("a"), method: "m", params: Array("{}".utf8)))
        == #"{"jsonrpc":"2.0","id":"a","method":"m","params":{}}"#)
  }

  @Test("the replies of a batch are one array; none are nothing at all")
  func batches() {
    #expect(Reply.batch([]) == nil)
    #expect(Reply.batch([Array("{}".utf8)]).map(text) == "[{}]")
    #expect(Reply.batch([Array("{}".utf8), Array("1".utf8)]).map(text) == "[{},1]")
  }

  @Test("ids differ when their texts do")
  func identity() throws {
    let ids = try ["1", "1.0", "\"1\"", "null", "-0", "0", "1e0"].map {
      try #require(RequestID(JSON(parsing: $0)))
    }
    #expect(Set(ids).count == ids.count)
    #expect(ids[0] == RequestID(1) && ids[2] == RequestID("1") && ids[3] == .null)
  }
}

@Suite struct ServerMessageTests {
  private func describe(_ message: ServerMessage) -> String {
    switch message {
    case .reply(let id, .success(let result)): "\(id) \(result)"
    case .reply(let id, .failure(let error)):
      "\(id) \(error.code) \(error.message) \(error.data.map(text) ?? "-")"
    case .batch(let messages): "[\(messages.map(describe).joined(separator: ", "))]"
    case .notification(let method, let params): "\(method) \(params?.text ?? "-")"
    case .malformed(let reason): "malformed: \(reason)"
    }
  }

  private func describe(_ text: String) -> String {
    describe(ServerMessage(message: Array(text.utf8)))
  }

  @Test("what a server makes, a client reads")
  func roundTrips() {
    #expect(describe(ServerMessage(message: Reply.result(id: RequestID(1), result: "[]".utf8))) == "1 []")
    #expect(
      describe(ServerMessage(message: Reply.error(id: .null, .invalidRequest("x"))))
        == #"null -32600 Invalid request: x {"errorCode":"invalidRequest"}"#)
    #expect(describe(ServerMessage(message: Reply.notification(method: "n", params: "{}".utf8))) == "n {}")
    let batch = Reply.batch([
      Reply.result(id: RequestID("b"), result: "1".utf8),
      Reply.error(id: RequestID(2), RPCError(code: 3, message: "")),
    ])
    #expect(batch.map { describe(ServerMessage(message: $0)) } == "[\"b\" 1, 2 3  -]")
  }

  @Test("members that a newer server may add are passed over")
  func lenience() {
    #expect(describe(#"{"jsonrpc":"2.0","id":1,"result":null,"new":1}"#) == "1 null")
    #expect(describe(#"{"jsonrpc":"2.0","method":"n","params":null,"new":1}"#) == "n -")
  }

  @Test(
    "what is no message of a server says why",
    arguments: [
      "", "1", "{}", "[]", "[1", #"{"jsonrpc":"1.0","id":1,"result":1}"#, #"{"jsonrpc":"2.0","id":1}"#,
      #"{"jsonrpc":"2.0","result":1}"#, #"{"jsonrpc":"2.0","id":[],"result":1}"#,
      #"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}"#,
      #"{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":""}}"#, #"{"jsonrpc":"2.0","id":1,"error":1}"#,
      #"{"jsonrpc":"2.0","id":1,"method":"m"}"#, #"{"jsonrpc":"2.0","method":1}"#,
    ])
  func malformed(text: String) {
    #expect(describe(text).hasPrefix("malformed: "))
  }
}
