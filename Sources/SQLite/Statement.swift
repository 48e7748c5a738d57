internal import CSQLite

/// A compiled statement: bind values, step through rows, read columns, reset.
///
/// Parameters count from 1 (`?1`), columns from 0, as in SQL and in the engine. Confined to its
/// connection's thread. One that outlives its connection stays safe to use.
public final class Statement {
  private let handle: OpaquePointer
  /// A failure to bind, told by the next step, so that callers need not handle it at each value.
  private var bindFailure: Int32 = SQLITE_OK

  init(_ sql: String, in database: Database) throws(SQLiteError) {
    var compiled: OpaquePointer?
    let status = sqlite3_prepare_v3(
      database.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, nil)
    try database.check(status)
    guard let compiled else {
      throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "empty statement")
    }
    handle = compiled
  }

  deinit {
    sqlite3_finalize(handle)
  }

  // MARK: Values in

  public func bind(_ value: Int64, at parameter: Int32) {
    note(sqlite3_bind_int64(handle, parameter, value))
  }

  public func bind(_ value: Int64?, at parameter: Int32) {
    if let value { bind(value, at: parameter) } else { bindNull(at: parameter) }
  }

  public func bind(_ text: String, at parameter: Int32) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        // A null pointer would bind NULL, so empty text has a call of its own.
        note(
          characters.isEmpty
            ? sqlite3_bind_text(handle, parameter, "", 0, Self.copied)
            : sqlite3_bind_text64(
              handle, parameter, characters.baseAddress, UInt64(characters.count), Self.copied,
              UInt8(SQLITE_UTF8)))
      }
    }
  }

  public func bind(_ bytes: [UInt8], at parameter: Int32) {
    bytes.withUnsafeBytes { bind(blob: $0, at: parameter) }
  }

  public func bind(_ bytes: ArraySlice<UInt8>, at parameter: Int32) {
    bytes.withUnsafeBytes { bind(blob: $0, at: parameter) }
  }

  /// Copies the bytes; they need not outlive the call.
  public func bind(blob bytes: UnsafeRawBufferPointer, at parameter: Int32) {
    note(
      bytes.isEmpty
        ? sqlite3_bind_zeroblob(handle, parameter, 0)
        : sqlite3_bind_blob64(
          handle, parameter, bytes.baseAddress, UInt64(bytes.count), Self.copied))
  }

  public func bindNull(at parameter: Int32) {
    note(sqlite3_bind_null(handle, parameter))
  }

  // MARK: Rows out

  /// Goes to the next row. False when there is none left; the statement is then reset.
  public func step() throws(SQLiteError) -> Bool {
    guard bindFailure == SQLITE_OK else {
      let failure = bindFailure
      reset()
      throw failed(failure)
    }
    let status = sqlite3_step(handle)
    switch status {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      reset()
      return false
    default:
      let error = failed(status)
      reset()
      throw error
    }
  }

  /// Runs to the end, ignoring rows.
  public func run() throws(SQLiteError) {
    while try step() {}
  }

  /// Reads the first row, if there is one, and resets.
  public func first<Value>(_ read: (Statement) -> Value) throws(SQLiteError) -> Value? {
    guard try step() else { return nil }
    defer { reset() }
    return read(self)
  }

  /// Back before the first row. Bound values stay.
  public func reset() {
    bindFailure = SQLITE_OK
    sqlite3_reset(handle)
  }

  // MARK: Columns of the current row

  public func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  public func int64(_ column: Int32) -> Int64 {
    sqlite3_column_int64(handle, column)
  }

  public func optionalInt64(_ column: Int32) -> Int64? {
    isNull(column) ? nil : int64(column)
  }

  /// The column as text; bytes that are not UTF-8 are repaired.
  public func text(_ column: Int32) -> String {
    guard let start = sqlite3_column_text(handle, column) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  public func bytes(_ column: Int32) -> [UInt8] {
    withBytes(column) { [UInt8]($0) }
  }

  /// The column's bytes in place, valid during the call only.
  public func withBytes<Value, Failure: Error>(
    _ column: Int32, _ read: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let start = sqlite3_column_blob(handle, column)
    let count = start == nil ? 0 : Int(sqlite3_column_bytes(handle, column))
    return try read(UnsafeRawBufferPointer(start: start, count: count))
  }

  // MARK: -

  /// Tells the engine to copy what is bound before the call returns (SQLITE_TRANSIENT, a macro that
  /// Swift can't import).
  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  private func failed(_ status: Int32) -> SQLiteError {
    let message = sqlite3_errmsg(sqlite3_db_handle(handle))
    return SQLiteError(extendedCode: status, message: message.map { String(cString: $0) } ?? "")
  }

  private func note(_ status: Int32) {
    if bindFailure == SQLITE_OK { bindFailure = status }
  }
}
