import JSONRPC
import Records
import SQLite

@testable import RecordStore

/// A full-text index in a store in memory, and the records that are in it.
final class FullTextFixture {
  let connection: Connection
  let index = FullTextIndex(id: 7)
  private(set) var records: [Int64: StoredRecord] = [:]

  init() throws {
    let database = try Database(path: ":memory:", access: .readWriteCreate, busyTimeout: 0)
    try Schema.create(in: database, identity: 1)
    connection = Connection(database)
    try index.create(in: connection)
  }

  /// Saves or replaces a record, given the JSON of its fields.
  func save(_ row: Int64, _ fields: String) throws {
    let record = StoredRecord(
      body: try JSON(parsing: #"{"recordType":"T","recordName":"r\#(row)","fields":\#(fields)}"#))
    if let before = records[row] {
      try index.replace(before, with: record, id: row, in: connection)
    } else {
      try index.insert(record, id: row, in: connection)
    }
    let body = try connection.database.cached(
      "INSERT OR REPLACE INTO record (id, name, zone, type, version, body) VALUES (?1, ?1, 1, 1, 1, ?2)")
    body.bind(row, at: 1)
    body.bind(record.body.bytes, at: 2)
    try body.run()
    records[row] = record
  }

  func delete(_ row: Int64) throws {
    guard let record = records.removeValue(forKey: row) else { return }
    try index.remove(record, id: row, in: connection)
    try connection.database.execute("UPDATE record SET body = NULL WHERE id = \(row)")
  }

  /// Does nothing in the end.
  func undo(_ body: () throws -> Void) throws {
    let before = records
    let part = try Savepoint(in: connection.database)
    try body()
    try part.undo()
    records = before
  }

  /// The rows that the index gives for the conditions.
  func rows(_ conditions: [FullTextCondition], after row: Int64 = 0) throws -> [Int64] {
    var rows: [Int64] = []
    let search = try FullTextSearch(conditions, in: index, connection)
    try search.forEach(after: row, in: connection) { row, record in
      rows.append(row)
      return records[row] == record
    }
    return rows
  }

  func rows(
    _ operand: String, _ mode: WordQuery.Mode = .allTerms, field: String? = nil, prefixes: Bool = false
  ) throws -> [Int64] {
    try rows([FullTextCondition(WordQuery(operand, mode: mode, matchesPrefixes: prefixes)!, field: field)])
  }

  /// Words that the engine knows of in any record.
  func vocabulary() throws -> [String] {
    let database = connection.database
    try database.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, \(index.table), row)")
    defer { try? database.execute("DROP TABLE temp.vocabulary") }
    var words: [String] = []
    let rows = try database.prepare("SELECT term FROM temp.vocabulary")
    while try rows.step() { words.append(rows.text(0)) }
    return words
  }
}

extension FullTextCondition {
  /// What the evaluator says.
  func holds(for record: StoredRecord) -> Bool {
    field.map { query.matches(record.json(ofField: $0)) } ?? query.matches(record)
  }
}
