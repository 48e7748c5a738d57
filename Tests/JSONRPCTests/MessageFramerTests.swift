import JSONRPC
import Testing

/// Everything that comes out of a framer which is fed these pieces.
func events(
  _ pieces: [[UInt8]], maximumMessageBytes: Int = 1000, maximumDiscardedBytes: Int? = nil,
  maximumDepth: Int = 8, finishing: Bool = true
) -> (events: [MessageFramer.Event], framing: Framing?) {
  var framer = MessageFramer(
    maximumMessageBytes: maximumMessageBytes, maximumDiscardedBytes: maximumDiscardedBytes,
    maximumDepth: maximumDepth)
  var events: [MessageFramer.Event] = []
  for piece in pieces {
    framer.append(piece)
    while let event = framer.next() { events.append(event) }
    #expect(framer.bufferedBytes <= max(maximumMessageBytes, 8192))
  }
  if finishing, let event = framer.finish() { events.append(event) }
  #expect(framer.finish() == nil || !finishing)
  return (events, framer.framing)
}

/// The same for one text: whole, byte by byte and cut in two at every place, which must all agree.
func events(_ text: String, maximumMessageBytes: Int = 1000, maximumDiscardedBytes: Int? = nil) -> [String] {
  let bytes = Array(text.utf8)
  let run = { (pieces: [[UInt8]]) in
    let (events, framing) = events(
      pieces, maximumMessageBytes: maximumMessageBytes, maximumDiscardedBytes: maximumDiscardedBytes)
    return events.map(describe) + (framing == .contentLength ? ["headers"] : [])
  }
  let whole = run([bytes])
  #expect(run(bytes.map { [$0] }) == whole)
  for cut in 0...bytes.count {
    #expect(run([Array(bytes[..<cut]), Array(bytes[cut...])]) == whole, "cut at \(cut)")
  }
  return whole
}

private func describe(_ event: MessageFramer.Event) -> String {
  switch event {
  case .message(let bytes): String(decoding: bytes, as: UTF8.self)
  case .malformed(let reason): "malformed: \(reason)"
  case .tooLarge(let limit): "too large: \(limit)"
  case .unrecoverable(let reason): "unrecoverable: \(reason)"
  }
}

@Suite struct MessageFramerStreamTests {
  @Test("values end where their bracket closes, with any white space between them or none")
  func values() {
    #expect(events("{}[]{\"a\":[1,{}]}") == ["{}", "[]", "{\"a\":[1,{}]}"])
    #expect(events("\r\n \t{}\n\n[1]\r\n") == ["{}", "[1]"])
    #expect(
      events("{\n  \"a\": {\n    \"b\": [\n    ]\n  }\n}\n{}") == [
        "{\n  \"a\": {\n    \"b\": [\n    ]\n  }\n}", "{}",
      ])
    #expect(events("") == [])
    #expect(events(" \n") == [])
  }

  @Test("brackets, quotes and line feeds inside strings mean nothing when they are written as JSON demands")
  func strings() {
    let message = #"{"}{\n\"]":"\\","[":"\u000a}","é😀":"\\\""}"#
    #expect(events("\(message)\(message)\n") == [message, message])
  }

  @Test("text that is not JSON is one fault up to the end of its line")
  func notJSON() {
    let fault = "malformed: expected '{' or '['"
    #expect(events("hello {} []\n{}") == [fault, "{}"])
    #expect(events("{}x\n{}") == ["{}", fault, "{}"])
    #expect(events("1\n\"a\"\n{}") == [fault, fault, "{}"])
    #expect(events("GET / HTTP/1.1\r\n") == [fault])
    #expect(events("connect\n{}") == [fault, "{}"])
    #expect(events("}\n{}") == [fault, "{}"])
    #expect(events("\u{FEFF}{}\n{}") == [fault, "{}"])
  }

  @Test("brackets that don't match are one fault up to the end of the line")
  func mismatch() {
    #expect(events("{] {}\n{}") == ["malformed: brackets don't match", "{}"])
    #expect(events("[[}]] [\n[]") == ["malformed: brackets don't match", "[]"])
  }

  @Test("a message that was cut short doesn't swallow the one on the next line")
  func cutShort() {
    let fault = "malformed: a value was not finished before the next one"
    #expect(events("{\"a\":1\n{\"b\":2}\n{}") == [fault, "{\"b\":2}", "{}"])
    #expect(events("{\"a\":[1]\n  [2]\n") == [fault, "[2]"])
    #expect(events("{\"a\":1 {} \n{}") == [fault, "{}"])
    #expect(events("{{}}\n{}") == [fault, "{}"])
    #expect(events("{\"a\":\"cut\n{\"b\":2}\n") == ["malformed: line feed inside a string", "{\"b\":2}"])
    #expect(events("{\"a\":\"cut\\\n{\"b\":2}\n") == ["malformed: line feed inside a string", "{\"b\":2}"])
  }

  @Test("too many levels are one fault, though the line has as many brackets again")
  func depth() {
    let fault = "malformed: more than 8 levels of brackets"
    let open = String(repeating: "[", count: 100)
    let close = String(repeating: "]", count: 100)
    #expect(events("\(open)\n\(open)\(close)\n{}") == [fault, fault, "{}"])
    #expect(events("{\"a\":\(open)\(close)}\n{}") == [fault, "{}"])
    #expect(events("[[[[[[[[]]]]]]]][]") == ["[[[[[[[[]]]]]]]]", "[]"])
  }

  @Test("a value longer than the limit is one fault, and reading goes on behind it")
  func tooLarge() {
    let long = "[\"\(String(repeating: "[x\\\"", count: 20))\"]"
    #expect(events("\(long){}", maximumMessageBytes: 20) == ["too large: 20", "{}"])
    #expect(events("{\"a\":[\(long),1]}\n[]", maximumMessageBytes: 20) == ["too large: 20", "[]"])
    #expect(events("[\(long)}x\n[]", maximumMessageBytes: 20) == ["too large: 20", "[]"])
    #expect(events("[\(long)\n[]", maximumMessageBytes: 20) == ["too large: 20", "[]"])
    #expect(events("[\(long)", maximumMessageBytes: 20) == ["too large: 20"])
    #expect(events("[12345678]{}", maximumMessageBytes: 10) == ["[12345678]", "{}"])
    #expect(events("[123456789]{}", maximumMessageBytes: 10) == ["too large: 10", "{}"])
  }

  @Test("what never ends is given up: a line that is not JSON, a value far beyond the limit")
  func endless() {
    let garbage = String(repeating: "a", count: 200)
    let run = { (text: String) in events(text, maximumMessageBytes: 10, maximumDiscardedBytes: 50) }
    #expect(
      run("\(garbage)\n{}") == [
        "malformed: expected '{' or '['", "unrecoverable: no JSON and no end of line",
      ])
    #expect(
      run("[\"\(garbage)\"]\n{}") == [
        "too large: 10", "unrecoverable: the message is far too large",
      ])
  }

  @Test("the end of input inside a value is a fault; after one it is not")
  func end() {
    let fault = "malformed: the input ended inside a message"
    #expect(events("{}{\"a\"") == ["{}", fault])
    #expect(events("[\"a") == [fault])
    #expect(events("{}") == ["{}"])
    #expect(events("co") == [fault])
  }

  @Test("a large message may arrive byte by byte: the work stays linear, the room is given back")
  func linear() {
    var framer = MessageFramer(maximumMessageBytes: 1 << 20)
    let message = Array("{\"a\":\"\(String(repeating: "é{", count: 300_000))\"}".utf8)
    for byte in message.dropLast() {
      framer.append([byte])
      #expect(framer.next() == nil)
    }
    framer.append([UInt8(ascii: "}")])
    #expect(framer.next() == .message(message))
    #expect(framer.next() == nil && framer.bufferedBytes == 0)
  }
}

@Suite struct MessageFramerHeaderTests {
  @Test("headers tell the length of a message, in any case, with any line end, beside other headers")
  func headers() {
    #expect(
      events("Content-Length: 2\r\n\r\n{}Content-Length: 4\r\n\r\n[\n1]") == ["{}", "[\n1]", "headers"])
    #expect(events("content-length:2 \n\n{}\r\nCONTENT-LENGTH:\t2\r\n\r\n[]\n") == ["{}", "[]", "headers"])
    #expect(
      events("Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}")
        == ["{}", "headers"])
    #expect(events("\n Content-Length: 0\r\n\r\n") == ["", "headers"])
  }

  @Test("a header that can't be understood ends the stream")
  func garbage() {
    for (header, reason) in [
      ("Content-Length 2", "a header line must be 'name: value'"),
      ("Content-Length: 2\r\nContent-Length: 2", "Content-Length occurs twice"),
      ("Content-Length: -2", "Content-Length must be a number of bytes"),
      ("Content-Length:", "Content-Length must be a number of bytes"),
      ("Content-Length: 2 2", "Content-Length must be a number of bytes"),
      ("Content-Length: 99999999999999999999", "Content-Length must be a number of bytes"),
      ("Content-Length: 9999999999", "the message is far too large"),
      ("Content-Type: x", "no Content-Length header"),
      ("Content-Type: x\r\nfoo bar: x", "a header line must be 'name: value'"),
    ] {
      #expect(events("\(header)\r\n\r\n{}{}") == ["unrecoverable: \(reason)", "headers"])
    }
  }

  @Test("a header that doesn't end is given up")
  func endless() {
    for filler in ["a", "a: b\n"] {
      let text = "Content-Length: 2\r\nx: y\n" + String(repeating: filler, count: 9000 / filler.count)
      let result = events([Array(text.utf8)])
      #expect(result.events == [.unrecoverable(reason: "the header is longer than 8192 bytes")])
    }
  }

  @Test("a body longer than the limit is one fault and is passed over")
  func tooLarge() {
    let body = String(repeating: "{", count: 30)
    #expect(
      events("Content-Length: 30\r\n\r\n\(body)Content-Length: 2\r\n\r\n{}", maximumMessageBytes: 20)
        == ["too large: 20", "{}", "headers"])
  }

  @Test("the end of input inside a message is a fault")
  func end() {
    let fault = "malformed: the input ended inside a message"
    #expect(events("Content-Length: 2\r\n\r\n{") == [fault, "headers"])
    #expect(events("Content-Length: 2\r\n\r\n{}Content-") == ["{}", fault, "headers"])
    #expect(events("Content-Length: 2\r\n") == [fault, "headers"])
  }
}

@Suite struct FramingTests {
  @Test("what one side frames the other side splits again")
  func roundTrip() {
    let messages = ["{}", "{\"a\":\"\\n\"}", "[1]"].map { Array($0.utf8) }
    for framing in [Framing.stream, .contentLength] {
      var bytes: [UInt8] = []
      for message in messages { framing.frame(message, into: &bytes) }
      let result = events([bytes])
      #expect(result.events == messages.map { .message($0) })
      #expect(result.framing == framing)
    }
  }

  @Test("a message of a stream is one line")
  func line() {
    var bytes: [UInt8] = []
    Framing.stream.frame(Array("{}".utf8), into: &bytes)
    #expect(bytes == Array("{}\n".utf8))
  }
}
