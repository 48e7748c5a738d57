import Glibc

/// Keeps `depth` requests outstanding on each of `clients` connections: a closed loop, on one thread.
struct LoadGenerator {
  struct Figures {
    var perSecond: Double
    var latencies: Latencies
  }

  /// What ends a run, said to a person.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  let socketPath: String
  let clients: Int
  let depth: Int

  /// Sends `requests` in turn, from the start again after the last. Runs for `warmUp` + `seconds` and
  /// counts the replies of the latter; throws when a connection closes or a request fails.
  func run(_ requests: [[UInt8]], framing: ReplyFraming, warmUp: Double, seconds: Double) throws -> Figures {
    var next = 0
    func nextRequest() -> [UInt8] {
      next = next + 1 == requests.count ? 0 : next + 1
      return requests[next]
    }
    var connections = try (0..<clients).map { _ in try LoadConnection(socketPath, framing: framing) }
    defer { for connection in connections { close(connection.descriptor) } }
    for index in connections.indices {
      for _ in 0..<depth { connections[index].enqueue(nextRequest()) }
      try connections[index].flush()
    }

    let counted = monotonicNanoseconds() + UInt64(warmUp * 1e9)
    let end = counted + UInt64(seconds * 1e9)
    var latencies = Latencies()
    var polls = connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    var now = monotonicNanoseconds()
    while now < end {
      guard poll(&polls, nfds_t(polls.count), 1000) > 0 else {
        throw Failure(description: "no reply within a second")
      }
      for index in polls.indices where polls[index].revents != 0 {
        let times = try connections[index].receive()
        now = monotonicNanoseconds()
        for duration in times {
          if now >= counted { latencies.add(duration) }
          connections[index].enqueue(nextRequest())
        }
        try connections[index].flush()
      }
    }
    let elapsed = Double(now - counted) / 1e9
    return Figures(perSecond: Double(latencies.count) / elapsed, latencies: latencies)
  }
}
