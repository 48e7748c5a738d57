import CLinux
import Files
import Glibc

/// Bytes that wait to be sent, in order, and descriptors that go with some.
struct Outbox {
  private struct Attachment {
    /// Of its message, counted from the first byte that ever was in the outbox.
    let range: Range<Int>
    let descriptor: OwnedDescriptor
  }

  private var bytes: [UInt8] = []
  /// How many of them the socket has taken.
  private var sent = 0
  /// How many bytes were in it before `bytes`.
  private var offset = 0
  private var attachments: [Attachment] = []

  var count: Int { bytes.count - sent }
  var isEmpty: Bool { count == 0 }

  /// Puts the message that `write` appends behind those that wait.
  mutating func append(with descriptor: OwnedDescriptor? = nil, _ write: (inout [UInt8]) -> Void) {
    let first = offset + bytes.count
    write(&bytes)
    guard let descriptor else { return }
    attachments.append(Attachment(range: first..<offset + bytes.count, descriptor: descriptor))
  }

  /// Sends until nothing waits or the socket takes no more now. That the connection is broken is
  /// found by reading, not here.
  mutating func send(to descriptor: Int32) {
    while !isEmpty {
      let next = attachments.first
      let isNext = next?.range.lowerBound == offset + sent
      let end = (isNext ? next?.range.upperBound : next?.range.lowerBound).map { $0 - offset } ?? bytes.count
      let count = send(bytes[sent..<end], to: descriptor, passing: isNext ? next?.descriptor : nil)
      if count > 0 {
        if isNext { attachments.removeFirst() }
        sent += count
      } else if isNext, errno == ETOOMANYREFS {
        // The service says that it is missing.
        attachments.removeFirst()
      } else {
        break
      }
    }
    if isEmpty {
      // A large request's memory is not kept for the small ones after it.
      offset += bytes.count
      bytes.removeAll(keepingCapacity: bytes.capacity < 1 << 20)
      sent = 0
    } else if sent > 1 << 20 {
      bytes.removeFirst(sent)
      offset += sent
      sent = 0
    }
  }

  private func send(_ part: ArraySlice<UInt8>, to descriptor: Int32, passing passed: OwnedDescriptor?) -> Int
  {
    part.withUnsafeBytes {
      guard let passed else { return Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      return clinux_send_passing(descriptor, $0.baseAddress, $0.count, passed.rawValue)
    }
  }
}
