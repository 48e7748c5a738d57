internal import JSONRPC
internal import Records
internal import SQLite

/// The full-text index of a record type: which records have which words (``Words``), in which fields.
///
/// It is a table of SQLite's FTS5 that keeps no text, only positions of words. What goes in are words as
/// `Words` cuts and folds them, which FTS5's `ascii` tokenizer takes as they are, so that nothing depends on
/// the engine's idea of a word. Since the table doesn't know what it holds, a record is taken out by giving
/// the same texts again: the writer has them in the record's old body. The table must be kept by one version
/// of `Words` from its making to its end, ``version``.
///
/// Every function runs inside the caller's transaction.
struct FullTextIndex: Sendable, Equatable {
  /// That of the `DeclaredIndex`; its table is named by it.
  let id: Int64

  init(id: Int64) { self.id = id }

  /// To be kept with the index, which is of no use, neither for reading nor for writing, to a program where
  /// this is another.
  static var version: String { "words \(Words.version)" }

  /// For `Schema`.
  static let tables = """
    -- The columns of the fields in a full-text index; see FullTextColumns. Its table is fullText and its number.
    CREATE TABLE fullTextField (
      declaredIndex INTEGER NOT NULL, name TEXT NOT NULL, slot INTEGER NOT NULL,
      PRIMARY KEY (declaredIndex, name)) WITHOUT ROWID;
    """

  var table: String { "fullText\(id)" }

  /// Makes its table, empty.
  func create(in connection: Connection) throws(SQLiteError) {
    try connection.database.execute(
      """
      CREATE VIRTUAL TABLE \(table) USING fts5(
        \(Self.columnNames), content = '', columnsize = 0, tokenize = 'ascii');
      INSERT INTO \(table) (\(table), rank) VALUES ('pgsz', \(Self.pageBytes));
      """)
  }

  /// Of a page of the engine's index. The engine merges a fixed number of them now and then while it writes:
  /// with smaller pages the writer is held up more often, and never for long.
  private static let pageBytes = 1000

  // MARK: Keeping it true

  /// Puts a record in, which must not be there yet. Gives the bytes of the words.
  @discardableResult
  func insert(_ record: StoredRecord, id: Int64, in connection: Connection) throws(SQLiteError) -> Int {
    var columns = try FullTextColumns(of: self, in: connection)
    try columns.add(record, assigningIn: connection)
    try put(columns, id, in: connection)
    return columns.bytes
  }

  /// Takes a record out, which must be there just as it is given. Gives the bytes of the words.
  @discardableResult
  func remove(_ record: StoredRecord, id: Int64, in connection: Connection) throws(SQLiteError) -> Int {
    var columns = try FullTextColumns(of: self, in: connection)
    columns.add(record)
    try take(columns, id, in: connection)
    return columns.bytes
  }

  /// Brings a record from one state, which must be the one that is there, to the other; writes nothing when
  /// its words stay as they are. Gives by how many bytes the words grew.
  @discardableResult
  func replace(
    _ before: StoredRecord, with after: StoredRecord, id: Int64, in connection: Connection
  ) throws(SQLiteError) -> Int {
    var old = try FullTextColumns(of: self, in: connection)
    var new = old
    old.add(before)
    try new.add(after, assigningIn: connection)
    guard old.words != new.words else { return 0 }
    try take(old, id, in: connection)
    try put(new, id, in: connection)
    return new.bytes - old.bytes
  }

  private func put(_ columns: FullTextColumns, _ id: Int64, in connection: Connection) throws(SQLiteError) {
    guard columns.bytes > 0 else { return }
    let insert = try connection.database.cached(
      "INSERT INTO \(table) (rowid, \(Self.columnNames)) VALUES (?1, \(Self.parameters))")
    try run(insert, columns, id)
  }

  private func take(_ columns: FullTextColumns, _ id: Int64, in connection: Connection) throws(SQLiteError) {
    guard columns.bytes > 0 else { return }
    let remove = try connection.database.cached(
      "INSERT INTO \(table) (\(table), rowid, \(Self.columnNames)) VALUES ('delete', ?1, \(Self.parameters))")
    try run(remove, columns, id)
  }

  private func run(_ statement: Statement, _ columns: FullTextColumns, _ id: Int64) throws(SQLiteError) {
    statement.bind(id, at: 1)
    for (slot, words) in columns.words.enumerated() {
      if words.isEmpty {
        statement.bindNull(at: Int32(slot + 2))
      } else {
        statement.bind(String(decoding: words, as: UTF8.self), at: Int32(slot + 2))
      }
    }
    try statement.run()
  }

  private static let columnNames = (0..<FullTextColumns.count).map { "c\($0)" }.joined(separator: ", ")
  private static let parameters = (0..<FullTextColumns.count).map { "?\($0 + 2)" }.joined(separator: ", ")

  // MARK: Removing it

  /// Pages that are removed before the next look at the time.
  private static let pagesAtOnce = 128

  /// Removes a part of it, as long as `mayGoOn`, asked again and again, says so. True when nothing is left of
  /// it. It must not be used any more from the first call on.
  func removePart(in connection: Connection, mayGoOn: () -> Bool) throws(SQLiteError) -> Bool {
    let database = connection.database
    let isThere = try database.integer("SELECT 1 FROM sqlite_schema WHERE name = '\(table)'") != nil
    // Its first two rows are what the engine knows it by.
    while isThere, try database.integer("SELECT 1 FROM \(table)_data WHERE id > 10 LIMIT 1") != nil {
      try database.execute(
        """
        DELETE FROM \(table)_data WHERE id IN
          (SELECT id FROM \(table)_data WHERE id > 10 ORDER BY id LIMIT \(Self.pagesAtOnce))
        """)
      guard mayGoOn() else { return false }
    }
    if isThere { try database.execute("DROP TABLE \(table)") }
    try database.execute("DELETE FROM fullTextField WHERE declaredIndex = \(id)")
    return true
  }
}
