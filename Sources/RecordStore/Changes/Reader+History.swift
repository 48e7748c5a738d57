internal import JSONRPC
public import Records
internal import SQLite

extension Reader {
  /// Rows that a page of deleted records looks at.
  private static let rowsOfAPage = 2000

  /// A page of the records that were deleted and are not there again. Throws `zoneNotFound` for a zone that is not
  /// there and of which the log does not tell.
  public func deletedRecords(_ query: DeletedRecordsQuery) throws(RecordError) -> DeletedRecordsResult {
    try read { (connection, state) throws(SQLiteError) -> Result<DeletedRecordsResult, RecordError> in
      let zone = try query.zoneName.map { name throws(SQLiteError) in try connection.zone(named: name) }
      if let zone, zone == nil { return .failure(.zoneNotFound(query.zoneName ?? "")) }
      var result = DeletedRecordsResult(records: [])
      var bytes = 0
      var rows = 0
      var reached = query.cursor?.version
      let deleted = try connection.statement(.deletedRecords)
      deleted.bind(reached?.rawValue ?? Int64.max, at: 1)
      defer { deleted.reset() }
      while try deleted.step() {
        guard result.records.count < query.resultsLimit, bytes < query.maximumBytes, rows < Self.rowsOfAPage
        else {
          result.cursor = reached.map(HistoryCursor.init)
          break
        }
        rows += 1
        let version = Version(rawValue: deleted.int64(1))
        reached = version
        if let zone, deleted.int64(2) != zone { continue }
        let id = deleted.int64(0)
        guard let change = try connection.change(making: version, ofRecord: id), let record = change.replaced
        else { continue }
        if let type = query.recordType, !type.hasSameUTF8(as: record.recordType) { continue }
        bytes += record.body.bytes.count
        result.records.append(
          DeletedRecord(record: record, deleted: change.stamp, cause: try connection.cause(change.cause)))
      }
      return .success(result)
    }.get()
  }

  /// A page of a record's versions, as far back as they are kept. Throws `zoneNotFound`, and `unknownItem` when
  /// there is no such record and none is kept that was deleted.
  public func history(_ query: HistoryQuery) throws(RecordError) -> HistoryResult {
    try read { (connection, state) throws(SQLiteError) -> Result<HistoryResult, RecordError> in
      guard let zone = try connection.zone(named: query.zoneName) else {
        return .failure(.zoneNotFound(query.zoneName))
      }
      let find = try connection.statement(.recordByName)
      find.bind(query.recordName, at: 1)
      find.bind(zone, at: 2)
      let row = try find.first { row in
        (
          id: row.int64(0), version: Version(rawValue: row.int64(2)),
          record: row.isNull(3) ? nil : StoredRecord(body: JSON(unchecked: row.bytes(3)))
        )
      }
      guard let row else { return .failure(.unknownItem(query.recordName, zone: query.zoneName)) }
      var walk = HistoryWalk(query, connection, record: row.id)
      return .success(try walk.page(from: row.version, row.record))
    }.get()
  }
}

/// Goes back through the versions of one record.
private struct HistoryWalk {
  private let query: HistoryQuery
  private let connection: Connection
  private let id: Int64
  private var result = HistoryResult(versions: [], isComplete: false)
  private var bytes = 0

  init(_ query: HistoryQuery, _ connection: Connection, record id: Int64) {
    self.query = query
    self.connection = connection
    self.id = id
  }

  /// `newest` and `record`: what there is now.
  mutating func page(from newest: Version, _ record: StoredRecord?) throws(SQLiteError) -> HistoryResult {
    var version = newest
    var record = record
    if let cursor = query.cursor {
      // What came before the page's last version, if that is still kept.
      guard let change = try connection.change(making: cursor.version, ofRecord: id),
        let previous = change.previous
      else { return result }
      version = previous
      record = change.replaced
    }
    while true {
      let change = try connection.change(making: version, ofRecord: id)
      try append(record, made: change)
      guard let change else { return result }
      guard let previous = change.previous else {
        result.isComplete = true
        return result
      }
      if result.versions.count >= query.resultsLimit || bytes >= query.maximumBytes {
        result.cursor = HistoryCursor(version)
        return result
      }
      version = previous
      record = change.replaced
    }
  }

  /// `change`: nil where it is no longer kept. Then the stamps tell whether the record was new.
  private mutating func append(
    _ record: StoredRecord?, made change: KeptChange?
  ) throws(SQLiteError) {
    bytes += record?.body.bytes.count ?? 0
    let cause = try connection.cause(change?.cause)
    guard let record else {
      guard let change else { return }
      result.versions.append(RecordVersion(reason: .deleted, modified: change.stamp, cause: cause))
      return
    }
    let isNew = change.map { $0.replaced == nil } ?? (record.created == record.modified)
    result.versions.append(
      RecordVersion(
        reason: isNew ? .created : .updated, record: record,
        changedKeys: change?.replaced.map { record.changedKeys(since: $0) }, modified: record.modified,
        cause: cause))
  }
}

/// A row of the log of changes, with who made the change and when.
private struct KeptChange {
  let previous: Version?
  let replaced: StoredRecord?
  let cause: Int64?
  /// The time only of a deletion.
  let stamp: Stamp
}

extension Connection {
  /// The change that made this version of this record; nil when it is no longer kept, or is another record's.
  fileprivate func change(
    making version: Version, ofRecord id: Int64
  ) throws(SQLiteError) -> KeptChange? {
    let find = try statement(.changeOfRecord)
    find.bind(version.rawValue, at: 1)
    find.bind(id, at: 2)
    find.bind(version.commit, at: 3)
    return try find.first { row in
      KeptChange(
        previous: row.optionalInt64(0).map { Version(rawValue: $0) },
        replaced: row.isNull(1) ? nil : StoredRecord(body: JSON(unchecked: row.bytes(1))),
        cause: row.optionalInt64(2),
        stamp: Stamp(
          timestamp: row.int64(4),
          userRecordName: Caller(userID: UInt32(truncatingIfNeeded: row.int64(3)), connection: 0)
            .userRecordName))
    }
  }
}
