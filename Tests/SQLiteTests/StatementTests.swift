import SQLite
import Testing

@Suite struct StatementTests {
  let database: Database

  init() throws {
    database = try Database(path: ":memory:", access: .readWriteCreate, busyTimeout: 0)
    try database.execute("CREATE TABLE t(a, b)")
  }

  @Test("values come back as they were bound", arguments: ["", "text", "zero\0inside", "é 漢字 👩‍👩‍👧"])
  func text(_ text: String) throws {
    let insert = try database.prepare("INSERT INTO t VALUES (?1, ?2)")
    insert.bind(text, at: 1)
    insert.bind(Array(text.utf8), at: 2)
    try insert.run()
    let select = try database.prepare("SELECT a, b, typeof(a), typeof(b) FROM t")
    #expect(try select.step())
    #expect(Array(select.text(0).utf8) == Array(text.utf8))
    #expect(select.bytes(1) == Array(text.utf8))
    #expect(select.text(2) == "text")
    #expect(select.text(3) == "blob")
    #expect(try !select.step())
  }

  @Test("integers keep both ends, and null is not zero", arguments: [Int64.min, -1, 0, 1, .max, nil])
  func integers(_ value: Int64?) throws {
    let echo = try database.prepare("SELECT ?1")
    echo.bind(value, at: 1)
    #expect(try echo.step())
    #expect(echo.optionalInt64(0) == value)
  }

  @Test("a kept statement serves again with new values")
  func reuse() throws {
    let insert = try database.cached("INSERT INTO t VALUES (?1, ?2)")
    for value in Int64(0)..<100 {
      insert.bind(value, at: 1)
      insert.bind(value * value, at: 2)
      try insert.run()
    }
    #expect(try database.cached("INSERT INTO t VALUES (?1, ?2)") === insert)
    #expect(try database.integer("SELECT sum(b) FROM t") == 328_350)
  }

  @Test("a parameter that the statement does not have is told at the next step, once")
  func wrongParameter() throws {
    let select = try database.prepare("SELECT ?1")
    select.bind(1, at: 2)
    #expect(throws: SQLiteError.self) { try select.run() }
    select.bind(7, at: 1)
    #expect(try select.first { $0.int64(0) } == 7)
  }

  @Test("the first row is enough; a missing one is nil")
  func first() throws {
    #expect(try database.prepare("SELECT 1 UNION SELECT 2").first { $0.int64(0) } == 1)
    #expect(try database.prepare("SELECT 1 WHERE 0").first { $0.int64(0) } == nil)
  }
}
