import Glibc
import JSONRPC
import ServiceFixture
import SocketServer
import Testing

@Suite("Server")
struct ServerTests {
  @Test("a message is handed over and what the handler sends comes back as one line")
  func echo() throws {
    let server = try EchoServer()
    let connection = try server.connect()
    try connection.send("{\"a\":1}\n")
    #expect(try connection.receiveLine() == "{\"a\":1}")
  }

  @Test("messages sent a byte at a time, several at once, and over several lines are the same messages")
  func splitInput() throws {
    let server = try EchoServer()
    let connection = try server.connect()
    for byte in "{\"s\":\"}{\\n\"}".utf8 { try connection.send([byte]) }
    #expect(try connection.receiveLine() == "{\"s\":\"}{\\n\"}")
    try connection.send("{\"a\":1}{\"b\":2}\r\n\r\n[3]")
    #expect(try connection.receiveLine() == "{\"a\":1}")
    #expect(try connection.receiveLine() == "{\"b\":2}")
    #expect(try connection.receiveLine() == "[3]")
  }

  @Test("a client that asks in headers is answered in headers")
  func headers() throws {
    let server = try EchoServer()
    let connection = try server.connect()
    try connection.send("Content-Length: 7\r\n\r\n{\"a\":1}")
    connection.endSending()
    #expect(try connection.receiveToEnd() == Array("Content-Length: 7\r\n\r\n{\"a\":1}".utf8))
  }

  @Test("a client that ended its input gets all its answers, late ones too, and then the end")
  func halfClose() async throws {
    let server = try EchoServer()
    let connection = try server.connect()
    try connection.send("{\"later\":1}\n{\"now\":2}\n")
    connection.endSending()
    try await server.waitUntil { $0.withheld.count == 1 && $0.openHandlers.first?.received == 2 }
    server.server.perform { $0.answerWithheld() }
    let answers = String(decoding: try connection.receiveToEnd(), as: UTF8.self)
    #expect(answers == "{\"now\":2}\n{\"later\":1}\n")
  }

  @Test("an unfinished message at the end of the input is a fault")
  func unfinishedInput() throws {
    let server = try EchoServer()
    let connection = try server.connect()
    try connection.send("{\"a\":")
    connection.endSending()
    #expect(String(decoding: try connection.receiveToEnd(), as: UTF8.self).contains("fault"))
  }

  @Test("a subscribed client that ended its input goes on listening")
  func halfClosedSubscriber() async throws {
    let server = try EchoServer()
    let connection = try server.connect()
    try connection.send("{\"subscribe\":1}\n")
    connection.endSending()
    #expect(try connection.receiveLine() == "{\"subscribe\":1}")
    #expect(await server.ask { $0.openHandlers.count } == 1)
    server.server.perform { $0.openHandlers.first?.outbound.send(Array("{\"push\":1}".utf8)) }
    #expect(try connection.receiveLine() == "{\"push\":1}")
  }

  @Test("what a client sent before it vanished is worked on, and its handler is closed")
  func fireAndForget() async throws {
    let server = try EchoServer()
    do {
      let connection = try server.connect()
      try connection.send("{\"later\":1}\n{\"later\":2}\n")
    }
    try await server.waitUntil { $0.withheld.count == 2 }
    #expect(await server.ask { $0.closed } == 0)
    server.server.perform { $0.answerWithheld() }
    try await server.waitUntil { $0.closed == 1 }
    #expect(await server.server.connectionCount == 0)
  }

  @Test("a handler that waits for its client to read goes on when the client vanishes without reading")
  func vanishedUnread() async throws {
    var limits = ConnectionLimits()
    limits.unsentBytesBeforePause = 8 << 20
    let server = try EchoServer(limits: limits) { $0.answersWhenDrained = true }
    do {
      let connection = try server.connect()
      try connection.send("{\"text\":\"\(String(repeating: "x", count: 2 << 20))\"}\n")
      try connection.send("{\"later\":1}\n")
      try await server.waitUntil { $0.withheld.count == 1 }
      #expect(await server.ask { $0.drained } == 0)
      withExtendedLifetime(connection) {}
    }
    try await server.waitUntil { $0.closed == 1 }
    #expect(await server.server.connectionCount == 0)
  }

  @Test("a client that does not read its answers is not read from, and gets them all when it reads")
  func backpressure() async throws {
    var limits = ConnectionLimits()
    limits.unsentBytesBeforePause = 100_000
    let server = try EchoServer(limits: limits)
    let connection = try server.connect()
    let message = Array("{\"text\":\"\(String(repeating: "x", count: 10_000))\"}\n".utf8)
    let count = 1000
    let descriptor = connection.descriptor
    let sent = Task.detached {
      for _ in 0..<count {
        var start = 0
        while start < message.count {
          let taken = message[start...].withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          }
          guard taken > 0 else { return false }
          start += taken
        }
      }
      return true
    }
    try await server.waitUntil { ($0.openHandlers.first?.outbound.queuedBytes ?? 0) > 100_000 }
    #expect(await server.ask { $0.openHandlers.first?.outbound.queuedBytes ?? .max } < 200_000)
    let other = try server.connect()
    try other.send("{\"other\":1}\n")
    #expect(try other.receiveLine() == "{\"other\":1}")
    for _ in 0..<count { #expect(try connection.receiveLine()?.utf8.count == message.count - 1) }
    #expect(await sent.value)
    #expect(await server.ask { $0.drained } > 0)
  }

  @Test("a saturated handler gets nothing more until it has answered, and then everything in order")
  func saturation() async throws {
    let server = try EchoServer { $0.saturatesAt = 2 }
    let connection = try server.connect()
    for number in 0..<6 { try connection.send("{\"later\":\(number)}\n") }
    var answers: [String] = []
    for round in 1...3 {
      try await server.waitUntil { $0.withheld.count == 2 }
      #expect(await server.ask { $0.openHandlers.first?.received } == 2 * round)
      server.server.perform { $0.answerWithheld() }
      for _ in 0..<2 { answers.append(try connection.receiveLine() ?? "") }
    }
    #expect(answers == (0..<6).map { "{\"later\":\($0)}" })
  }

  @Test("a message over the limit is one fault, and the next one is handed over")
  func tooLarge() throws {
    var limits = ConnectionLimits()
    limits.maximumMessageBytes = 1000
    let server = try EchoServer(limits: limits)
    let connection = try server.connect()
    try connection.send("{\"text\":\"\(String(repeating: "x", count: 5000))\"}\n{\"a\":1}\n")
    #expect(try connection.receiveLine()?.contains("tooLarge(limit: 1000)") == true)
    #expect(try connection.receiveLine() == "{\"a\":1}")
  }

  @Test("bytes without end are a fault, and then the end of the connection")
  func endlessLine() throws {
    var limits = ConnectionLimits()
    limits.maximumMessageBytes = 1000
    let server = try EchoServer(limits: limits)
    let connection = try server.connect()
    // The service stops reading before all of it is sent.
    try? connection.send([UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20))
    #expect(try connection.receiveLine()?.contains("malformed") == true)
    #expect(try connection.receiveLine()?.contains("no end of line") == true)
  }

  @Test("large messages share a bounded room, and one that does not come on is sent away")
  func largeMessageRoom() throws {
    var limits = ConnectionLimits()
    limits.freeInputBytes = 1000
    limits.largeMessagesAtATime = 1
    limits.largeMessagePatience = .milliseconds(100)
    let server = try EchoServer(limits: limits)
    let slow = try server.connect()
    let begun = "{\"text\":\"\(String(repeating: "x", count: 5000))"
    try slow.send(begun)
    let other = try server.connect()
    // More than one read takes, so that it has to be kept unfinished.
    let large = "{\"text\":\"\(String(repeating: "x", count: 200_000))\"}"
    try other.send(large + "\n")
    #expect(try slow.receiveLine()?.contains("did not arrive") == true)
    #expect(try slow.receiveLine() == nil)
    #expect(try other.receiveLine() == large)
  }

  @Test("connections beyond a user's limit are ended, and those far beyond it are not even opened")
  func connectionLimit() async throws {
    var limits = ConnectionLimits()
    limits.connectionsPerUser = 2
    limits.endPatience = .milliseconds(50)
    let server = try EchoServer(limits: limits)
    let connections = try (0..<40).map { _ in try server.connect() }
    for connection in connections[2...] { #expect((try? connection.receiveLine()) == .some(.none)) }
    for connection in connections[..<2] {
      try connection.send("{\"a\":1}\n")
      #expect(try connection.receiveLine() == "{\"a\":1}")
    }
    #expect(await server.server.connectionCount == 2)
  }

  @Test("a hundred clients at once are all answered, each with its own")
  func manyClients() async throws {
    let server = try EchoServer()
    let path = server.path
    try await withThrowingTaskGroup(of: Void.self) { group in
      for client in 0..<100 {
        group.addTask {
          let connection = try LineConnection(to: path)
          for number in 0..<20 { try connection.send("{\"c\":\(client),\"n\":\(number)}\n") }
          for number in 0..<20 {
            #expect(try connection.receiveLine() == "{\"c\":\(client),\"n\":\(number)}")
          }
        }
      }
      try await group.waitForAll()
    }
  }
}

@Suite("Server: stopping")
struct ServerStopTests {
  @Test("a stop answers what was sent and then closes; nothing is accepted after it")
  func stop() async throws {
    let server = try EchoServer()
    let connection = try server.connect()
    try connection.send("{\"later\":1}\n")
    try await server.waitUntil { $0.withheld.count == 1 }
    try connection.send("{\"sent\":2}\n{\"unfinished\":")
    await withCheckedContinuation { continuation in
      server.server.loop.perform {
        server.server.assumeIsolated {
          $0.stop(within: .seconds(20), acceptsQueue: false) { continuation.resume() }
        }
        server.server.perform { $0.answerWithheld() }
      }
    }
    let answers = String(decoding: try connection.receiveToEnd(), as: UTF8.self)
    #expect(answers == "{\"sent\":2}\n{\"later\":1}\n")
  }

  @Test("a stop does not wait for ever")
  func boundedStop() async throws {
    let server = try EchoServer()
    let connection = try server.connect()
    try connection.send("{\"later\":1}\n")
    try await server.waitUntil { $0.withheld.count == 1 }
    await withCheckedContinuation { continuation in
      server.server.loop.perform {
        server.server.assumeIsolated {
          $0.stop(within: .milliseconds(50), acceptsQueue: false) { continuation.resume() }
        }
      }
    }
    #expect(try connection.receiveLine() == nil)
  }

  @Test("idle is told once nobody is connected and nothing is pending, and not before")
  func idle() async throws {
    let server = try EchoServer { $0.isIdle = false }
    let (idle, told) = AsyncStream.makeStream(of: Void.self)
    let connection = try server.connect()
    try connection.send("{\"a\":1}\n")
    #expect(try connection.receiveLine() == "{\"a\":1}")
    await server.server.setIdleTimeout(.milliseconds(20)) { told.yield() }
    // The application is busy and someone is connected: rounds of the clock pass, nothing is told.
    await withCheckedContinuation { continuation in
      server.server.loop.perform {
        server.server.loop.schedule(after: .milliseconds(100)) { continuation.resume() }
      }
    }
    connection.endSending()
    #expect(try connection.receiveLine() == nil)
    server.server.perform { $0.isIdle = true }
    for await _ in idle.prefix(1) {}
    // From here on a client waits in the queue: it is connected, and nobody has accepted it.
    let late = try server.connect()
    try late.send("{\"late\":1}\n")
    #expect(await server.server.connectionCount == 0)
  }
}
