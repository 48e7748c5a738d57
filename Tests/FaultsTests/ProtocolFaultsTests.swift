import JSONRPC
import ServiceFixture
import Testing

/// What users of other systems reported of their protocol, each as it would have shown here.
@Suite("Faults reported of protocols")
struct ProtocolFaultsTests {
  let service: ListsdProcess
  let connection: LineConnection

  init() throws {
    service = try ListsdProcess()
    connection = try service.connect()
  }

  @Test("Batches at their edges are answered as JSON-RPC 2.0 says")
  func edgeBatches() throws {
    try connection.send("[]\n")
    let empty = try connection.receiveMessage()
    #expect(empty["id"]?.isNull == true)
    #expect(empty["error"]?["code"]?.int64Value == -32600)

    try connection.send("[1,2]\n")
    let junk = Array(try connection.receiveMessage().elements)
    #expect(junk.map { $0["error"]?["code"]?.int64Value } == [-32600, -32600])

    try connection.send(
      "[{\"jsonrpc\":\"2.0\",\"method\":\"fetchRecord\",\"params\":{\"recordName\":\"a\"}}]\n")
    #expect(try connection.reply(to: "echo", "[7]", id: 9)["result"]?.text == "[7]")

    try connection.send("[{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"echo\",\"params\":[1]},{}]\n")
    let mixed = Array(try connection.receiveMessage().elements)
    #expect(mixed.count == 2)
    #expect(mixed.contains { $0["id"]?.int64Value == 7 && $0["result"] != nil })
    #expect(mixed.contains { $0["id"]?.isNull == true && $0["error"]?["code"]?.int64Value == -32600 })
  }

  @Test(
    "An id comes back with its type and its digits",
    arguments: [#""1""#, "9007199254740993", "3.5", "0", "-7", #""é""#, #""""#, "1.0"])
  func idsAreUnchanged(id: String) throws {
    try connection.send("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"echo\",\"params\":[]}\n")
    #expect(try connection.receiveMessage()["id"]?.text == id)
  }

  @Test(
    "What can't be an id is an invalid request with id null",
    arguments: ["1e400", #"{"a":1}"#, "[1]", "true"])
  func impossibleIDs(id: String) throws {
    try connection.send("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"echo\",\"params\":[]}\n")
    let reply = try connection.receiveMessage()
    #expect(reply["id"]?.isNull == true)
    #expect(reply["error"]?["code"]?.int64Value == -32600)
  }

  @Test("Messages split and joined anywhere get the replies of one message a write")
  func messageEdges() throws {
    let tricky = #"{"jsonrpc":"2.0","id":1,"method":"echo","params":["}{\n","{[\"\\",{"}":"]"}]}"#
    let expected = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + #"["}{\n","{[\"\\",{"}":"]"}]}"#
    for byte in (tricky + "\n").utf8 { try connection.send([byte]) }
    #expect(try connection.receiveLine() == expected)
    try connection.send(tricky + "\n" + tricky + "\r\n\n\r\n" + tricky + tricky)
    for _ in 0..<4 { #expect(try connection.receiveLine() == expected) }
  }

  @Test("JSON nested past the limit is refused, and the limit itself is within reach")
  func nesting() throws {
    let deep = String(repeating: "[", count: 100_000)
    for text in [deep, deep + String(repeating: "]", count: 100_000)] {
      let connection = try service.connect()
      try connection.send(text + "\n")
      #expect(try connection.receiveMessage()["error"]?["code"]?.int64Value == -32700)
      #expect(try connection.reply(to: "echo", "[1]")["result"]?.text == "[1]")
    }
    let limit = try #require(
      try connection.result(of: "serverInfo", "{}")["limits"]?["maximumDepth"]?.int64Value)
    // The envelope is one level of its own.
    func nested(_ levels: Int) -> String {
      String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }
    #expect(try connection.reply(to: "echo", nested(Int(limit) - 1))["result"] != nil)
    try connection.send(
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\",\"params\":\(nested(Int(limit)))}\n")
    #expect(try connection.receiveMessage()["error"]?["code"]?.int64Value == -32700)
    #expect(try connection.reply(to: "echo", "[2]")["result"]?.text == "[2]")
  }
}
