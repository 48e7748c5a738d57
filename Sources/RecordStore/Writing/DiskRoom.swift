internal import Glibc

/// How much room there is on the disk that a file is on.
struct DiskRoom {
  /// Bytes that can still be written.
  let free: Int
  /// Bytes that are kept for deletions: they need some before they give any.
  let reserve: Int

  /// Nil when the system won't say.
  init?(forFile path: String) {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    let unit = Int(clamping: status.f_frsize)
    free = Int(clamping: status.f_bavail).multipliedReportingOverflow(by: unit).partialValue
    let total = Int(clamping: status.f_blocks).multipliedReportingOverflow(by: unit).partialValue
    reserve = min(1 << 20, total / 16)
  }

  /// Whether only deletions are to be written.
  var isShort: Bool { free < reserve }

  /// Whether a log of this size must be copied into the file now, since it might not fit later.
  func isShort(forLog bytes: Int) -> Bool { free < max(reserve, 2 * bytes) }
}
