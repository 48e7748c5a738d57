internal import JSONRPC
internal import Records
internal import SQLite

/// A row of the change log: what a change replaced.
struct LoggedChange {
  /// The record's version before; nil when the change was its first.
  let previous: Version?
  /// The record before; nil when there was none just then.
  let replaced: StoredRecord?
}

extension Connection {
  /// What the change that made this version replaced; nil when that is no longer kept.
  func change(making version: Version) throws(SQLiteError) -> LoggedChange? {
    let find = try statement(.changeByVersion)
    find.bind(version.rawValue, at: 1)
    return try find.first { row in
      LoggedChange(
        previous: row.optionalInt64(0).map { Version(rawValue: $0) },
        replaced: row.isNull(1) ? nil : StoredRecord(body: JSON(unchecked: row.bytes(1))))
    }
  }

  /// The version that the change that made this one replaced, nil when it was the record's first; and whether
  /// there was no record just then.
  func previous(of version: Version) throws(SQLiteError) -> (version: Version?, wasNothing: Bool) {
    let find = try statement(.previousVersion)
    find.bind(version.rawValue, at: 1)
    let previous = try find.first { row in
      (version: row.optionalInt64(0).map { Version(rawValue: $0) }, wasNothing: row.int64(1) != 0)
    }
    guard let previous else { throw SQLiteError(damage: "no change \(version.rawValue)") }
    return previous
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
