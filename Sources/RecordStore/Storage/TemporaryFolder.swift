internal import Glibc
internal import Records

/// A fresh folder in memory, for a store that must not outlive the process: the same files as ever, on a
/// file system that has no disk.
struct TemporaryFolder: Sendable {
  let path: String

  /// Under `$XDG_RUNTIME_DIR` or `/dev/shm`; mode 0700.
  init() throws(RecordError) {
    let runtime = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }
    for parent in [runtime, "/dev/shm"].compactMap({ $0 }) {
      var template = Array("\(parent)/lists-memory-XXXXXX".utf8CString)
      if mkdtemp(&template) != nil {
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return
      }
    }
    throw .storeUnreachable
  }

  /// Removes it with what a store leaves in it.
  func remove() {
    Folder.removeAll(path) { _ in }
  }
}
