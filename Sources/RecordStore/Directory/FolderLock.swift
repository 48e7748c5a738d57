internal import CLinux
internal import Glibc
internal import Records

/// The right to keep records in a folder, for one process at a time: two would each push only what it
/// wrote itself, and hand out tokens that skip the other's changes.
///
/// A lock on the folder itself (flock(2)), so that it needs no file and can be had where nothing can be
/// written. It goes with the value, and with the process however that ends.
final class FolderLock: Sendable {
  private let descriptor: Int32

  /// Throws `storeBusy` while another process has it.
  init(_ path: String, log: (String) -> Void) throws(RecordError) {
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Folder.failure(errno, path, log) }
    guard clinux_lock_file(descriptor, 0) == 0 else {
      let code = errno
      close(descriptor)
      guard code == EWOULDBLOCK else { throw Folder.failure(code, path, log) }
      log("\(path): another service keeps its records there")
      throw RecordError(
        .storeBusy, "another service keeps its records where this one's are to be", retryAfter: 1)
    }
  }

  deinit { close(descriptor) }
}
