import Glibc

/// A fresh folder, removed with everything in it when the last reference goes.
final class TemporaryDirectory: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/sqlite-tests-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
  }

  deinit {
    guard let folder = opendir(path) else { return }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      unlink("\(path)/\(name)")
    }
    closedir(folder)
    rmdir(path)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }
}
