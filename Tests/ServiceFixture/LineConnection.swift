internal import CLinux
public import Files
import Glibc

/// A raw connection to a service's socket: bytes out, lines in. Each wait has a bound, so that a reply
/// that never comes fails the test and doesn't hang it.
public final class LineConnection {
  public let descriptor: Int32
  private var received: [UInt8] = []
  /// What came with what was received so far.
  public private(set) var passed: [OwnedDescriptor] = []
  private let patience: Int32

  /// Connects; `patience` is how long each wait may take, in milliseconds.
  public init(to path: String, patience: Int32 = 20_000) throws {
    self.patience = patience
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw FixtureError("path too long: \(path)")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else {
      // Everything is set, so the end of the object closes the descriptor.
      let reason = String(cString: strerror(errno))
      throw FixtureError("can't connect to \(path): \(reason)")
    }
  }

  deinit { close(descriptor) }

  /// Sends the bytes of `text` as they are; a line needs its own "\n".
  public func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// Sends the bytes as they are, waiting while the peer takes them.
  public func send(_ bytes: [UInt8]) throws {
    var start = 0
    while start < bytes.count {
      let count = bytes[start...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw FixtureError("send failed: \(String(cString: strerror(errno)))") }
      start += count
    }
  }

  /// Sends the bytes in one call, with the descriptors.
  public func send(_ text: String, passing descriptors: [Int32]) throws {
    let headerBytes = 2 * MemoryLayout<Int>.size
    var control = [UInt8](repeating: 0, count: headerBytes + (descriptors.count * 4 + 7) / 8 * 8)
    control.withUnsafeMutableBytes {
      $0.storeBytes(of: headerBytes + descriptors.count * 4, as: Int.self)
      $0.storeBytes(of: SOL_SOCKET, toByteOffset: 8, as: Int32.self)
      $0.storeBytes(of: Int32(SCM_RIGHTS), toByteOffset: 12, as: Int32.self)
      for (index, descriptor) in descriptors.enumerated() {
        $0.storeBytes(of: descriptor, toByteOffset: headerBytes + index * 4, as: Int32.self)
      }
    }
    var bytes = Array(text.utf8)
    let sent = bytes.withUnsafeMutableBytes { bytes in
      control.withUnsafeMutableBytes { control in
        var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
        return withUnsafeMutablePointer(to: &part) {
          var message = msghdr()
          message.msg_iov = $0
          message.msg_iovlen = 1
          message.msg_control = control.baseAddress
          message.msg_controllen = control.count
          return sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
        }
      }
    }
    guard sent == bytes.count else {
      throw FixtureError("sendmsg failed: \(String(cString: strerror(errno)))")
    }
  }

  /// Says that nothing more comes; what is still owed can be read.
  public func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// The next line without its line feed; nil at the end of the stream.
  public func receiveLine() throws -> String? {
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: received[..<end], as: UTF8.self)
        received.removeSubrange(...end)
        return line
      }
      guard try receiveMore() else {
        guard received.isEmpty else {
          throw FixtureError("the stream ended within a line: \(received.count) bytes")
        }
        return nil
      }
    }
  }

  /// Everything up to the end of the stream.
  public func receiveToEnd() throws -> [UInt8] {
    while try receiveMore() {}
    defer { received = [] }
    return received
  }

  /// Reads once; false at the end of the stream.
  private func receiveMore() throws -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, patience) > 0 else { throw FixtureError("nothing came within \(patience) ms") }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var passed: Int32 = -1
    let count = clinux_receive(descriptor, &buffer, buffer.count, &passed)
    if passed >= 0 { self.passed.append(OwnedDescriptor(passed)) }
    guard count >= 0 else { throw FixtureError("recv failed: \(String(cString: strerror(errno)))") }
    received.append(contentsOf: buffer[..<count])
    return count > 0
  }
}
