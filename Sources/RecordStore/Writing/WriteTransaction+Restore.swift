internal import JSONRPC
internal import Records
internal import SQLite

extension WriteTransaction {
  /// Brings a record back as it was, by way of an ordinary save.
  mutating func apply(
    _ operation: RestoreOperation, in commit: inout Commit
  ) throws(SQLiteError) -> Result<ItemResult, RecordError> {
    let name = operation.recordName
    guard let zone = state.zones[Name(operation.zoneName)] else {
      return .failure(.zoneNotFound(operation.zoneName))
    }
    guard let row = try row(named: name, in: zone) else {
      return .failure(.unknownItem(name, zone: operation.zoneName))
    }
    let former: StoredRecord
    switch try self.former(operation, row) {
    case .success(let found): former = try brought(uptodate: found)
    case .failure(let error): return .failure(error)
    }
    let isGone = row.record == nil
    let restored: StoredRecord
    switch try apply(SaveOperation(restoring: former), in: &commit) {
    case .success(.saved(let record)): restored = record
    case .success: return .failure(RecordError(.internalError, "the record was not restored"))
    case .failure(let error): return .failure(error)
    }
    guard operation.withCascade, isGone else {
      return .success(.restored(restored, cascadedRestorations: 0))
    }
    return try restore(consequencesOf: row, in: &commit).map {
      .restored(restored, cascadedRestorations: $0)
    }
  }

  /// The version to be restored.
  private func former(
    _ operation: RestoreOperation, _ row: RecordRow
  ) throws(SQLiteError) -> Result<StoredRecord, RecordError> {
    let name = operation.recordName
    guard let tag = operation.recordChangeTag else {
      if let record = row.record {
        return .failure(
          .conflict(
            "the record '\(name)' is there; a recordChangeTag says which version it is to be again",
            server: record, client: nil, ancestor: nil))
      }
      guard let deleted = try connection.change(making: row.version)?.replaced else {
        return .failure(.unknownItem(name, zone: operation.zoneName))
      }
      return .success(deleted)
    }
    if let record = row.record, record.recordChangeTag.hasSameUTF8(as: tag) { return .success(record) }
    guard let found = try version(of: row, tag: tag) else {
      return .failure(
        RecordError(.unknownItem, "no version of the record '\(name)' with that recordChangeTag is kept"))
    }
    return .success(found)
  }

  /// The former version that a tag names, however long ago it was, while it is kept.
  private func version(of row: RecordRow, tag: String) throws(SQLiteError) -> StoredRecord? {
    guard let wanted = RecordTag.version(in: tag) else { return nil }
    var version = row.version
    while version > wanted, version.commit > state.horizon {
      guard let previous = try connection.previous(of: version).version else { return nil }
      if previous == wanted {
        let replaced = try connection.change(making: version)?.replaced
        return replaced.flatMap { $0.recordChangeTag.hasSameUTF8(as: tag) ? $0 : nil }
      }
      version = previous
    }
    return nil
  }

  // MARK: What went with it

  /// A change that a deletion led to.
  private struct Consequence {
    let version: Version
    let record: Int64
    let isDeletion: Bool
  }

  /// Brings back what the deletion took with it: the records that are still gone, and the references that are
  /// still missing. What somebody has made anew or changed since stays as it is. Gives the number of records that
  /// came back.
  private mutating func restore(
    consequencesOf deletion: RecordRow, in commit: inout Commit
  ) throws(SQLiteError) -> Result<Int, RecordError> {
    let consequences = try consequences(of: deletion)
    var count = 0
    var gone: Set<RecordPlace> = []
    if let root = try row(deletion.id)?.record?.place { gone.insert(root) }
    for consequence in consequences where consequence.isDeletion {
      guard let former = try connection.change(making: consequence.version)?.replaced else { continue }
      let record = try brought(uptodate: former)
      gone.insert(record.place)
      guard let row = try row(consequence.record), row.record == nil, row.version == consequence.version,
        state.zones[Name(record.zoneName)] != nil
      else { continue }
      if case .failure(let error) = try apply(SaveOperation(restoring: record), in: &commit) {
        return .failure(error)
      }
      count += 1
    }
    for consequence in consequences where !consequence.isDeletion {
      guard let former = try connection.change(making: consequence.version)?.replaced,
        let current = try row(consequence.record)?.record,
        let repair = SaveOperation(
          puttingReferences: gone, of: try brought(uptodate: former), backInto: current)
      else { continue }
      if case .failure(let error) = try apply(repair, in: &commit) { return .failure(error) }
    }
    return .success(count)
  }

  /// What the deletion led to in its commit, directly or by what that led to: those nearer to it first.
  private func consequences(of deletion: RecordRow) throws(SQLiteError) -> [Consequence] {
    var byCause: [Int64: [Consequence]] = [:]
    let find = try connection.statement(.consequences)
    find.bind(Version(commit: deletion.version.commit, ordinal: 0).rawValue, at: 1)
    find.bind(Version.last(ofCommit: deletion.version.commit).rawValue, at: 2)
    while try find.step() {
      byCause[find.int64(2), default: []].append(
        Consequence(
          version: Version(rawValue: find.int64(0)), record: find.int64(1), isDeletion: !find.isNull(3)))
    }
    var found = byCause.removeValue(forKey: deletion.id) ?? []
    var next = 0
    while next < found.count {
      if found[next].isDeletion { found += byCause.removeValue(forKey: found[next].record) ?? [] }
      next += 1
    }
    return found
  }
}

extension SaveOperation {
  /// Makes a record what it was, whatever is there.
  fileprivate init(restoring record: StoredRecord) {
    let fields = record.fields.map { RecordDraft.Field(name: $0.name, change: .set($0.value)) }
    self.init(
      RecordDraft(
        recordType: record.recordType, recordName: record.recordName, zoneName: record.zoneName,
        fields: fields), fields: .replace, tagCheck: .ignored, existence: .any)
    created = record.created
  }

  /// Puts back the references that a record lost when those records were deleted, in the fields that are still as
  /// they were left then. Nil when there are none.
  fileprivate init?(
    puttingReferences lost: Set<RecordPlace>, of former: StoredRecord, backInto current: StoredRecord
  ) {
    var left = RecordBody(former)
    left.removeReferences { $0.action == .setNull && lost.contains($0.target) }
    var draft = RecordDraft(
      recordType: current.recordType, recordName: current.recordName, zoneName: current.zoneName)
    let kept = left.stored()
    for field in former.fields {
      let json = kept.json(ofField: field.name)
      guard json != former.json(ofField: field.name), json == current.json(ofField: field.name) else {
        continue
      }
      draft.fields.append(.init(name: field.name, change: .set(field.value)))
    }
    if draft.fields.isEmpty { return nil }
    self.init(draft, fields: .merge, tagCheck: .ignored, existence: .mustExist)
  }
}
