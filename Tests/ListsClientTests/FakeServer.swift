import Glibc
import JSONRPC
import ServiceFixture

/// The service's end of a connection, run by a script on a thread of its own. Its waits have a bound, so
/// that a client that never sends fails the test and does not hang it. The bound is long: tests that wait for
/// processes may take every thread of the pool for a while.
final class FakeServer: @unchecked Sendable {  // Used by the script's thread alone, once it runs.
  private let descriptor: Int32
  private var received: [UInt8] = []
  /// Up to where `received` has no line feed.
  private var scanned = 0

  private init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Runs `script` with one end of a socket pair and returns the other.
  static func run(_ script: @escaping @Sendable (FakeServer) throws -> Void) throws -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
      throw FixtureError("socketpair failed: \(errno)")
    }
    startThread(with: FakeServer(descriptor: ends[1]), script)
    return ends[0]
  }

  /// Listens at `path` and runs one script after another, each with the next client.
  static func listen(
    at path: String, _ scripts: [@Sendable (FakeServer) throws -> Void]
  ) throws {
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard bound == 0, Glibc.listen(listener, 8) == 0 else { throw FixtureError("bind failed: \(errno)") }
    startThread(with: FakeServer(descriptor: listener)) { server in
      for script in scripts {
        let client = accept(server.descriptor, nil, nil)
        guard client >= 0 else { return }
        try script(FakeServer(descriptor: client))
      }
    }
  }

  private static func startThread(
    with server: FakeServer, _ script: @escaping @Sendable (FakeServer) throws -> Void
  ) {
    signal(SIGPIPE, SIG_IGN)
    final class Start {
      let run: () -> Void
      init(run: @escaping () -> Void) { self.run = run }
    }
    var thread = pthread_t()
    let start = Unmanaged.passRetained(Start { try? script(server) })
    pthread_create(
      &thread, nil,
      {
        $0.map { Unmanaged<Start>.fromOpaque($0).takeRetainedValue().run() }
        return nil
      }, start.toOpaque())
    pthread_detach(thread)
  }

  /// The next request; nil when the client has closed.
  func receive() throws -> JSON? {
    while true {
      if let end = received[scanned...].firstIndex(of: 0x0A) {
        let line = Array(received[..<end])
        received.removeSubrange(...end)
        scanned = 0
        return try JSON(parsing: line)
      }
      scanned = received.count
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, 240_000) > 0 else { throw FixtureError("nothing came") }
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count <= 0 { return nil }
      received.append(contentsOf: buffer[..<count])
    }
  }

  /// The request's id as text.
  func receiveID(of method: String) throws -> String {
    guard let request = try receive(), request["method"]?.stringValue == method, let id = request["id"] else {
      throw FixtureError("\(method) was expected")
    }
    return id.text
  }

  func send(_ text: String) {
    var rest = Array(text.utf8)[...]
    rest.append(0x0A)
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  func reply(to id: String, _ result: String) {
    send(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#)
  }

  func push(
    _ subscription: String, seq: Int = 1, token: String, _ more: String = "", changes: String = "[]"
  ) {
    send(
      #"{"jsonrpc":"2.0","method":"recordsChanged","params":{"subscriptionID":"\#(subscription)","seq":\#(seq),"#
        + #""changeToken":"\#(token)"\#(more),"changes":\#(changes)}}"#)
  }
}
