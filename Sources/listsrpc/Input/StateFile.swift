import CLinux
import Glibc
import JSONRPC

/// A file that says how far a verb has come with the changes, so that it goes on from there when started again.
///
/// It is replaced whole, and locked from its opening to the end of the program: the lock of a new one is taken
/// before it gets the name, so there is no moment at which another program could have both.
final class StateFile {
  /// The state is not larger than this; nor is it read beyond.
  private static let maximumBytes = 1 << 20

  /// The position up to which everything was taken in; nil when nothing is noted yet.
  private(set) var changeToken: String?
  /// An earlier run began, and ended before it could note a position: what it printed of the beginning is not whole.
  private(set) var isInterrupted = false
  private let path: String
  private let verb: String
  private let watched: JSONNode
  /// The file that has the name, and with it the lock.
  private var descriptor: Int32

  /// Opens and locks the file, which is made if there is none.
  ///
  /// - Parameters:
  ///   - path: Where it is; a symbolic link is followed.
  ///   - verb: Whose state it is.
  ///   - watched: What the changes are of: a state of anything else is refused.
  /// - Throws: `Failure.trouble` when the file can't be used, is another program's at the moment, or is no such
  ///   state. The file is as it was then.
  init(_ path: String, verb: String, watched: JSONNode) throws(Failure) {
    self.path = Self.target(of: path)
    self.verb = verb
    self.watched = watched
    descriptor = try Self.openLocked(self.path)
    do throws(Failure) {
      try readState()
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit { close(descriptor) }

  // MARK: Writing

  /// Notes that something is printed from here on, where no position is noted yet.
  func begin() throws(Failure) {
    if changeToken == nil, !isInterrupted { try write(.null) }
  }

  /// Notes a position, unless it is noted already; on the disk when this returns.
  func save(_ token: String) throws(Failure) {
    guard token != changeToken else { return }
    try write(.string(token))
    changeToken = token
  }

  private func write(_ token: JSONNode) throws(Failure) {
    guard Self.isSame(descriptor, path) else {
      throw .trouble("\(path) was removed or replaced by another program")
    }
    let temporary = Self.temporary(for: path)
    unlink(temporary)
    let new = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard new >= 0 else { throw Self.failure("write", temporary) }
    let isReplaced =
      clinux_lock_file(new, 0) == 0 && Self.write(text(token), to: new) && fsync(new) == 0
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

  private func text(_ token: JSONNode) -> [UInt8] {
    let state: JSONNode = [
      "listsrpc": .string(verb), "watched": watched, "changeToken": token,
    ]
    return state.encoded() + [0x0A]
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
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

  // MARK: Reading

  private func readState() throws(Failure) {
    var bytes = [UInt8](repeating: 0, count: Self.maximumBytes)
    var count = 0
    while count < bytes.count {
      let more = bytes.withUnsafeMutableBytes {
        read(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count)
      }
      if more == 0 { break }
      guard more > 0 || errno == EINTR else { throw Self.failure("read", path) }
      count += max(0, more)
    }
    // It was made to be locked, and nothing was noted before the end.
    if count == 0 { return }
    guard let state = try? JSON(parsing: Array(bytes[..<count])), let owner = state["listsrpc"]?.stringValue,
      let other = state["watched"], let token = state["changeToken"], token.isNull || token.kind == .string
    else { throw .trouble("\(path) is no state of 'listsrpc \(verb)'; it was left alone") }
    guard owner == verb else {
      throw .trouble("\(path) is a state of 'listsrpc \(DisplayText.harmless(owner))', not of '\(verb)'")
    }
    guard JSONNode(other) == JSONNode(watched.json) else {
      throw .trouble(
        "\(path) is the state of other changes than those asked for.\n  there:  "
          + "\(DisplayText.harmless(other.text))\n  asked:  \(DisplayText.harmless(watched.json.text))\n"
          + "Use another file, or remove this one to begin anew.")
    }
    changeToken = token.stringValue
    isInterrupted = token.isNull
  }

  // MARK: The file

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
