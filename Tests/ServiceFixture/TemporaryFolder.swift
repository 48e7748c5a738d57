import Glibc

/// A folder of a test's own, removed with all that is in it when the value goes away.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() throws {
    var template = Array("/tmp/lists-test.XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw FixtureError("mkdtemp failed: \(errno)") }
    path = String(cString: made)
  }

  deinit {
    // A test may have taken away the right to remove what is inside.
    _ = try? runToEnd(["chmod", "-R", "u+rwX", path])
    _ = try? runToEnd(["rm", "-rf", path])
  }
}

/// What a fixture could not do; never what a test asserts.
public struct FixtureError: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

/// The folder of the built programs: that of the running test program.
public let buildFolder: String = {
  var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = readlink("/proc/self/exe", &buffer, buffer.count)
  let path = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
}()
