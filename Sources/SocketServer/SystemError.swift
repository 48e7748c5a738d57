import Glibc

/// A system call that failed: which one, on what, and its errno.
public struct SystemError: Error, Sendable, CustomStringConvertible {
  public let call: String
  public let code: Int32

  /// Reads errno, so make it right after the call that failed.
  public init(_ call: String) {
    self.init(call, code: errno)
  }

  public init(_ call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  public var description: String {
    "\(call): \(String(cString: strerror(code)))"
  }
}
