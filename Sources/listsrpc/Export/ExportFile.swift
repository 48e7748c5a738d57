import Glibc

/// A file that takes the place of the old one once it is whole. What is no regular file is written as it is.
final class ExportFile {
  let output: Output
  let descriptor: Int32
  /// Where it is, symbolic links followed.
  private let path: String
  /// What is renamed in the end; nil when it has its name already.
  private let draft: String?
  private var isFinished = false

  init(_ path: String) throws(Failure) {
    let target = Self.target(of: path)
    var status = stat()
    let isSpecial = stat(target, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    self.path = target
    draft = isSpecial ? nil : target + ".part"
    descriptor = open(draft ?? target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    output = Output(descriptor: descriptor)
    // Everything is set, so that the end of the object has nothing to clear away.
    guard descriptor >= 0 else { throw failure() }
  }

  deinit {
    guard !isFinished, descriptor >= 0 else { return }
    close(descriptor)
    if let draft { unlink(draft) }
  }

  func finish() throws(Failure) {
    try output.flush()
    // Devices and pipes can't be synced.
    guard fsync(descriptor) == 0 || draft == nil, close(descriptor) == 0 else { throw failure() }
    isFinished = true
    if let draft, rename(draft, path) != 0 { throw failure() }
  }

  private static func target(of path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private func failure() -> Failure {
    .trouble("can't write \(path): \(String(cString: strerror(errno)))")
  }
}
