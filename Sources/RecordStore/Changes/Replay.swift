internal import JSONRPC
internal import Records
internal import SQLite

/// The difference between two positions of a store, told in pages.
///
/// The log is read from where the page before ended up to the end position. A change is told where the record
/// changed for the last time before the end; what it was at the start is found by going back through what
/// each change replaced. So each record is told once, and the work of all pages together is in proportion to
/// the log that they go through.
struct Replay {
  private let connection: Connection
  private let state: StoreState
  private let start: Int64
  private let position: Int64
  private let end: Int64
  private let epoch: UInt32

  /// Rows of the log that a page goes through at most, about.
  private static let maximumRows = 100_000

  /// Goes on from a token that was found good.
  init(from token: ChangeToken, state: StoreState, connection: Connection) throws(SQLiteError) {
    self.connection = connection
    self.state = state
    position = token.sequence
    start = token.replay?.start ?? token.sequence
    end = token.replay?.end ?? state.lastCommit
    epoch = try connection.epoch(ofCommit: end)
  }

  func page(limit: Int, maximumBytes: Int) throws(SQLiteError) -> ChangesPage {
    var changes: [RecordChange] = []
    var bytes = 0
    var rows = 0
    var reached = position
    var isWhole = true
    let log = try connection.statement(.changesBetween)
    log.bind(Version.last(ofCommit: position).rawValue, at: 1)
    log.bind(Version.last(ofCommit: end).rawValue, at: 2)
    defer { log.reset() }
    while try log.step() {
      let version = Version(rawValue: log.int64(0))
      if version.commit != reached {
        guard changes.count < limit, bytes < maximumBytes, rows < Self.maximumRows else {
          isWhole = false
          break
        }
        reached = version.commit
      }
      rows += 1
      guard let last = try stateAtEnd(ofRecord: log.int64(1)), last.version == version else { continue }
      let count = changes.count
      try append(to: &changes, last: last.record, change: log)
      for change in changes[count...] {
        bytes += (change.before?.body.bytes.count ?? 0) + (change.after?.body.bytes.count ?? 0)
      }
    }
    return page(of: changes, reached: isWhole ? end : reached)
  }

  private func page(of changes: [RecordChange], reached: Int64) -> ChangesPage {
    let token = ChangeToken(
      store: state.identity, epoch: epoch, sequence: reached,
      replay: reached < end ? .init(start: start, end: end) : nil)
    return ChangesPage(
      changeSet: ChangeSet(sequence: reached, changeToken: token, changes: changes),
      moreComing: reached < state.lastCommit)
  }

  /// A record's version at the end position; nil when it has none there.
  private func stateAtEnd(
    ofRecord id: Int64
  ) throws(SQLiteError) -> (version: Version, record: StoredRecord?)? {
    let find = try connection.statement(.versionByID)
    find.bind(id, at: 1)
    let current = try find.first { row in
      (
        Version(rawValue: row.int64(0)),
        row.isNull(1) ? nil : StoredRecord(body: JSON(unchecked: row.bytes(1)))
      )
    }
    guard var (version, record) = current else { return nil }
    let limit = Version.last(ofCommit: end)
    while version > limit {
      guard let change = try connection.change(making: version), let previous = change.previous else {
        return nil
      }
      (version, record) = (previous, change.replaced)
    }
    return (version, record)
  }

  /// Tells how the record of a row of the log, its last one, came from its state at the start to `last`.
  private func append(
    to changes: inout [RecordChange], last: StoredRecord?, change row: Statement
  ) throws(SQLiteError) {
    let origin = Caller(userID: UInt32(truncatingIfNeeded: row.int64(2)), connection: 0)
    var previous = row.optionalInt64(3).map { Version(rawValue: $0) }
    var before = row.isNull(4) ? nil : StoredRecord(body: JSON(unchecked: row.bytes(4)))
    var wasDeleted = false
    while let version = previous, version.commit > start {
      if before == nil { wasDeleted = true }
      let change = try connection.change(making: version)
      before = change?.replaced
      previous = change?.previous
    }
    RecordChange.append(from: before, to: last, wasDeleted: wasDeleted, by: origin, to: &changes)
  }
}
