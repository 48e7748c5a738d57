import Glibc

/// One connection of the load generator: requests out, the time of each reply in.
struct LoadConnection {
  let descriptor: Int32
  private let framing: ReplyFraming
  private var outgoing: [UInt8] = []
  private var incoming: [UInt8] = []
  private var sentAt: [UInt64] = []
  private var buffer = [UInt8](repeating: 0, count: 1 << 18)

  init(_ path: String, framing: ReplyFraming = .lines) throws {
    self.framing = framing
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix(107)) }
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard connected == 0 else {
      let reason = String(cString: strerror(errno))
      close(descriptor)
      throw LoadGenerator.Failure(description: "can't connect to \(path): \(reason)")
    }
  }

  mutating func enqueue(_ request: [UInt8]) {
    outgoing.append(contentsOf: request)
    sentAt.append(monotonicNanoseconds())
  }

  /// Sends all that is enqueued, waiting as long as the peer takes.
  mutating func flush() throws {
    var start = 0
    while start < outgoing.count {
      let sent = outgoing[start...].withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard sent > 0 else {
        throw LoadGenerator.Failure(description: "the connection broke while sending")
      }
      start += sent
    }
    outgoing.removeAll(keepingCapacity: true)
  }

  /// Reads once and returns the round-trip time of every reply that ended in what was read.
  mutating func receive() throws -> [UInt64] {
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { throw LoadGenerator.Failure(description: "the server closed the connection") }
    incoming.append(contentsOf: buffer[..<count])
    let now = monotonicNanoseconds()
    var times: [UInt64] = []
    var start = 0
    while start < incoming.count, let end = framing.endOfReply(in: incoming, from: start) {
      guard !framing.isFailure(incoming[start..<end]) else {
        let text = String(decoding: incoming[start..<end].prefix(500), as: UTF8.self)
        throw LoadGenerator.Failure(description: "a request failed: \(text)")
      }
      times.append(now - sentAt[times.count])
      start = end
    }
    incoming.removeFirst(start)
    sentAt.removeFirst(times.count)
    return times
  }

  /// Reads once and returns how many changes the pushes tell of that ended in what was read.
  mutating func receiveChanges() throws -> Int {
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { throw LoadGenerator.Failure(description: "the server closed the connection") }
    incoming.append(contentsOf: buffer[..<count])
    guard let end = incoming.lastIndex(of: UInt8(ascii: "\n")) else { return 0 }
    let changes = incoming[...end].withUnsafeBytes { Self.count(of: Self.reason, in: $0) }
    incoming.removeFirst(end + 1)
    return changes
  }

  /// Whether there is something to be read, or the end.
  var hasInput: Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) >= 0
  }

  /// What each change has once.
  private static let reason = Array(#""reason":""#.utf8)

  private static func count(of text: [UInt8], in bytes: UnsafeRawBufferPointer) -> Int {
    var count = 0
    var place = 0
    while place + text.count <= bytes.count {
      if bytes[place] == text[0], bytes[place...].starts(with: text) {
        count += 1
        place += text.count
      } else {
        place += 1
      }
    }
    return count
  }
}
