internal import JSONRPC
internal import Records
internal import SQLite

/// A row of `record`.
struct RecordRow {
  let id: Int64
  let type: Int64
  let version: Version
  /// Nil for the row of a deleted record.
  let record: StoredRecord?
}

extension WriteTransaction {
  func row(named name: String, in zone: Int64) throws(SQLiteError) -> RecordRow? {
    let find = try connection.statement(.recordByName)
    find.bind(name, at: 1)
    find.bind(zone, at: 2)
    return try find.first { row in
      RecordRow(
        id: row.int64(0), type: row.int64(1), version: Version(rawValue: row.int64(2)),
        record: row.isNull(3) ? nil : StoredRecord(body: JSON(unchecked: row.bytes(3))))
    }
  }

  /// Nil when there is no such row.
  func row(_ id: Int64) throws(SQLiteError) -> RecordRow? {
    let find = try connection.statement(.recordByID)
    find.bind(id, at: 1)
    return try find.first { row in
      RecordRow(
        id: id, type: row.int64(0), version: Version(rawValue: row.int64(1)),
        record: row.isNull(2) ? nil : StoredRecord(body: JSON(unchecked: row.bytes(2))))
    }
  }

  func insert(
    name: String, zone: Int64, type: Int64, version: Version, body: ArraySlice<UInt8>
  ) throws(SQLiteError) -> Int64 {
    let insert = try connection.statement(.insertRecord)
    insert.bind(name, at: 1)
    insert.bind(zone, at: 2)
    insert.bind(type, at: 3)
    insert.bind(version.rawValue, at: 4)
    insert.bind(body, at: 5)
    try insert.run()
    return connection.database.lastInsertedRow
  }

  func update(_ id: Int64, type: Int64, version: Version, body: ArraySlice<UInt8>?) throws(SQLiteError) {
    let update = try connection.statement(.updateRecord)
    update.bind(id, at: 1)
    update.bind(type, at: 2)
    update.bind(version.rawValue, at: 3)
    if let body { update.bind(body, at: 4) } else { update.bindNull(at: 4) }
    try update.run()
  }

  /// Adds a row to the change log: of the commit's next version.
  mutating func log(
    _ commit: Commit, record: Int64, replacing row: RecordRow?, because cause: Cascade.Cause? = nil,
    isDeletion: Bool = false
  ) throws(SQLiteError) {
    guard keepsHistory else { return }
    let insert = try connection.statement(.insertChange)
    insert.bind(commit.nextVersion.rawValue, at: 1)
    insert.bind(record, at: 2)
    insert.bind(Int64(commit.caller.userID), at: 3)
    insert.bind(row?.version.rawValue, at: 4)
    if let record = row?.record {
      insert.bind(record.body.bytes, at: 5)
      state.changeBytes += Int64(record.body.bytes.count)
    } else {
      insert.bindNull(at: 5)
    }
    insert.bind(cause?.id, at: 6)
    insert.bind(isDeletion ? commit.timestamp : nil, at: 7)
    try insert.run()
    state.changes += 1
  }

  /// The version of a record that a tag names, while it is kept. Looks back a bounded number of versions.
  func ancestor(of row: RecordRow?, tag: String?) throws(SQLiteError) -> StoredRecord? {
    guard let row, let tag, let wanted = RecordTag.version(in: tag) else { return nil }
    var version = row.version
    for _ in 0..<1000 where version > wanted {
      guard let change = try connection.change(making: version), let previous = change.previous else {
        return nil
      }
      if previous == wanted {
        return change.replaced.flatMap { $0.recordChangeTag.hasSameUTF8(as: tag) ? $0 : nil }
      }
      version = previous
    }
    return nil
  }
}
