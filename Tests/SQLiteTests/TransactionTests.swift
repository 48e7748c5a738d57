import SQLite
import Testing

@Suite struct TransactionTests {
  let database: Database

  init() throws {
    database = try Database(path: ":memory:", access: .readWriteCreate, busyTimeout: 0)
    try database.execute("CREATE TABLE t(a UNIQUE)")
  }

  private func count() throws -> Int64? { try database.integer("SELECT count(*) FROM t") }

  @Test("what is committed stays")
  func commit() throws {
    let transaction = try Transaction(.immediate, in: database)
    try database.execute("INSERT INTO t VALUES (1)")
    try transaction.commit()
    #expect(!database.isInTransaction)
    #expect(try count() == 1)
  }

  @Test("a transaction left by an error is rolled back")
  func dropped() throws {
    #expect(throws: SQLiteError.self) {
      let transaction = try Transaction(.immediate, in: database)
      try database.execute("INSERT INTO t VALUES (1)")
      try database.execute("INSERT INTO t VALUES (1)")
      try transaction.commit()
    }
    #expect(!database.isInTransaction)
    #expect(try count() == 0)
  }

  @Test("a savepoint undoes its own part only")
  func savepoint() throws {
    let transaction = try Transaction(.immediate, in: database)
    try database.execute("INSERT INTO t VALUES (1)")
    let undone = try Savepoint(in: database)
    try database.execute("INSERT INTO t VALUES (2)")
    try undone.undo()
    let kept = try Savepoint(in: database)
    try database.execute("INSERT INTO t VALUES (3)")
    try kept.keep()
    try transaction.commit()
    #expect(try database.integer("SELECT sum(a) FROM t") == 4)
  }

  @Test("a savepoint left by an error is undone, the transaction goes on")
  func droppedSavepoint() throws {
    let transaction = try Transaction(.immediate, in: database)
    try database.execute("INSERT INTO t VALUES (1)")
    #expect(throws: SQLiteError.self) {
      let part = try Savepoint(in: database)
      try database.execute("INSERT INTO t VALUES (2); INSERT INTO t VALUES (1)")
      try part.keep()
    }
    try transaction.commit()
    #expect(try count() == 1)
  }
}
