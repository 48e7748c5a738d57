import Files
import Glibc
import JSONRPC
import ServiceFixture
import SocketServer
import Testing

/// The echo server sends a message's descriptor back with it.
@Suite("Descriptors passed over a connection")
struct PassingTests {
  let server: EchoServer
  let connection: LineConnection

  init() throws {
    server = try EchoServer()
    connection = try server.connect()
  }

  /// A file of its own for each number.
  private func file(_ number: Int = 0) throws -> OwnedDescriptor {
    try #require(OwnedDescriptor(opening: "\(server.folder.path)/f\(number)", O_RDWR | O_CREAT))
  }

  private func isSame(_ one: OwnedDescriptor, _ other: OwnedDescriptor) -> Bool {
    var (first, second) = (stat(), stat())
    return fstat(one.rawValue, &first) == 0 && fstat(other.rawValue, &second) == 0
      && first.st_ino == second.st_ino
  }

  private func send(_ text: String, passing descriptors: OwnedDescriptor...) throws {
    try connection.send(text, passing: descriptors.map(\.rawValue))
  }

  /// Descriptors of this process, which is both ends, that lead to the test's files.
  private func openDescriptors() -> Int {
    (0..<1024).count { number in
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = readlink("/proc/self/fd/\(number)", &buffer, buffer.count - 1)
      let path = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
      return path.hasPrefix(server.folder.path + "/f")
    }
  }

  /// Returns once that many of them are open; closing is done elsewhere.
  private func waitForOpenDescriptors(_ count: Int) throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while openDescriptors() != count {
      guard ContinuousClock.now < deadline else { throw FixtureError("\(openDescriptors()) are open") }
      sched_yield()
    }
  }

  @Test("a descriptor comes with its message, and goes with the message that is sent")
  func oneEachWay() throws {
    let file = try file(1)
    try send("{\"a\":1}\n", passing: file)
    try connection.send("{\"b\":2}\n")
    #expect(try connection.receiveLine() == "{\"a\":1}")
    #expect(try connection.receiveLine() == "{\"b\":2}")
    try #require(connection.passed.count == 1)
    #expect(isSame(connection.passed[0], file))
    #expect(fcntl(connection.passed[0].rawValue, F_GETFD) & FD_CLOEXEC != 0)
  }

  @Test("in a pipeline each message has its own, whatever is read at once")
  func pipeline() throws {
    let files = try (0..<50).map(file)
    for (number, file) in files.enumerated() {
      try connection.send("{\"without\":\(number)}\n{\"unfinished\":")
      try connection.send("\(number)}\n")
      try send("{\"with\":\(number)}\n", passing: file)
    }
    for number in files.indices {
      #expect(try connection.receiveLine() == "{\"without\":\(number)}")
      #expect(try connection.receiveLine() == "{\"unfinished\":\(number)}")
      #expect(try connection.receiveLine() == "{\"with\":\(number)}")
    }
    try #require(connection.passed.count == files.count)
    for (passed, file) in zip(connection.passed, files) { #expect(isSame(passed, file)) }
  }

  @Test("one that comes with the beginning, the middle or the white space before a long message is its own")
  func longMessage() throws {
    let files = try (0..<3).map(file)
    let long = String(repeating: "x", count: 300_000)
    try send("{\"first", passing: files[0])
    try connection.send("\":\"\(long)\"}\n")
    #expect(try connection.receiveLine()?.count == long.count + 12)
    try connection.send("{\"second\":\"\(long)")
    try send("\"", passing: files[1])
    try connection.send("}\n")
    #expect(try connection.receiveLine()?.count == long.count + 13)
    try send("\n  ", passing: files[2])
    try connection.send("{\"third\":\"\(long)\"}\n")
    #expect(try connection.receiveLine()?.count == long.count + 12)
    try #require(connection.passed.count == 3)
    for (passed, file) in zip(connection.passed, files) { #expect(isSame(passed, file)) }
  }

  @Test("of two with one message the first counts, and the other is closed")
  func twoForOneMessage() throws {
    let files = try (0..<2).map(file)
    try send("{\"a\":", passing: files[0])
    try send("1}\n", passing: files[1])
    #expect(try connection.receiveLine() == "{\"a\":1}")
    try #require(connection.passed.count == 1)
    #expect(isSame(connection.passed[0], files[0]))
  }

  @Test("more than one sent at once are none, and all are closed", arguments: [2, 253])
  func many(count: Int) throws {
    let file = try file()
    try connection.send("{\"a\":1}\n", passing: Array(repeating: file.rawValue, count: count))
    try connection.send("{\"b\":2}\n")
    #expect(try connection.receiveLine() == "{\"a\":1}")
    #expect(try connection.receiveLine() == "{\"b\":2}")
    #expect(connection.passed.isEmpty)
    try waitForOpenDescriptors(1)
  }

  @Test("one whose message is too large, no JSON or never finished is closed")
  func faultyMessages() throws {
    let file = try file()
    try send("no JSON\n", passing: file)
    try send("also\n", passing: file)
    #expect(try connection.receiveLine()?.contains("fault") == true)
    #expect(try connection.receiveLine()?.contains("fault") == true)
    try waitForOpenDescriptors(1)
    try send("{\"a\":", passing: file)
    connection.endSending()
    #expect(String(decoding: try connection.receiveToEnd(), as: UTF8.self).contains("fault"))
    try waitForOpenDescriptors(1)
    #expect(connection.passed.isEmpty)
  }

  @Test("the descriptor of a message too large is not the next one's")
  func tooLarge() throws {
    var limits = ConnectionLimits()
    limits.maximumMessageBytes = 1000
    let server = try EchoServer(limits: limits)
    let connection = try server.connect()
    let file = try file()
    let long = String(repeating: "x", count: 1500)
    try connection.send("{\"a\":\"\(long)", passing: [file.rawValue])
    #expect(try connection.receiveLine()?.contains("tooLarge") == true)
    try connection.send("y", passing: [file.rawValue])
    try connection.send("\"}\n{\"b\":2}\n")
    #expect(try connection.receiveLine() == "{\"b\":2}")
    #expect(connection.passed.isEmpty)
  }

  @Test("what a client sent with its last message before it vanished arrives")
  func fireAndForget() async throws {
    let file = try file()
    do {
      let connection = try server.connect()
      try connection.send("{\"later\":1}\n", passing: [file.rawValue])
    }
    try await server.waitUntil { $0.closed == 1 }
    try waitForOpenDescriptors(1)
  }

  @Test("who doesn't read gets few descriptors at a time, and all when it reads")
  func slowReader() throws {
    let file = try file()
    // More than the socket takes while nobody reads.
    let long = "{\"a\":\"\(String(repeating: "x", count: 1_000_000))\"}"
    server.server.perform { $0.openHandlers.first?.outbound.send(Array(long.utf8)) }
    for number in 1...100 { try send("{\"n\":\(number)}\n", passing: file) }
    #expect(try connection.receiveLine() == long)
    for number in 1...100 { #expect(try connection.receiveLine() == "{\"n\":\(number)}") }
    #expect(connection.passed.count == 100)
    #expect(connection.passed.allSatisfy { isSame($0, file) })
  }
}
