internal import JSONRPC
internal import Records
internal import SQLite

/// What became of the fields of types is kept as long as the versions of records from before: brought back, they have
/// the fields that they would have had they been there.
extension WriteTransaction {
  /// Keeps what a type's fields become, for versions of before the commit's next one.
  func keep(_ fates: FieldFates, ofType name: Name, in commit: Commit) throws(SQLiteError) {
    guard keepsHistory else { return }
    let insert = try connection.statement(.insertFieldChange)
    insert.bind(commit.nextVersion.rawValue, at: 1)
    insert.bind(name.text, at: 2)
    insert.bind(fates.json, at: 3)
    try insert.run()
  }

  func pruneFieldChanges(upTo version: Version) throws(SQLiteError) {
    let remove = try connection.statement(.removeFieldChanges)
    remove.bind(version.rawValue, at: 1)
    try remove.run()
  }

  /// A former version of a record with the fields that its type's changes since have left it. A value that can't be
  /// had as another type stays what it was.
  func brought(uptodate record: StoredRecord) throws(SQLiteError) -> StoredRecord {
    guard let version = RecordTag.version(in: record.recordChangeTag) else { return record }
    var body: RecordBody?
    let changes = try connection.statement(.fieldChanges)
    changes.bind(record.recordType, at: 1)
    changes.bind(version.rawValue, at: 2)
    defer { changes.reset() }
    while try changes.step() {
      guard let json = try? JSON(parsing: changes.text(0)) else { throw SQLiteError(damage: "no changes") }
      var changed = body ?? RecordBody(record)
      changed.replaceFields(with: FieldFates(stored: json).fields(of: changed.fields))
      body = changed
    }
    return body?.stored() ?? record
  }
}

extension FieldFates {
  /// What becomes of a record's fields, where nothing may be lost but what is dropped.
  fileprivate func fields(of fields: [RecordBody.Field]) -> [RecordBody.Field] {
    fields.compactMap { field in
      guard let fate = fates[Name(field.name)] else { return field }
      guard let name = fate.name else { return nil }
      switch fate.type.map(field.value.converted) ?? .value(field.value) {
      case .value(let value): return .init(name: name.text, value: value)
      case .nothing: return nil
      case .lost: return .init(name: name.text, value: field.value)
      }
    }
  }
}
