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
        return .success(
          .deleted(zoneName: operation.zoneName, recordName: name, existed: false, cascadedDeletions: 0))
      }
      return .failure(.unknownItem(name, zone: operation.zoneName))
    }
    if let tag = operation.recordChangeTag, !tag.hasSameUTF8(as: record.recordChangeTag) {
      return .failure(
        .conflict(
          "the record '\(name)' changed since that tag was given out", server: record, client: nil,
          ancestor: try ancestor(of: row, tag: tag)))
    }
    switch try delete(row, record, withReferrersIn: &commit) {
    case .success(let count):
      return .success(
        .deleted(
          zoneName: operation.zoneName, recordName: name, existed: true, cascadedDeletions: count))
    case .failure(let error): return .failure(error)
    }
  }

  /// Deletes a record that is there, and does to those that refer to it what their references say. Gives the
  /// number of those that were deleted with it.
  private mutating func delete(
    _ row: RecordRow, _ record: StoredRecord, withReferrersIn commit: inout Commit
  ) throws(SQLiteError) -> Result<Int, RecordError> {
    guard try connection.isReferredTo(record.recordName) else {
      try delete(row, record, in: &commit)
      return .success(0)
    }
    var roots = Cascade()
    roots.delete(row.id, record.place)
    switch try cascade(roots, in: commit) {
    case .success(let cascade):
      try carryOut(cascade, in: &commit)
      return .success(cascade.deletions.count - 1)
    case .failure(let error): return .failure(error)
    }
  }

  /// Deletes a record that is there, and nothing else.
  mutating func delete(
    _ row: RecordRow, _ record: StoredRecord, because cause: Cascade.Cause? = nil, in commit: inout Commit
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
    try log(commit, record: row.id, replacing: row, because: cause, isDeletion: true)
    if let type = state.types[Name(record.recordType)] {
      try index(row.id, as: type, from: record, to: nil)
      try refer(row.id, as: type, from: record, to: nil, version)
      state.growth[type.id, default: 0] -= 1
    }
    state.records -= 1
    state.recordBytes -= Int64(record.body.bytes.count)
    commit.note(record: row.id, from: record, to: nil, because: cause?.place)
    commit.checks?.note(deleted: record.place, place: commit.place)
  }
}
