import CLinux
import Glibc

/// Standard output or standard error. Text is held until `flush`, or until there is much of it; whoever
/// may wait for something else flushes before.
final class Output {
  let isTerminal: Bool
  /// Bold and colours may be used.
  let isStyled: Bool
  private let descriptor: Int32
  private var buffer: [UInt8] = []

  init(descriptor: Int32) {
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
    let refusal = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    let isDumb = getenv("TERM").map { strcmp($0, "dumb") == 0 } ?? true
    isStyled = isTerminal && !refusal && !isDumb
  }

  /// The terminal's width; nil when this is none.
  var columns: Int? {
    let columns = Int(clinux_terminal_columns(descriptor))
    return columns > 0 ? columns : nil
  }

  /// - Throws: `Failure.outputClosed` when nobody reads any more.
  func write(_ text: String) throws(Failure) {
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= 1 << 16 { try flush() }
  }

  func write(_ bytes: [UInt8]) throws(Failure) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= 1 << 16 { try flush() }
  }

  /// Writes bytes and a line feed.
  func writeLine(_ bytes: some Collection<UInt8>) throws(Failure) {
    buffer.append(contentsOf: bytes)
    buffer.append(0x0A)
    if buffer.count >= 1 << 16 { try flush() }
  }

  /// Hands everything on.
  func flush() throws(Failure) {
    var start = 0
    // Also after a failure: what can't be written must not be tried again.
    defer { buffer.removeAll(keepingCapacity: true) }
    while start < buffer.count {
      let count = buffer.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress.map { $0 + start }, $0.count - start)
      }
      if count > 0 {
        start += count
      } else if errno == EAGAIN {
        var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&writable, 1, -1)
      } else if errno == EPIPE {
        throw .outputClosed
      } else if errno != EINTR {
        throw .trouble("can't write the output: \(String(cString: strerror(errno)))")
      }
    }
  }

  /// A message of the program's, under its name; for standard error.
  func say(_ message: String) {
    try? write("listsrpc: \(message)\n")
    try? flush()
  }

  func bold(_ text: String) -> String { isStyled ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
  func dim(_ text: String) -> String { isStyled ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
}
