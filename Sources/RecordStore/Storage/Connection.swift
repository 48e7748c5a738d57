internal import SQLite

/// A connection to a store's file, and its compiled statements. Confined to one thread at a time.
final class Connection {
  let database: Database
  private var statements: [Statement?] = Array(repeating: nil, count: SQL.allCases.count)

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
}
