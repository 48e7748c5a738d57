internal import SQLite

/// Room on the disk: a store that was given none any more still reads and deletes.
extension Writer {
  /// Gives up the log of changes, and lets the write-ahead log be used again from its start: it keeps its
  /// place on the disk, which is what deletions are written to when there is no other. Does what it can.
  func makeRoom() {
    restartLog()
    guard !isCurrent || state.changes > 0 else { return }
    do {
      try transact(keepsHistory: false) { (work: inout WriteTransaction) throws(SQLiteError) in
        try work.pruneAll()
      }
    } catch {
      file.log("store \(file.path): no room, and none could be made")
    }
    restartLog()
  }

  /// Whether a save may use what room there is, that of removed records in the file included.
  var hasRoom: Bool {
    guard let room = DiskRoom(forFile: file.path), let database = connection?.database,
      let pages = try? database.integer("PRAGMA freelist_count")
    else { return true }
    return room.free + Int(pages) * Self.pageBytes >= room.reserve
  }

  /// Whether an index may be built now: it is the first to do without.
  var hasRoomForIndexes: Bool {
    let pages = connection?.database.loggedPages ?? 0
    return DiskRoom(forFile: file.path)?.isShort(forLog: pages * Self.pageBytes) != true
  }

  /// Takes now what deleting needs when others have filled the disk: room in the file for all that is in the log, and a
  /// log that can be written from its start.
  func takeRoom() {
    guard let pages = try? connection?.database.integer("PRAGMA page_count") else { return }
    take(inFile: pages * Int64(Self.pageBytes) + Self.ahead / 2, ahead: Self.ahead / 2)
  }

  /// The file is left as it is until something is written: it may yet turn out to be damaged.
  func takeRoomForLog() {
    take(inFile: 0, ahead: 0)
  }

  private func take(inFile needed: Int64, ahead: Int64) {
    guard file.isDurable, let database = connection?.database else { return }
    guard (file.size() ?? 0) < needed || (file.size("-wal") ?? 0) < Self.log else { return }
    guard DiskRoom(forFile: file.path)?.isShort(forLog: Int(2 * Self.log)) == false else { return }
    // Where there is none after all, it is as if it had not been tried.
    try? database.takeRoom(file: needed + ahead, log: Self.log)
  }

  private static let log: Int64 = 256 << 10
  /// Less than is kept free on the smallest disk: the file gives it back when the log is copied, and a save is not to have it.
  private static let ahead: Int64 = 64 << 10
}
