import Glibc

/// Bytes that wait to be sent, in order.
struct Outbox {
  private var bytes: [UInt8] = []
  /// How many of them the socket has taken.
  private var sent = 0

  var count: Int { bytes.count - sent }
  var isEmpty: Bool { count == 0 }

  /// Puts the bytes that `write` appends behind those that wait.
  mutating func append(_ write: (inout [UInt8]) -> Void) {
    write(&bytes)
  }

  /// Sends until nothing waits or the socket takes no more now. That the connection is broken is
  /// found by reading, not here.
  mutating func send(to descriptor: Int32) {
    while !isEmpty {
      let count = bytes.withUnsafeBytes { bytes in
        Glibc.send(
          descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { break }
      sent += count
    }
    if isEmpty {
      // A large request's memory is not kept for the small ones after it.
      bytes.removeAll(keepingCapacity: bytes.capacity < 1 << 20)
      sent = 0
    } else if sent > 1 << 20 {
      bytes.removeFirst(sent)
      sent = 0
    }
  }
}
