internal import JSONRPC
internal import Records
internal import SQLite

/// The difference between two positions of a store, told in pages.
///
/// The log is read from where the page before ended up to the end position. A change is told where the record
/// changed for the last time before the end; what it was at the start is found by going back through what
/// each change replaced. So each record is told once, and the work of all pages together is in proportion to
/// the log that they go through.
///
/// In steps it is told otherwise: see ``step(_:)``.
struct Replay {
  private let connection: Connection
  private let state: StoreState
  private let start: Int64
  private let position: Int64
  private let end: Int64

  /// How much a page has at most, about: it ends with a whole commit.
  struct Limits {
    var changes: Int
    /// Of the records.
    var bytes: Int
    /// Of the log, that the page goes through.
    var rows: Int
  }

  /// Goes on from a token that was found good; in steps, from where its replay began.
  init(from token: ChangeToken, inSteps: Bool, state: StoreState, connection: Connection) {
    self.connection = connection
    self.state = state
    position = inSteps ? token.oldest : token.sequence
    start = token.oldest
    end = token.replay?.end ?? state.lastCommit
  }

  func page(_ limits: Limits) throws(SQLiteError) -> ChangesPage {
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
        guard changes.count < limits.changes, bytes < limits.bytes, rows < limits.rows else {
          isWhole = false
          break
        }
        reached = version.commit
      }
      rows += 1
      let last = try connection.state(ofRecord: log.int64(1), at: .last(ofCommit: end))
      guard last.version == version else { continue }
      let count = changes.count
      try append(to: &changes, last: last.record, change: log)
      for change in changes[count...] {
        bytes += (change.before?.body.bytes.count ?? 0) + (change.after?.body.bytes.count ?? 0)
      }
    }
    if isWhole { reached = end }
    let token = ChangeToken(
      store: state.identity, epoch: try connection.epoch(ofCommit: end), sequence: reached,
      replay: reached < end ? .init(start: start, end: end) : nil)
    return try page(of: changes, reached: reached, token)
  }

  private func page(
    of changes: [RecordChange], reached: Int64, _ token: ChangeToken
  ) throws(SQLiteError) -> ChangesPage {
    let deletedZones = try connection.zonesDeleted(
      after: Version.last(ofCommit: position), upTo: Version.last(ofCommit: reached))
    return ChangesPage(
      changeSet: ChangeSet(
        sequence: reached, changeToken: token, changes: changes, deletedZones: deletedZones), start: start,
      moreComing: reached < state.lastCommit)
  }

  /// The next commits, as many as there is room for, as one: what became of each record from before them to after
  /// them. So its two ends are positions of the store, and so is where it goes on.
  func step(_ limits: Limits) throws(SQLiteError) -> ChangesPage {
    var changes = NetChanges()
    var sizes: [Int64: Int] = [:]
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
        guard changes.count < limits.changes, bytes < limits.bytes, rows < limits.rows else {
          isWhole = false
          break
        }
        reached = version.commit
      }
      rows += 1
      let record = log.int64(1)
      let before = log.isNull(4) ? nil : StoredRecord(body: JSON(unchecked: log.bytes(4)))
      let after = try connection.state(ofRecord: record, at: version).record
      let size = after?.body.bytes.count ?? 0
      bytes += size - (sizes.updateValue(size, forKey: record) ?? -(before?.body.bytes.count ?? 0))
      changes.note(
        record: record, from: before, to: after, by: origin(log),
        because: try connection.cause(log.optionalInt64(5)),
        making: version)
    }
    if isWhole { reached = end }
    let token = ChangeToken(
      store: state.identity, epoch: try connection.epoch(ofCommit: reached), sequence: reached)
    return try page(of: changes.changeList, reached: reached, token)
  }

  private func origin(_ row: Statement) -> Caller {
    Caller(userID: UInt32(truncatingIfNeeded: row.int64(2)), connection: 0)
  }

  /// Tells how the record of a row of the log, its last one, came from its state at the start to `last`.
  private func append(
    to changes: inout [RecordChange], last: StoredRecord?, change row: Statement
  ) throws(SQLiteError) {
    let made = Version(rawValue: row.int64(0))
    var first = made
    var commits = [made.commit]
    var passed: [Int64] = []
    var previous = row.optionalInt64(3).map { Version(rawValue: $0) }
    var madeAnew = row.isNull(4)
    var wasDeleted = false
    var causeOfDeletion: Int64?
    while let version = previous, version.commit > start {
      if commits.last != version.commit { commits.append(version.commit) }
      passed.append(first.rawValue)
      first = version
      let wasGone = madeAnew
      let cause: Int64?
      (previous, madeAnew, cause) = try connection.previous(of: version)
      if wasGone {
        wasDeleted = true
        causeOfDeletion = cause
      }
    }
    let replaced = row.isNull(4) ? nil : StoredRecord(body: JSON(unchecked: row.bytes(4)))
    let before = first == made ? replaced : try connection.change(making: first)?.replaced
    RecordChange.append(
      from: before, to: last, wasDeleted: wasDeleted, by: origin(row),
      because: .init(
        last: try connection.cause(row.optionalInt64(5)), ofDeletion: try connection.cause(causeOfDeletion)),
      in: commits.reversed(),
      passing: .init(versions: passed.reversed(), last: replaced), to: &changes)
  }
}
