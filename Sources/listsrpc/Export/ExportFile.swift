import Glibc

/// A file that takes the place of the old one once it is whole.
struct ExportFile {
  let output: Output
  let descriptor: Int32
  private let path: String
  private let draft: String

  init(_ path: String) throws(Failure) {
    self.path = path
    draft = path + ".part"
    descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw .trouble("can't write \(path): \(String(cString: strerror(errno)))") }
    output = Output(descriptor: descriptor)
  }

  func finish() throws(Failure) {
    try output.flush()
    guard fsync(descriptor) == 0, close(descriptor) == 0, rename(draft, path) == 0 else {
      throw .trouble("can't write \(path): \(String(cString: strerror(errno)))")
    }
  }
}
