import JSONRPC
import Testing

/// One line for a call: what a server would do with it.
private func describe(_ call: Call) -> String {
  switch call {
  case .request(let request):
    "\(request.id.map { "\($0)" } ?? "notification") \(request.method) \(request.params?.text ?? "-")"
  case .invalid(let id, let error): "\(id) \(error.code)"
  }
}

private func describe(_ text: String) -> String {
  switch Incoming(message: Array(text.utf8)) {
  case .call(let call): describe(call)
  case .batch(let calls): "[\(calls.map { describe($0) }.joined(separator: ", "))]"
  case .batchTooLong(let count): "\(count) calls"
  }
}

private func fault(_ text: String) -> RPCError? {
  guard case .call(.invalid(_, let error)) = Incoming(message: Array(text.utf8)) else { return nil }
  return error
}

@Suite struct IncomingTests {
  @Test("a request is read whatever the order and the spelling of its members")
  func requests() {
    #expect(describe(#"{"jsonrpc":"2.0","id":1,"method":"m"}"#) == "1 m -")
    #expect(
      describe(#" { "params" : [1, 2] , "method":"\u006d","id":"a", "jsonrpc":"2\u002e0" } "#)
        == "\"a\" m [1, 2]")
    #expect(describe(#"{"jsonrpc":"2.0","\u0069d":1,"method":"m","params":{"a":{}}}"#) == "1 m {\"a\":{}}")
    #expect(describe(#"{"jsonrpc":"2.0","method":"m"}"#) == "notification m -")
    #expect(describe(#"{"jsonrpc":"2.0","id":null,"method":""}"#) == "null  -")
  }

  @Test("a batch of too many calls is only counted, and still has to be JSON")
  func longBatches() {
    func count(_ text: String) -> Int? {
      guard case .batchTooLong(let count) = Incoming(message: Array(text.utf8), maximumBatchCalls: 2) else {
        return nil
      }
      return count
    }
    #expect(count("[1,2]") == nil)
    #expect(count("[1,{},[3]]") == 3)
    #expect(count("[1,2,3,]") == nil)
    #expect(count("[1,2,3") == nil)
  }

  @Test("params: null is the same as none")
  func nullParams() {
    #expect(describe(#"{"jsonrpc":"2.0","id":1,"method":"m","params":null}"#) == "1 m -")
  }

  @Test(
    "ids come back as they were sent",
    arguments: [
      "1", "\"1\"", "9007199254740993", "9223372036854775808", "-9223372036854775808", "3.5", "1.0", "-0",
      "0",
      "1e2", "null", "\"\"", #""\u0061\/""#, "\"é😀\"", "123456789012345678901234567890",
    ])
  func ids(id: String) {
    #expect(describe("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"m\"}") == "\(id) m -")
    #expect(describe("{\"jsonrpc\":\"2.0\",\"id\":\(id)}") == "\(id) -32600")
  }

  @Test(
    "an id that is no string, number or null, or overflows, is an invalid request without id",
    arguments: [
      "1e400", "-1e400", "{\"a\":1}", "[1]", "true",
    ])
  func badIDs(id: String) {
    #expect(describe("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"m\"}") == "null -32600")
  }

  @Test(
    "an invalid request is answered under its id if that can be returned",
    arguments: [
      (#"{}"#, "null -32600"), (#"1"#, "null -32600"), (#""a""#, "null -32600"), (#"null"#, "null -32600"),
      (#"{"id":1,"method":"m"}"#, "1 -32600"), (#"{"jsonrpc":"1.0","id":1,"method":"m"}"#, "1 -32600"),
      (#"{"jsonrpc":2.0,"id":1,"method":"m"}"#, "1 -32600"), (#"{"jsonrpc":"2.0","id":1}"#, "1 -32600"),
      (#"{"jsonrpc":"2.0","id":1,"method":1}"#, "1 -32600"),
      (#"{"jsonrpc":"2.0","method":1,"params":"bar"}"#, "null -32600"),
      (#"{"jsonrpc":"2.0","id":1,"method":"m","params":1}"#, "1 -32600"),
      (#"{"jsonrpc":"2.0","id":1,"method":"m","params":"a"}"#, "1 -32600"),
      (#"{"jsonrpc":"2.0","id":1,"method":"m","extra":1}"#, "1 -32600"),
      (#"{"jsonrpc":"2.0","\u0000id":1,"method":"m"}"#, "null -32600"),
      (#"{"jsonrpc":"2.0","ID":1,"method":"m"}"#, "null -32600"),
      (#"{"jsonrpc":"2.0","":1,"method":"m"}"#, "null -32600"),
      (#"{"jsonrpc":"2.0","extra":1,"id":1,"method":"m"}"#, "1 -32600"),
      (#"{"jsonrpc":"2.0","id":1,"method":"m","method":"m"}"#, "1 -32600"),
      (#"{"jsonrpc":"2.0","id":1,"method":"m","m\u0065thod":"m"}"#, "1 -32600"),
      (#"{"jsonrpc":"2.0","id":1,"id":1,"method":"m"}"#, "null -32600"),
      (#"{"jsonrpc":"2.0","id":1,"method":"m","id":1,"id":1}"#, "null -32600"),
    ])
  func invalid(text: String, outcome: String) {
    #expect(describe(text) == outcome)
  }

  @Test("what is not JSON is a parse error with its place")
  func parseErrors() {
    let error = fault(#"{"jsonrpc":"2.0", "method": "foobar, "params": "bar", "baz]"#)
    #expect(error?.code == -32700)
    #expect(error?.message == "Parse error: expected ',' or '}' at byte 38")
    #expect(error?.data == Array(#"{"errorCode":"parseError","offset":38}"#.utf8))
    #expect(describe("") == "null -32700")
    #expect(describe(String(repeating: "[", count: 1000)) == "null -32700")
    #expect(describe("[{\"jsonrpc\":\"2.0\",\"method\":\"a\"},{\"jsonrpc\"]") == "null -32700")
  }

  @Test("faults name the member, cut to a length that can be read")
  func names() {
    #expect(
      fault(#"{"jsonrpc":"2.0","method":"m","pa\u0072am":1}"#)?.message
        == "Invalid request: unknown member \"param\"")
    #expect(
      fault(#"{"jsonrpc":"2.0","method":"m","method":1}"#)?.message
        == "Invalid request: repeated member \"method\"")
    let long = String(repeating: "é", count: 1000)
    #expect((fault("{\"\(long)\":1}")?.message.utf8.count ?? 0) < 200)
  }

  @Test("each element of a batch is decided by itself; the empty batch is one invalid request")
  func batches() {
    #expect(describe("[]") == "null -32600")
    #expect(describe("[1,2]") == "[null -32600, null -32600]")
    #expect(describe("[[]]") == "[null -32600]")
    #expect(
      describe(#"[{"jsonrpc":"2.0","id":7,"method":"m"}, {}, {"jsonrpc":"2.0","method":"n","params":[]}]"#)
        == "[7 m -, null -32600, notification n []]")
  }
}
