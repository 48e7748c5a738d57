internal import Glibc
internal import Records

/// Folders and small files of the service.
enum Folder {
  /// Makes the folder, and those above it, with mode 0700 where they are not there.
  static func make(_ path: String, log: (String) -> Void) throws(RecordError) {
    if makeOne(path) { return }
    let code = errno
    // A folder that is there may be on a medium that refuses even the attempt.
    if access(path, F_OK) == 0 { return }
    if code == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      try make(String(path[..<slash]), log: log)
      if makeOne(path) { return }
    }
    throw failure(code, path, log)
  }

  /// True when it is there. Its name is durable then: nothing in it that is synced is kept without.
  private static func makeOne(_ path: String) -> Bool {
    guard mkdir(path, 0o700) == 0 else { return errno == EEXIST }
    if sync(parentOf: path) { return true }
    let code = errno
    rmdir(path)
    errno = code
    return false
  }

  /// Puts a whole new content in the place of the file; durable when it returns true. Else `errno` says why.
  static func replace(_ path: String, with content: [UInt8]) -> Bool {
    let draft = path + ".new"
    let descriptor = open(draft, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return false }
    guard write(descriptor, content, content.count) == content.count, fsync(descriptor) == 0 else {
      let code = errno
      close(descriptor)
      unlink(draft)
      errno = code
      return false
    }
    close(descriptor)
    guard rename(draft, path) == 0 else { return false }
    return sync(parentOf: path)
  }

  /// Bytes of the file; nil when there is none.
  static func size(of path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  /// Makes the names in the folder of this file durable. When it returns false `errno` says why. Where a file system
  /// knows no such thing, there is nothing to wait for.
  @discardableResult
  static func sync(parentOf path: String) -> Bool {
    let folder = open(parent(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return errno == EACCES }
    let isSynced = fsync(folder) == 0 || errno == EINVAL || errno == EOPNOTSUPP
    let code = errno
    close(folder)
    errno = code
    return isSynced
  }

  /// The names in the folder, sorted; none when it can't be read.
  static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Removes the folder with all that is in it, what links there lead to not included. Logs what it can't remove.
  static func removeAll(_ path: String, log: (String) -> Void) {
    for name in names(in: path) {
      let inner = path + "/" + name
      if unlink(inner) == 0 || errno == ENOENT { continue }
      if errno == EISDIR || errno == EPERM {
        removeAll(inner, log: log)
      } else {
        _ = failure(errno, inner, log)
      }
    }
    if rmdir(path) != 0, errno != ENOENT { _ = failure(errno, path, log) }
  }

  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// What a client is told of a failed system call; the log is told all.
  static func failure(_ code: Int32, _ path: String, _ log: (String) -> Void) -> RecordError {
    log("\(path): \(String(cString: strerror(code)))")
    return switch code {
    case EROFS, EACCES, EPERM: .storageReadOnly
    case ENOSPC, EDQUOT, EFBIG: .storageFull
    default: .storeUnreachable
    }
  }
}
