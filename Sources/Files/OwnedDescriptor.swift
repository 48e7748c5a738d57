internal import CLinux
internal import Glibc

/// A file descriptor that is closed when nobody has it any more.
public final class OwnedDescriptor: Sendable {
  public let rawValue: Int32

  /// Takes over a descriptor that is open.
  public init(_ rawValue: Int32) { self.rawValue = rawValue }

  /// Opens a file (open(2), with `O_CLOEXEC`); nil with `errno` set when that fails.
  public init?(opening path: String, _ flags: Int32, mode: UInt32 = 0o600) {
    let descriptor = open(path, flags | O_CLOEXEC, mode)
    guard descriptor >= 0 else { return nil }
    rawValue = descriptor
  }

  deinit { close(rawValue) }
}
