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

  /// Adds a row to the change log.
  mutating func log(
    version: Version, record: Int64, replacing row: RecordRow?, by caller: Caller
  ) throws(SQLiteError) {
    guard keepsHistory else { return }
    let insert = try connection.statement(.insertChange)
    insert.bind(version.rawValue, at: 1)
    insert.bind(record, at: 2)
    insert.bind(Int64(caller.userID), at: 3)
    insert.bind(row?.version.rawValue, at: 4)
    if let record = row?.record {
      insert.bind(record.body.bytes, at: 5)
      state.changeBytes += Int64(record.body.bytes.count)
    } else {
      insert.bindNull(at: 5)
    }
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

  // MARK: Indexes

  /// Brings the type's indexes from one state of the record to the other.
  func index(
    _ id: Int64, as type: RecordType, from before: StoredRecord?, to after: StoredRecord?
  ) throws(SQLiteError) {
    guard let named = after ?? before else { return }
    if before != nil, after != nil, type.indexes.allSatisfy(\.paths.isEmpty) { return }
    let tie = IndexKey.tie(of: named)
    for index in type.indexes {
      let old = before.map { IndexKey.key(of: $0, paths: index.paths) }
      let new = after.map { IndexKey.key(of: $0, paths: index.paths) }
      if old == new { continue }
      if let old { try removeEntry(index, key: old, tie: tie) }
      if let new { try insertEntry(index, key: new, tie: tie, record: id) }
    }
  }

  private func insertEntry(
    _ index: DeclaredIndex, key: [UInt8], tie: [UInt8], record: Int64
  ) throws(SQLiteError) {
    let insert = try connection.statement(.insertEntry)
    insert.bind(index.id, at: 1)
    insert.bind(key, at: 2)
    insert.bind(tie, at: 3)
    insert.bind(record, at: 4)
    try insert.run()
  }

  private func removeEntry(_ index: DeclaredIndex, key: [UInt8], tie: [UInt8]) throws(SQLiteError) {
    let remove = try connection.statement(.removeEntry)
    remove.bind(index.id, at: 1)
    remove.bind(key, at: 2)
    remove.bind(tie, at: 3)
    try remove.run()
  }

  func insertIndex(type: Int64, paths: [FieldPath]) throws(SQLiteError) -> DeclaredIndex {
    let insert = try connection.statement(.insertIndex)
    insert.bind(type, at: 1)
    insert.bind(DeclaredIndex.keys(paths), at: 2)
    try insert.run()
    return DeclaredIndex(id: connection.database.lastInsertedRow, paths: paths)
  }

  /// Adds an index to a type, with an entry for each of its records. Nothing when it is there already.
  mutating func declareIndex(recordType: String, paths: [FieldPath]) throws(SQLiteError) {
    guard var type = state.types[Name(recordType)], !type.indexes.contains(where: { $0.paths == paths })
    else {
      return
    }
    let index = try insertIndex(type: type.id, paths: paths)
    let bodies = try connection.statement(.bodiesOfType)
    bodies.bind(type.id, at: 1)
    defer { bodies.reset() }
    while try bodies.step() {
      let record = StoredRecord(body: JSON(unchecked: bodies.bytes(1)))
      try insertEntry(
        index, key: IndexKey.key(of: record, paths: paths), tie: IndexKey.tie(of: record),
        record: bodies.int64(0))
    }
    type.indexes.append(index)
    state.types[Name(recordType)] = type
    state.schema += 1
  }
}
