internal import CLinux
internal import Glibc

/// A file descriptor that is closed when nobody has it any more.
public final class OwnedDescriptor: Sendable {
  public let rawValue: Int32
  private let isForeign: Bool

  /// Takes over a descriptor that is open.
  ///
  /// - Parameter isForeign: another process made it. It may be anything, also what takes long to close:
  ///   whoever has it last doesn't wait for that.
  public init(_ rawValue: Int32, isForeign: Bool = false) {
    self.rawValue = rawValue
    self.isForeign = isForeign
  }

  /// Opens a file (open(2), with `O_CLOEXEC`); nil with `errno` set when that fails.
  public init?(opening path: String, _ flags: Int32, mode: UInt32 = 0o600) {
    let descriptor = open(path, flags | O_CLOEXEC, mode)
    guard descriptor >= 0 else { return nil }
    rawValue = descriptor
    isForeign = false
  }

  /// Another descriptor of what one leads to (dup(2), with `O_CLOEXEC`); nil with `errno` set when that fails.
  public convenience init?(copying other: Int32) {
    let descriptor = clinux_duplicate(other)
    guard descriptor >= 0 else { return nil }
    self.init(descriptor)
  }

  deinit {
    if isForeign { clinux_close_elsewhere(rawValue) } else { close(rawValue) }
  }
}
