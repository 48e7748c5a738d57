internal import CSQLite

/// How far a checkpoint goes (https://sqlite.org/c3ref/wal_checkpoint_v2.html).
public enum CheckpointMode: Sendable {
  /// Copies what it can into the file, waiting for nobody.
  case passive
  /// Copies everything and waits for readers of the log, so that the next write starts it anew.
  case restart
  /// As `restart`, and shortens the log to nothing.
  case truncate
}

/// What a checkpoint left behind.
public struct CheckpointResult: Sendable, Equatable {
  /// Pages in the write-ahead log.
  public var logged: Int
  /// How many of them are in the file already.
  public var copied: Int

  public init(logged: Int, copied: Int) {
    self.logged = logged
    self.copied = copied
  }
}

extension Database {
  /// Copies pages from the write-ahead log into the file. `.busy` when another connection stood in the
  /// way for longer than the busy timeout; what could be copied is copied all the same.
  @discardableResult
  public func checkpoint(_ mode: CheckpointMode) throws(SQLiteError) -> CheckpointResult {
    let code =
      switch mode {
      case .passive: SQLITE_CHECKPOINT_PASSIVE
      case .restart: SQLITE_CHECKPOINT_RESTART
      case .truncate: SQLITE_CHECKPOINT_TRUNCATE
      }
    var logged: Int32 = 0
    var copied: Int32 = 0
    try check(sqlite3_wal_checkpoint_v2(handle, "main", code, &logged, &copied))
    return CheckpointResult(logged: Int(logged), copied: Int(copied))
  }

  /// Keeps the log and its index beside the file when the last connection closes, so that the file can
  /// be read later from a folder that can't be written.
  public func keepLogOnClose() throws(SQLiteError) {
    var on: Int32 = 1
    try check(sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &on))
  }
}
