internal import SQLite

/// A connection to a store's file, and its compiled statements. Confined to one thread at a time.
final class Connection {
  let database: Database
  let versions = VersionChains()
  private var statements: [Statement?] = Array(repeating: nil, count: SQL.allCases.count)
  private var spare: [[Statement]] = Array(repeating: [], count: SQL.allCases.count)

  init(_ database: Database) {
    self.database = database
  }

  /// The statement, compiled on first use. Not to be used again before it is reset or has run out of rows.
  func statement(_ sql: SQL) throws(SQLiteError) -> Statement {
    if let statement = statements[sql.rawValue] { return statement }
    let statement = try database.prepare(sql.text)
    statements[sql.rawValue] = statement
    return statement
  }

  /// A statement of the caller's own, for who needs several of one kind at once; to be given back.
  func borrow(_ sql: SQL) throws(SQLiteError) -> Statement {
    if let statement = spare[sql.rawValue].popLast() { return statement }
    return try database.prepare(sql.text)
  }

  /// Takes back what was borrowed, wherever it stands.
  func giveBack(_ statement: Statement, of sql: SQL) {
    statement.reset()
    if spare[sql.rawValue].count < 8 { spare[sql.rawValue].append(statement) }
  }
}
