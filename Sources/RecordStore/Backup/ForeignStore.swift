internal import Glibc
internal import JSONRPC
internal import Records
internal import SQLite

/// Looks a file through that anyone may have made, before it is taken for a store's.
///
/// Nothing in it is believed: its tables must be a store's to the letter, and whatever is kept in them must agree,
/// so that nothing that is read from it later can be what no store would have written.
struct ForeignStore {
  let path: String
  let isStopped: () -> Bool

  private static let headerBytes = 100

  /// Brings it up to date where an earlier program made it.
  ///
  /// Throws `invalidArguments` with the reason, `storeTooNew`, or why it can't be worked on.
  /// - Returns: the assets that it needs the files of.
  func check() throws(RecordError) -> [Asset] {
    try checkHeader()
    do {
      let database = try Database(path: path, access: .readWrite, busyTimeout: 0)
      try database.distrustSchema()
      try database.execute("PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF")
      try checkSchema(of: database)
      try checkContent(Connection(database))
      let transaction = try Transaction(.immediate, in: database)
      try AssetTable.makeAnew(in: database)
      let assets = try AssetTable.used(in: database)
      try transaction.commit()
      // Whole in one file, which is on the disk when this is through.
      try database.execute("PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL")
      try database.checkpoint(.truncate)
      return assets
    } catch let error as RecordError {
      throw error
    } catch let error as SQLiteError {
      switch error.code {
      case .full, .inputOutput, .cannotOpen, .readOnly: throw RecordError(error)
      default: throw .damagedBackup([])
      }
    } catch {
      throw .damagedBackup([])
    }
  }

  /// What the engine would take on trust: https://sqlite.org/fileformat2.html#the_database_header.
  private func checkHeader() throws(RecordError) {
    var header = [UInt8](repeating: 0, count: Self.headerBytes)
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .storeUnreachable }
    defer { close(descriptor) }
    guard pread(descriptor, &header, header.count, 0) == header.count,
      header[..<16].elementsEqual(Array("SQLite format 3".utf8) + [0])
    else { throw .descriptor("the file that was passed is no store's", reason: "notAStore") }
    let pageSize = Int(header[16]) << 8 | Int(header[17])
    let isUTF8 = header[56..<60].elementsEqual([0, 0, 0, 1])
    guard pageSize == DatabasePages.pageSize, header[20] == 0, isUTF8 else {
      throw .descriptor("the file that was passed is no store's", reason: "notAStore")
    }
  }

  private func checkSchema(of database: Database) throws {
    let state = try Schema.state(of: database)
    if case .foreign = state {
      throw RecordError.descriptor("the file that was passed is another program's", reason: "notAStore")
    }
    if case .newer = state { throw RecordError.storeTooNew }
    let wrong = RecordError.descriptor(
      "the tables of the file that was passed are no store's", reason: "schema")
    guard let found = try SchemaComparison(of: database),
      let expected = try SchemaComparison.expected(fullTextIndexes: found.fullTextIndexes),
      found.hasNoMore(than: expected)
    else { throw wrong }
    guard case .older(let version) = state else {
      guard found == expected else { throw wrong }
      return
    }
    guard version >= 1 else { throw wrong }
    try Schema.migrate(database, from: version)
    guard try SchemaComparison(of: database) == expected else { throw wrong }
  }

  // MARK: Content

  private func checkContent(_ connection: Connection) throws {
    let transaction = try Transaction(.deferred, in: connection.database)
    try checkNumbers(connection.database)
    guard let report = try StoreCheck(connection, isStopped: isStopped).run() else {
      throw RecordError.stopping
    }
    guard report.problemCount == 0 else { throw RecordError.damagedBackup(report.problems.map(\.message)) }
    try checkTexts(connection.database)
    transaction.rollBack()
  }

  /// Numbers that are calculated with.
  private func checkNumbers(_ database: Database) throws {
    let largest: Int64 = 1 << 42
    for (rows, condition) in [
      (
        "store",
        "id = 1 AND lastCommit BETWEEN 0 AND \(largest) AND horizon BETWEEN 0 AND lastCommit"
          + " AND schema BETWEEN 0 AND \(largest)"
      ),
      (
        "record",
        "typeof(name) = 'text' AND typeof(body) IN ('blob', 'null')"
          + " AND version BETWEEN 0 AND (SELECT (lastCommit << 20) + 1048575 FROM store)"
      ),
      (
        "change",
        "typeof(body) IN ('blob', 'null')"
          + " AND version BETWEEN 0 AND (SELECT (lastCommit << 20) + 1048575 FROM store)"
      ),
      ("asset", "typeof(checksum) = 'text' AND length(checksum) = 64 AND size >= 0"),
      ("zone", "typeof(name) = 'text'"), ("type", "typeof(name) = 'text'"),
      ("field", "typeof(name) = 'text'"),
      (
        "epoch",
        "firstCommit BETWEEN 0 AND (SELECT lastCommit + 1 FROM store) AND nonce BETWEEN 0 AND 4294967295"
      ),
      (
        "moment",
        "firstCommit BETWEEN 0 AND \(largest) AND timestamp BETWEEN -\(largest << 10) AND \(largest << 10)"
      ),
      ("idempotency", "bytes = length(result) AND length(CAST(key AS BLOB)) BETWEEN 1 AND 255"),
      (
        "declaredIndex",
        "abs(id) < \(largest) AND entries >= 0 AND bytes >= 0 AND uses BETWEEN 0 AND \(largest)"
      ),
    ] {
      let wrong = try database.integer("SELECT count(*) FROM \(rows) WHERE (\(condition)) IS NOT 1")
      guard wrong == 0 else { throw RecordError.damagedBackup(["numbers of its '\(rows)' can't be"]) }
    }
    let slots = FullTextColumns.count - 1
    let wide = try database.integer(
      "SELECT count(*) FROM (SELECT 1 FROM fullTextField GROUP BY declaredIndex HAVING count(*) > \(slots))")
    guard wide == 0, try database.integer("SELECT count(*) FROM store") == 1 else {
      throw RecordError.damagedBackup(["numbers of its fields can't be"])
    }
  }

  /// Texts that are given out as they are: JSON on one line.
  private func checkTexts(_ database: Database) throws {
    for sql in [
      "SELECT body FROM record WHERE body IS NOT NULL", "SELECT body FROM change WHERE body IS NOT NULL",
      "SELECT result FROM idempotency", "SELECT definition FROM subscription",
      "SELECT rules FROM field WHERE rules IS NOT NULL", "SELECT fates FROM fieldChange",
    ] {
      let rows = try database.prepare(sql)
      var seen = 0
      while try rows.step() {
        seen += 1
        if seen % 256 == 0, isStopped() { throw RecordError.stopping }
        let bytes = rows.bytes(0)
        guard !bytes.contains(where: { $0 < 0x20 }), let json = try? JSON(parsing: bytes),
          json.kind == .object
        else {
          throw RecordError.damagedBackup(["a text in it is no JSON"])
        }
      }
    }
  }
}

extension RecordError {
  fileprivate static func damagedBackup(_ problems: [String]) -> RecordError {
    var error = descriptor("the file that was passed is damaged", reason: "damaged")
    if !problems.isEmpty {
      var writer = JSONWriter()
      writer.beginArray()
      for problem in problems.prefix(10) { writer.string(problem) }
      writer.endArray()
      error.details.append(Detail(name: "problems", json: writer.bytes))
    }
    return error
  }
}
