import Glibc

/// Bytes that wait for a socket to take them.
struct OutputBuffer {
  /// How one attempt to write ended.
  enum Outcome: Equatable {
    /// Everything left.
    case drained
    /// The socket is full.
    case blocked
    /// The peer is gone.
    case broken
  }

  /// More capacity than this is given back when the buffer is empty.
  private static let keptCapacity = 64 << 10

  private var bytes: [UInt8] = []
  private var start = 0

  var count: Int { bytes.count - start }
  var isEmpty: Bool { start == bytes.count }

  /// Lets `body` append to the bytes.
  mutating func append(_ body: (inout [UInt8]) -> Void) {
    if start > Self.keptCapacity, start > bytes.count / 2 {
      bytes.removeSubrange(..<start)
      start = 0
    }
    body(&bytes)
  }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
    start = 0
  }

  /// Writes once: to a Unix stream socket one call takes all that there is room for.
  mutating func write(to descriptor: Int32) -> Outcome {
    if isEmpty { return .drained }
    while true {
      let sent = bytes.withUnsafeBytes {
        send(descriptor, $0.baseAddress?.advanced(by: start), count, Int32(MSG_NOSIGNAL))
      }
      if sent >= 0 {
        start += sent
        if !isEmpty { return .blocked }
        removeAll()
        return .drained
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .blocked
      default: return .broken
      }
    }
  }
}
