import CLinux
import Files
import Glibc

/// Bytes that wait for a socket to take them, and descriptors that go with some.
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

  private struct Attachment {
    /// Of its message, counted from the first byte that ever was in the buffer.
    let range: Range<Int>
    let descriptor: OwnedDescriptor
  }

  /// More capacity than this is given back when the buffer is empty.
  private static let keptCapacity = 64 << 10
  /// A descriptor that waits counts as so many bytes, so that they are few.
  private static let weightOfDescriptor = 1 << 20

  private var bytes: [UInt8] = []
  private var start = 0
  /// How many bytes were in it before `bytes`.
  private var offset = 0
  private var attachments: [Attachment] = []

  var isEmpty: Bool { start == bytes.count }
  /// What waits, in bytes.
  var weight: Int { bytes.count - start + attachments.count * Self.weightOfDescriptor }

  /// Lets `body` append a message to the bytes.
  mutating func append(with descriptor: OwnedDescriptor?, _ body: (inout [UInt8]) -> Void) {
    if start > Self.keptCapacity, start > bytes.count / 2 {
      bytes.removeSubrange(..<start)
      offset += start
      start = 0
    }
    let first = offset + bytes.count
    body(&bytes)
    guard let descriptor else { return }
    attachments.append(Attachment(range: first..<offset + bytes.count, descriptor: descriptor))
  }

  mutating func removeAll() {
    offset += bytes.count
    bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
    start = 0
    attachments.removeAll()
  }

  /// Writes once, and once more around each message with a descriptor: to a Unix stream socket one call takes
  /// all that there is room for.
  mutating func write(to descriptor: Int32) -> Outcome {
    while !isEmpty {
      let next = attachments.first
      let isNext = next?.range.lowerBound == offset + start
      let end = (isNext ? next?.range.upperBound : next?.range.lowerBound).map { $0 - offset } ?? bytes.count
      let sent = send(bytes[start..<end], to: descriptor, passing: isNext ? next?.descriptor : nil)
      if sent >= 0 {
        if isNext { attachments.removeFirst() }
        start += sent
        if start < end { return .blocked }
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .blocked
      // Too many are on their way already: who needs this one asks for its bytes.
      case ETOOMANYREFS where isNext: attachments.removeFirst()
      default: return .broken
      }
    }
    removeAll()
    return .drained
  }

  private func send(_ part: ArraySlice<UInt8>, to descriptor: Int32, passing passed: OwnedDescriptor?) -> Int
  {
    part.withUnsafeBytes {
      guard let passed else { return Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      return clinux_send_passing(descriptor, $0.baseAddress, $0.count, passed.rawValue)
    }
  }
}
