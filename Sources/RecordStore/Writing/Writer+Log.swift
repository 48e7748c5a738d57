internal import SQLite

/// The write-ahead log: copied into the file in the background, and begun anew.
extension Writer {
  static let pageBytes = 4096
  /// In place of a number of pages: the log is being copied.
  private static let untilCopied = Int.max

  var isCopyingLog: Bool { pagesForCopying == Self.untilCopied }

  func copyLogIfLong() {
    guard let pages = connection?.database.loggedPages, pages > 0 else { return }
    if DiskRoom(forFile: file.path)?.isShort(forLog: pages * Self.pageBytes) == true {
      restartLog()
    } else if pages >= pagesForCopying {
      pagesForCopying = Self.untilCopied
      copyLog()
    }
  }

  /// Copies the few pages that came after the background's copying. Short, since those are in memory still.
  func finishCopyingLog() {
    _ = try? connection?.database.checkpoint(.passive)
  }

  /// Lets the log start anew: everything in it is copied, and readers renew when they hear of a group. Waits
  /// for them a moment only; otherwise a later time will do.
  func restartLog() {
    guard let database = connection?.database else { return }
    database.setBusyTimeout(20)
    defer { database.setBusyTimeout(file.busyTimeout) }
    let pages = configuration.limits.checkpointPages
    do {
      try database.checkpoint(.restart)
      pagesForCopying = pages
    } catch {
      pagesForCopying = database.loggedPages + pages
    }
  }
}
