internal import JSONRPC
internal import Records
internal import SQLite

/// What a query demands of the texts of every record that matches.
struct FullTextCondition: Sendable, Equatable {
  let query: WordQuery
  /// The field whose texts it is about; nil for all texts of the record.
  let field: String?

  init(_ query: WordQuery, field: String? = nil) {
    self.query = query
    self.field = field
  }
}

/// Finds the records in a full-text index that fulfil conditions: all that do, and hardly any other.
///
/// (What it finds besides: words that differ only behind ``FullTextColumns/maximumWordBytes``, and fields that
/// share a column.) Good for the snapshot in which it was made.
struct FullTextSearch {
  private let index: FullTextIndex
  /// In the engine's language; nil when nothing can be found.
  ///
  /// Of what clients say there are only folded words in it, each in quotes: letters and digits, and no ASCII
  /// besides that.
  private let expression: String?

  /// For records that fulfil all of the conditions.
  init(
    _ conditions: [FullTextCondition], in index: FullTextIndex, _ connection: Connection
  ) throws(SQLiteError) {
    self.index = index
    let columns = try FullTextColumns(of: index, in: connection)
    var parts: [String] = []
    var room = Self.maximumWords
    for condition in conditions {
      guard let part = Self.expression(for: condition, columns) else {
        expression = nil
        return
      }
      // To leave one out is to find too much.
      room -= condition.query.terms.reduce(0) { $0 + $1.count }
      if room >= 0 { parts.append(part) }
    }
    expression = parts.isEmpty ? nil : parts.joined(separator: " AND ")
  }

  /// Of all conditions that are looked at; the first has no more.
  private static let maximumWords = WordQuery.maximumWords * 2

  /// How many records it finds, or `limit` when they are that many: what it takes to find them, without reading
  /// any.
  func count(upTo limit: Int, in connection: Connection) throws(SQLiteError) -> Int {
    guard let expression else { return 0 }
    let count = try connection.database.prepare(
      "SELECT count(*) FROM (SELECT rowid FROM \(index.table) WHERE \(index.table) MATCH ?1 LIMIT ?2)")
    count.bind(expression, at: 1)
    count.bind(Int64(limit), at: 2)
    return Int(try count.first { $0.int64(0) } ?? 0)
  }

  /// Gives the records that it finds to `visit`, with their rows and in the order of those, until it returns
  /// false; only those behind a row.
  func forEach(
    after row: Int64 = 0, in connection: Connection, _ visit: (_ row: Int64, _ record: StoredRecord) -> Bool
  ) throws(SQLiteError) {
    guard let expression else { return }
    let table = index.table
    let rows = try connection.database.prepare(
      """
      SELECT f.rowid, r.body FROM \(table) AS f CROSS JOIN record AS r ON r.id = f.rowid
      WHERE f.\(table) MATCH ?1 AND f.rowid > ?2 ORDER BY f.rowid
      """)
    rows.bind(expression, at: 1)
    rows.bind(row, at: 2)
    while try rows.step() {
      guard visit(rows.int64(0), StoredRecord(body: JSON(unchecked: rows.bytes(1)))) else { return }
    }
  }

  /// Gives the rows of the records that it finds, in order, to `visit`, without reading any.
  func forEachRow(in connection: Connection, _ visit: (Int64) -> Void) throws(SQLiteError) {
    guard let expression else { return }
    let rows = try connection.database.prepare(
      "SELECT rowid FROM \(index.table) WHERE \(index.table) MATCH ?1")
    rows.bind(expression, at: 1)
    while try rows.step() { visit(rows.int64(0)) }
  }

  // MARK: The engine's language

  /// Nil when nothing fulfils the condition.
  private static func expression(for condition: FullTextCondition, _ columns: FullTextColumns) -> String? {
    let query = condition.query
    guard !query.isEmpty else { return nil }
    let terms = query.terms.map { term in
      let words = term.map { beginning(of: $0) }.joined(separator: " ")
      return "\"\(words)\"" + (query.matchesPrefixes ? " *" : "")
    }
    let any = terms.joined(separator: query.mode == .anyTerm ? " OR " : " AND ")
    guard let field = condition.field else { return "(\(any))" }
    return columns.column(ofField: field).map { "c\($0) : (\(any))" }
  }

  /// As much of a word as the index keeps.
  private static func beginning(of word: String) -> String {
    guard word.utf8.count > FullTextColumns.maximumWordBytes else { return word }
    var end = word.utf8.index(word.startIndex, offsetBy: FullTextColumns.maximumWordBytes)
    while word.utf8[end] & 0xC0 == 0x80 { end = word.utf8.index(before: end) }
    return String(word[..<end])
  }
}
