internal import CSQLite

extension Database {
  /// Copies every page into another, empty database, as the snapshot has them that is open on this connection.
  ///
  /// - Parameter isStopped: asked now and then; `.interrupted` when it says so.
  public func copy(into other: Database, isStopped: () -> Bool) throws(SQLiteError) {
    guard let copying = sqlite3_backup_init(other.handle, "main", handle, "main") else {
      throw other.error(sqlite3_extended_errcode(other.handle))
    }
    var status = SQLITE_OK
    while status == SQLITE_OK {
      if isStopped() {
        status = SQLITE_INTERRUPT
      } else {
        status = sqlite3_backup_step(copying, Self.pagesAtOnce)
      }
    }
    let end = sqlite3_backup_finish(copying)
    guard status == SQLITE_DONE else {
      throw SQLiteError(extendedCode: status, message: String(cString: sqlite3_errstr(status)))
    }
    try other.check(end)
  }

  private static let pagesAtOnce: Int32 = 256

  /// Takes nothing on trust that the file's schema says: no triggers, no views, no functions with side effects.
  public func distrustSchema() throws(SQLiteError) {
    try check(csqlite_distrust_schema(handle))
  }
}
