import Glibc

/// Keeps `depth` requests outstanding on each of `clients` connections: a closed loop, on one thread.
struct LoadGenerator {
  struct Figures {
    var perSecond: Double
    var latencies: Latencies
  }

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  let socketPath: String
  let clients: Int
  let depth: Int

  /// Runs for `warmUp` + `seconds` and counts the replies of the latter; throws when a connection
  /// closes or a request is answered with an error.
  func run(_ workload: Workload, warmUp: Double, seconds: Double) throws -> Figures {
    var workload = workload
    var connections = try (0..<clients).map { _ in try LoadConnection(socketPath) }
    defer { for connection in connections { Glibc.close(connection.descriptor) } }
    for index in connections.indices {
      for _ in 0..<depth { connections[index].enqueue(workload.nextRequest()) }
      try connections[index].flush()
    }

    let counted = monotonicNanoseconds() + UInt64(warmUp * 1e9)
    let end = counted + UInt64(seconds * 1e9)
    var latencies = Latencies()
    var polls = connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    while monotonicNanoseconds() < end {
      guard poll(&polls, nfds_t(polls.count), 1000) > 0 else { continue }
      for index in polls.indices where polls[index].revents != 0 {
        let times = try connections[index].receive()
        for duration in times {
          if monotonicNanoseconds() >= counted { latencies.add(duration) }
          connections[index].enqueue(workload.nextRequest())
        }
        try connections[index].flush()
      }
    }
    let elapsed = Double(monotonicNanoseconds() - counted) / 1e9
    return Figures(perSecond: Double(latencies.count) / elapsed, latencies: latencies)
  }
}

/// One connection of the load generator: requests out, the time of each reply in.
struct LoadConnection {
  let descriptor: Int32
  private var outgoing: [UInt8] = []
  private var incoming: [UInt8] = []
  private var sentAt: [UInt64] = []
  private var buffer = [UInt8](repeating: 0, count: 1 << 18)

  init(_ path: String) throws {
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
      throw LoadGenerator.Failure(
        description: "can't connect to \(path): \(String(cString: strerror(errno)))")
    }
  }

  mutating func enqueue(_ request: String) {
    outgoing.append(contentsOf: request.utf8)
    sentAt.append(monotonicNanoseconds())
  }

  /// Sends all that is enqueued, waiting as long as the peer takes.
  mutating func flush() throws {
    var start = 0
    while start < outgoing.count {
      let sent = outgoing[start...].withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard sent > 0 else { throw LoadGenerator.Failure(description: "the connection broke while sending") }
      start += sent
    }
    outgoing.removeAll(keepingCapacity: true)
  }

  /// Reads once and returns the round-trip time of every reply that ended in what was read.
  mutating func receive() throws -> [UInt64] {
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { throw LoadGenerator.Failure(description: "the service closed the connection") }
    incoming.append(contentsOf: buffer[..<count])
    let now = monotonicNanoseconds()
    var times: [UInt64] = []
    var start = incoming.startIndex
    while let end = incoming[start...].firstIndex(of: UInt8(ascii: "\n")) {
      try checkReply(incoming[start..<end])
      times.append(now - sentAt[times.count])
      start = end + 1
    }
    incoming.removeSubrange(..<start)
    sentAt.removeFirst(times.count)
    return times
  }

  /// An error reply ends the run: a fast refusal must never pass for speed. Replies hold `error` only
  /// in their first bytes, after the id.
  private func checkReply(_ line: ArraySlice<UInt8>) throws {
    let head = String(decoding: line.prefix(64), as: UTF8.self)
    guard !head.contains("\"error\"") else {
      throw LoadGenerator.Failure(description: String(decoding: line.prefix(500), as: UTF8.self))
    }
  }
}
