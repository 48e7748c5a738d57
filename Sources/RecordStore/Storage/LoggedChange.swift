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
}
