internal import JSONRPC
internal import Records
internal import SQLite

extension WriteTransaction {
  /// Deletes one record. A refusal is decided before anything is written.
  mutating func apply(
    _ operation: DeleteOperation, in commit: inout Commit
  ) throws(SQLiteError) -> Result<ItemResult, RecordError> {
    let name = operation.recordName
    guard let zone = state.zones[Name(operation.zoneName)] else {
      return .failure(.zoneNotFound(operation.zoneName))
    }
    guard let row = try row(named: name, in: zone), let record = row.record,
      operation.recordType.map({ $0.hasSameUTF8(as: record.recordType) }) ?? true
    else {
      if operation.ignoresMissing {
        return .success(.deleted(zoneName: operation.zoneName, recordName: name, existed: false))
      }
      return .failure(.unknownItem(name, zone: operation.zoneName))
    }
    if let tag = operation.recordChangeTag, !tag.hasSameUTF8(as: record.recordChangeTag) {
      return .failure(
        .conflict(
          "the record '\(name)' changed since that tag was given out", server: record, client: nil,
          ancestor: try ancestor(of: row, tag: tag)))
    }
    try delete(row, record, commit: &commit)
    return .success(.deleted(zoneName: operation.zoneName, recordName: name, existed: true))
  }

  /// Deletes a record that is there.
  mutating func delete(
    _ row: RecordRow, _ record: StoredRecord, commit: inout Commit
  ) throws(SQLiteError) {
    try beginEpoch(with: commit)
    let version = commit.nextVersion
    if keepsHistory {
      try update(row.id, type: row.type, version: version, body: nil)
    } else {
      let remove = try connection.statement(.removeRecord)
      remove.bind(row.id, at: 1)
      try remove.run()
    }
    try log(version: version, record: row.id, replacing: row, by: commit.caller)
    if let type = state.types[Name(record.recordType)] {
      try index(row.id, as: type, from: record, to: nil)
      try refer(row.id, as: type, from: record, to: nil, version)
      state.growth[type.id, default: 0] -= 1
    }
    state.records -= 1
    state.recordBytes -= Int64(record.body.bytes.count)
    commit.note(record: row.id, from: record, to: nil)
  }
}
