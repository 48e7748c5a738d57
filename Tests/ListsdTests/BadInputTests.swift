import JSONRPC
import ServiceFixture
import Testing

@Suite("listsd: bad input")
struct BadInputTests {
  @Test("every kind of bad input gets its documented error, and the connection goes on")
  func kinds() throws {
    let service = try ListsdProcess()
    let connection = try service.connect()
    let deep = String(repeating: "[", count: 100_000)
    let cases: [(input: [UInt8], code: Int64, errorCode: String)] =
      [
        ("not JSON\n", -32700, "parseError"),
        ("\u{1}\u{2}\n", -32700, "parseError"),
        ("{\"jsonrpc\":\"2.0\",\"id\":1]\n", -32700, "parseError"),
        ("{\"jsonrpc\":\"2.0\" \"id\":1}\n", -32700, "parseError"),
        (deep + "\n", -32700, "parseError"),
        (deep + String(repeating: "]", count: 100_000) + "\n", -32700, "parseError"),
        ("{\"id\":1,\"method\":\"echo\"}\n", -32600, "invalidRequest"),
        ("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"echo\"}\n", -32600, "invalidRequest"),
        ("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"echo\"}\n", -32600, "invalidRequest"),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}\n", -32600, "invalidRequest"),
        ("[]\n", -32600, "invalidRequest"),
        (request("noSuchMethod"), -32601, "methodNotFound"),
        (request("fetchRecord"), -32602, "invalidArguments"),
        (request("fetchRecord", "{\"recordName\":7}"), -32602, "invalidArguments"),
        (request("fetchRecord", "{\"recordName\":\"a\",\"colour\":1}"), -32602, "invalidArguments"),
        (request("fetchRecord", "7"), -32600, "invalidRequest"),
        (
          request("performQuery", "{\"recordType\":\"Item\",\"predicate\":\"a = = 1\"}"), -32602,
          "invalidArguments"
        ),
        (
          request("saveRecord", "{\"record\":{\"recordType\":\"Item\",\"colour\":1}}"), -32602,
          "invalidArguments"
        ),
        (save("a", fields: "{\"x\":{\"$date\":\"tomorrow\"}}"), -32602, "invalidArguments"),
        (request("fetchRecord", "{\"recordName\":\"none\"}"), -32001, "unknownItem"),
      ].map { (Array($0.0.utf8), $0.1, $0.2) }
      + [
        (
          Array("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"".utf8) + [0xff, 0xc0] + Array("\"}\n".utf8),
          -32700, "parseError"
        )
      ]
    for (input, code, errorCode) in cases {
      let shown = String(decoding: input.prefix(80), as: UTF8.self)
      try connection.send(input)
      let reply = try connection.receiveJSON()
      #expect(reply["error"]?["code"]?.int64Value == code, "\(shown)")
      #expect(reply.errorCode == errorCode, "\(shown)")
      #expect(reply["error"]?["message"]?.stringValue?.isEmpty == false, "\(shown)")
      #expect(try connection.ask("echo", "[\"on\"]", id: 9)["result"]?.text == "[\"on\"]", "\(shown)")
    }
    #expect(
      try connection.ask("countRecords", "{\"recordType\":\"Item\"}")["result"]?["count"]?.int64Value == 0)
  }

  @Test("a value of another type than the field's names both types")
  func wrongType() throws {
    let service = try ListsdProcess()
    let connection = try service.connect()
    try connection.send(save("a", fields: "{\"n\":1}") + save("b", fields: "{\"n\":\"one\"}"))
    #expect(try connection.receiveJSON()["result"] != nil)
    let reply = try connection.receiveJSON()
    #expect(reply.errorCode == "fieldTypeMismatch")
    #expect(reply["error"]?["data"]?["expected"]?.stringValue == "int64")
    #expect(reply["error"]?["data"]?["actual"]?.stringValue == "string")
  }

  @Test("a message over the limit is refused with the limit, and the connection goes on")
  func tooLarge() throws {
    let folder = try TemporaryFolder()
    try write("maximumMessageBytes = 64K\n", to: folder.path + "/lists.conf")
    let service = try ListsdProcess(
      arguments: ["--configuration", folder.path + "/lists.conf"], folder: folder)
    let connection = try service.connect()
    try connection.send(request("echo", "[\"\(String(repeating: "x", count: 100_000))\"]"))
    let reply = try connection.receiveJSON()
    #expect(reply.errorCode == "limitExceeded")
    #expect(reply["error"]?["data"]?["limit"]?.int64Value == 65536)
    #expect(try connection.ask("echo", "[1]")["result"]?.text == "[1]")
  }

  @Test("bytes without end take bounded memory, get an error and the end, while others are served")
  func endlessBytes() throws {
    let folder = try TemporaryFolder()
    try write("maximumMessageBytes = 1M\n", to: folder.path + "/lists.conf")
    let service = try ListsdProcess(
      arguments: ["--configuration", folder.path + "/lists.conf"], folder: folder)
    let other = try service.connect()
    #expect(try other.ask("echo", "[1]")["result"]?.text == "[1]")
    let before = try residentKilobytes(of: service.processID)
    let chunk = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
    for start in ["", "{\"text\":\"", "["] {
      let clients = try (0..<5).map { _ in try service.connect() }
      for client in clients {
        try client.send(start)
        // 16 MiB, or as much as the service takes before it gives up on them.
        for _ in 0..<16 { if (try? client.send(chunk)) == nil { break } }
        #expect(try client.receiveJSON()["error"] != nil)
      }
      #expect(try other.ask("echo", "[2]")["result"]?.text == "[2]")
    }
    #expect(try residentKilobytes(of: service.processID) - before < 24 << 10)
  }

  private func residentKilobytes(of process: Int32) throws -> Int {
    let status = try runToEnd(["grep", "VmRSS", "/proc/\(process)/status"]).outputText
    return try #require(Int(status.filter(\.isNumber)))
  }
}
