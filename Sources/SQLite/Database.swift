internal import CSQLite

/// One connection to a database file.
///
/// Confined to one thread at a time: it may be handed over, not shared. A connection that was made for
/// writing and one for each reading thread, over one file, is the intended use.
public final class Database {
  /// What the connection may do with the file.
  public enum Access: Sendable {
    case readWrite
    /// As `readWrite`, and makes the file when it isn't there.
    case readWriteCreate
    /// Leaves the write-ahead log as it is, also as the last connection that closes: the log is found by its name,
    /// and may be another file's by then.
    case readOnly
    /// Read only, without locks and without the files beside it, on a medium that nobody can write to.
    /// The content of a write-ahead log beside the file is not seen.
    case immutable
    /// Read only, without locks, the content of a write-ahead log included, on a medium that nobody can write
    /// to.
    case alone
  }

  let handle: OpaquePointer
  private var cache: [String: Statement] = [:]
  /// Written by the engine after each commit of this connection, on its thread.
  private let logged = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

  /// Opens the file at `path`.
  ///
  /// - Parameter busyTimeout: milliseconds to wait for another connection's lock before `.busy`.
  public init(path: String, access: Access, busyTimeout: Int32) throws(SQLiteError) {
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI
    var suffix = ""
    switch access {
    case .readWrite: flags |= SQLITE_OPEN_READWRITE
    case .readWriteCreate: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .readOnly: flags |= SQLITE_OPEN_READONLY
    case .immutable:
      flags |= SQLITE_OPEN_READONLY
      suffix = "?immutable=1"
    case .alone:
      flags |= SQLITE_OPEN_READONLY
      suffix = "?vfs=unix-none"
    }
    var opened: OpaquePointer?
    let status = sqlite3_open_v2(Self.uri(path) + suffix, &opened, flags, nil)
    guard status == SQLITE_OK, let opened else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(opened)
      throw SQLiteError(extendedCode: status, message: message)
    }
    handle = opened
    sqlite3_busy_timeout(handle, busyTimeout)
    logged.initialize(to: 0)
    sqlite3_wal_hook(
      handle,
      { counter, _, _, pages in
        counter?.storeBytes(of: pages, as: Int32.self)
        return SQLITE_OK
      }, logged)
    // The log's index is then kept in memory and not in a file beside it.
    if access == .alone { try execute("PRAGMA locking_mode = EXCLUSIVE") }
    if access == .readOnly { csqlite_keep_log(handle) }
  }

  deinit {
    // Statements that outlive the connection keep it as a zombie until their own end.
    sqlite3_wal_hook(handle, nil, nil)
    logged.deallocate()
    sqlite3_close_v2(handle)
  }

  /// Milliseconds to wait for another connection's lock before `.busy`.
  public func setBusyTimeout(_ milliseconds: Int32) {
    sqlite3_busy_timeout(handle, milliseconds)
  }

  /// Runs one or more statements whose rows don't matter.
  public func execute(_ sql: String) throws(SQLiteError) {
    try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// A statement of its own, to be kept by the caller and used many times.
  public func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    try Statement(sql, in: self)
  }

  /// The statement of this text, compiled on first use and kept as long as the connection.
  ///
  /// For a fixed number of texts; it must not be in use already.
  public func cached(_ sql: String) throws(SQLiteError) -> Statement {
    if let statement = cache[sql] { return statement }
    let statement = try Statement(sql, in: self)
    cache[sql] = statement
    return statement
  }

  /// The first column of the first row, as an integer; nil without a row.
  public func integer(_ sql: String) throws(SQLiteError) -> Int64? {
    try prepare(sql).first { $0.int64(0) }
  }

  /// Whether a transaction is open. The engine ends one by itself after some failures.
  public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Whether the file can't be written through this connection.
  public var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// The rowid of the last row inserted by this connection.
  public var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Pages in the write-ahead log after the last commit of this connection. (The engine's own automatic
  /// checkpoints are off.)
  public var loggedPages: Int { Int(logged.pointee) }

  /// Stops what the connection runs, from any thread.
  public var interruptHandle: InterruptHandle { InterruptHandle(database: self) }

  func check(_ status: Int32) throws(SQLiteError) {
    guard status == SQLITE_OK else { throw error(status) }
  }

  func error(_ status: Int32) -> SQLiteError {
    SQLiteError(extendedCode: status, message: String(cString: sqlite3_errmsg(handle)))
  }

  /// The path as a `file:` address: `%`, `?` and `#` would otherwise be read as part of its syntax.
  private static func uri(_ path: String) -> String {
    var uri = "file:"
    for scalar in path.unicodeScalars {
      switch scalar {
      case "%": uri += "%25"
      case "?": uri += "%3f"
      case "#": uri += "%23"
      default: uri.unicodeScalars.append(scalar)
      }
    }
    return uri
  }
}

/// Stops the running statements of a connection; they fail with `.interrupted`.
///
/// Holds the connection only for that: `sqlite3_interrupt` is the one call that may come from a thread
/// other than the connection's, hence unchecked.
public struct InterruptHandle: @unchecked Sendable {
  let database: Database

  public func interrupt() {
    sqlite3_interrupt(database.handle)
  }
}
