import Glibc
import JSONRPC

/// A file of JSON lines that grows, and can be cut back to where it was.
final class SpoolFile {
  private let path: String
  private let descriptor: Int32
  private var pending: [UInt8] = []
  private var isSynced = true
  /// How long it is, with what is not written yet.
  private(set) var length: Int64

  /// - Parameters:
  ///   - path: Where it is; nil for one that nobody sees, which goes with the program.
  ///   - length: How much of what is there stays.
  init(_ path: String?, keeping length: Int64) throws(Failure) {
    if let path {
      self.path = path
      descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    } else {
      self.path = "a temporary file"
      descriptor = Self.openNameless()
    }
    self.length = length
    guard descriptor >= 0 else { throw failure() }
    var status = stat()
    guard fstat(descriptor, &status) == 0, Int64(status.st_size) >= length else {
      throw .trouble("\(self.path) is shorter than it was when the import stopped")
    }
    guard ftruncate(descriptor, off_t(length)) == 0, lseek(descriptor, off_t(length), SEEK_SET) >= 0 else {
      throw failure()
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  private static func openNameless() -> Int32 {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(folder)/listsrpc.XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    if descriptor >= 0 { unlink(template) }
    return descriptor
  }

  func append(_ line: JSONNode) throws(Failure) {
    let bytes = line.encoded() + [0x0A]
    pending += bytes
    length += Int64(bytes.count)
    if pending.count > 1 << 18 { try flush() }
  }

  /// Has what was appended on the disk.
  func sync() throws(Failure) {
    try flush()
    guard isSynced || fdatasync(descriptor) == 0 else { throw failure() }
    isSynced = true
  }

  /// Reads the lines from the beginning; nothing may be appended any more.
  func reader() throws(Failure) -> SpoolReader {
    try flush()
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw failure() }
    return SpoolReader(file: InputFile(reading: dup(descriptor), name: path))
  }

  private func flush() throws(Failure) {
    guard !pending.isEmpty else { return }
    guard LockedFile.write(pending, to: descriptor) else { throw failure() }
    pending.removeAll(keepingCapacity: true)
    isSynced = false
  }

  private func failure() -> Failure {
    .trouble("can't write \(path): \(String(cString: strerror(errno)))")
  }
}

/// The lines of a spool file, one after the other.
struct SpoolReader {
  fileprivate let file: InputFile

  /// The next line; nil at the end.
  func next() throws(Failure) -> JSON? {
    while let line = try file.nextLine(limit: .max) {
      if case .bytes(let bytes) = line, let value = try? JSON(parsing: bytes) { return value }
    }
    return nil
  }
}
