import CLinux
import Glibc

/// A small file that is replaced whole, and locked from its opening to the end of the program: the lock of a new one
/// is taken before it gets the name, so there is no moment at which another program could have both.
final class LockedFile {
  /// It is not larger than this; nor is it read beyond.
  private static let maximumBytes = 1 << 20

  /// Where it is, symbolic links followed.
  let path: String
  /// The file that has the name, and with it the lock.
  private var descriptor: Int32

  /// Opens and locks the file, which is made if there is none.
  ///
  /// - Throws: `Failure.trouble` when it can't be used, or is another program's at the moment.
  init(_ path: String) throws(Failure) {
    self.path = Self.target(of: path)
    descriptor = try Self.openLocked(self.path)
  }

  deinit { close(descriptor) }

  /// What is in it; empty for one that was only made.
  func read() throws(Failure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.maximumBytes)
    var count = 0
    while count < bytes.count {
      let more = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count)
      }
      if more == 0 { break }
      guard more > 0 || errno == EINTR else { throw Self.failure("read", path) }
      count += max(0, more)
    }
    return Array(bytes[..<count])
  }

  /// Puts a new content in place of the old one; on the disk when this returns.
  func replace(_ bytes: [UInt8]) throws(Failure) {
    guard Self.isSame(descriptor, path) else {
      throw .trouble("\(path) was removed or replaced by another program")
    }
    let temporary = Self.temporary(for: path)
    unlink(temporary)
    let new = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard new >= 0 else { throw Self.failure("write", temporary) }
    let isReplaced =
      clinux_lock_file(new, 0) == 0 && Self.write(bytes, to: new) && fsync(new) == 0
      && rename(temporary, path) == 0
    guard isReplaced else {
      let failure = Self.failure("write", path)
      close(new)
      unlink(temporary)
      throw failure
    }
    close(descriptor)
    descriptor = new
  }

  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var start = 0
    while start < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress.map { $0 + start }, $0.count - start)
      }
      guard count > 0 || errno == EINTR else { return false }
      start += max(0, count)
    }
    return true
  }

  /// Opens the file that has the name when its lock is taken.
  private static func openLocked(_ path: String) throws(Failure) -> Int32 {
    while true {
      // Without waiting: a pipe would otherwise be waited for.
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
      guard descriptor >= 0 else { throw failure("open", path) }
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        close(descriptor)
        throw .trouble("\(path) is no file")
      }
      guard clinux_lock_file(descriptor, 0) == 0 else {
        let fault = errno
        close(descriptor)
        guard fault == EWOULDBLOCK else { throw failure("lock", path, fault) }
        throw .trouble("\(path) is in use by another listsrpc")
      }
      // The one who had the lock may have put a new file in its place.
      if isSame(descriptor, path) { return descriptor }
      close(descriptor)
    }
  }

  private static func isSame(_ descriptor: Int32, _ path: String) -> Bool {
    var opened = stat()
    var named = stat()
    return fstat(descriptor, &opened) == 0 && stat(path, &named) == 0 && opened.st_ino == named.st_ino
      && opened.st_dev == named.st_dev
  }

  private static func target(of path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func temporary(for path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return "\(path.dropLast(name.count)).\(name).new"
  }

  private static func failure(_ what: String, _ path: String, _ fault: Int32 = errno) -> Failure {
    .trouble("can't \(what) \(path): \(String(cString: strerror(fault)))")
  }
}
