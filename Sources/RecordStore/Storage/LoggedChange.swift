internal import JSONRPC
internal import Records
internal import SQLite

/// A row of the change log: what a change replaced.
struct LoggedChange {
  /// The record's version before; nil when the change was its first.
  let previous: Version?
  /// The record before; nil when there was none just then.
  let replaced: StoredRecord?
  /// The row of the record whose deletion led to the change; nil when it was asked for.
  let cause: Int64?
}

extension Connection {
  /// What the change that made this version replaced; nil when that is no longer kept.
  func change(making version: Version) throws(SQLiteError) -> LoggedChange? {
    let find = try statement(.changeByVersion)
    find.bind(version.rawValue, at: 1)
    return try find.first { row in
      LoggedChange(
        previous: row.optionalInt64(0).map { Version(rawValue: $0) },
        replaced: row.isNull(1) ? nil : StoredRecord(body: JSON(unchecked: row.bytes(1))),
        cause: row.optionalInt64(2))
    }
  }

  /// The record with the row that a change names as its cause. The row is there as long as the change is kept.
  func cause(_ row: Int64?) throws(SQLiteError) -> RecordPlace? {
    guard let row else { return nil }
    let find = try statement(.placeByID)
    find.bind(row, at: 1)
    return try find.first { RecordPlace(recordName: $0.text(0), zoneName: $0.text(1)) }
  }

  /// The version that the change that made this one replaced, nil when it was the record's first; whether there
  /// was no record just then; and the row of the record that was the cause, if there was one.
  func previous(
    of version: Version
  ) throws(SQLiteError) -> (version: Version?, wasNothing: Bool, cause: Int64?) {
    let find = try statement(.previousVersion)
    find.bind(version.rawValue, at: 1)
    let previous = try find.first { row in
      (
        version: row.optionalInt64(0).map { Version(rawValue: $0) }, wasNothing: row.int64(1) != 0,
        cause: row.optionalInt64(2)
      )
    }
    guard let previous else { throw SQLiteError(damage: "no change \(version.rawValue)") }
    return previous
  }

  /// The deletion of the record of that name, as it was when `version`, of whatever record, was the newest in the
  /// store; as it is now where that is nil. Nil where it is there, where there never was one, and where its
  /// deletion is no longer kept. The log must reach back to `version`.
  func deletion(
    ofRecord name: String, inZone zone: Int64, at version: Version? = nil
  ) throws(SQLiteError) -> RecordDeletion? {
    let find = try statement(.recordByName)
    find.bind(name, at: 1)
    find.bind(zone, at: 2)
    let row = try find.first { row in
      (id: row.int64(0), version: Version(rawValue: row.int64(2)), isGone: row.isNull(3))
    }
    guard var row else { return nil }
    if let version, version < row.version {
      let past = try state(ofRecord: row.id, at: version)
      guard let deletion = past.version else { return nil }
      row.version = deletion
      row.isGone = past.record == nil
    }
    return row.isGone ? try deletion(making: row.version) : nil
  }

  /// Nil when it is no longer kept.
  private func deletion(making version: Version) throws(SQLiteError) -> RecordDeletion? {
    let find = try statement(.originByVersion)
    find.bind(version.rawValue, at: 1)
    let row = try find.first { (user: $0.int64(0), cause: $0.optionalInt64(1)) }
    guard let row else { return nil }
    return RecordDeletion(
      origin: Caller(userID: UInt32(truncatingIfNeeded: row.user), connection: 0), cause: try cause(row.cause)
    )
  }

  /// The record with this row as it was when `version`, of whatever record, was the newest in the store. The log
  /// must reach back to there.
  func state(ofRecord id: Int64, at version: Version) throws(SQLiteError) -> PastState {
    let find = try statement(.versionByID)
    find.bind(id, at: 1)
    defer { find.reset() }
    guard try find.step() else { return .nothing }
    let current = Version(rawValue: find.int64(0))
    if current <= version {
      return PastState(
        version: current, record: find.isNull(1) ? nil : StoredRecord(body: JSON(unchecked: find.bytes(1))))
    }
    let next = try versions.first(after: version, ofRecord: id, current: current, in: self)
    guard let change = try change(making: next) else {
      throw SQLiteError(damage: "no change \(next.rawValue)")
    }
    return PastState(version: change.previous, record: change.replaced)
  }
}

/// What a row of `record` was once.
struct PastState {
  /// The version that it had; nil when it had none yet.
  let version: Version?
  /// Nil when there was no such record.
  let record: StoredRecord?

  static let nothing = PastState(version: nil, record: nil)
}
