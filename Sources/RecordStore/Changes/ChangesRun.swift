internal import JSONRPC
internal import Records
internal import SQLite

/// A page of changes in the making. Ends wherever it has enough, also within a commit.
struct ChangesRun {
  private let query: ChangesQuery
  private let connection: Connection
  private let state: StoreState
  private var budget: RowBudget
  private var changes: [RecordChange] = []
  private var bytes = 0
  /// Records of no concern that were passed since the budget was asked.
  private var passed = 0
  /// The version that a record had at the end, of those that changed after it was logged.
  private var lastVersions: [Int64: Version] = [:]

  init(_ query: ChangesQuery, _ connection: Connection, _ state: StoreState, _ budget: RowBudget) {
    self.query = query
    self.connection = connection
    self.state = state
    self.budget = budget
  }

  /// The page; ends early when the budget is spent, but never without having gone on.
  mutating func page(from cursor: ChangesCursor) throws(SQLiteError) -> ChangesResult {
    switch cursor.place {
    case .row(let row): return try everything(at: cursor.token, afterRow: row)
    case .position:
      return try changes(
        after: cursor.token, from: Version.last(ofCommit: cursor.token.sequence))
    case .version(let version): return try changes(after: cursor.token, from: version)
    }
  }

  private var hasEnough: Bool {
    changes.count >= query.resultsLimit || bytes >= query.maximumBytes || budget.isSpent
  }

  private mutating func append(_ list: [RecordChange]) {
    for change in list {
      if let type = query.recordType, !type.hasSameUTF8(as: change.recordType) { continue }
      if let zone = query.zoneName, !zone.hasSameUTF8(as: change.zoneName) { continue }
      bytes += (change.before?.body.bytes.count ?? 0) + (change.after?.body.bytes.count ?? 0)
      changes.append(change)
    }
  }

  // MARK: Since a position

  private mutating func changes(
    after token: ChangeToken, from position: Version
  ) throws(SQLiteError) -> ChangesResult {
    let end = token.replay?.end ?? state.lastCommit
    let start = token.replay?.start ?? token.sequence
    let log = try connection.statement(.changesBetween)
    log.bind(position.rawValue, at: 1)
    log.bind(Version.last(ofCommit: end).rawValue, at: 2)
    defer { log.reset() }
    var reached = position
    var next: Version?
    while try log.step() {
      let version = Version(rawValue: log.int64(0))
      if hasEnough, reached != position {
        next = version
        break
      }
      reached = version
      try append(row: log, version, from: start, to: end)
    }
    let last = Version.last(ofCommit: end)
    if next == nil { reached = last }
    let deletedZones = try connection.zonesDeleted(after: position, upTo: reached)
    return ChangesResult(
      changes: changes,
      deletedZones: deletedZones.filter { query.zoneName?.hasSameUTF8(as: $0) ?? true },
      cursor: try cursor(at: reached, before: next, token.sequence, start: start, end: end),
      moreComing: next != nil || end < state.lastCommit)
  }

  /// Tells what became of the row's record, if it is the record's last row.
  private mutating func append(
    row: Statement, _ version: Version, from start: Int64, to end: Int64
  ) throws(SQLiteError) {
    let id = row.int64(1)
    _ = budget.spend(bytes: 0)
    if let last = lastVersions[id], last != version { return }
    let last = try connection.state(ofRecord: id, at: .last(ofCommit: end))
    guard last.version == version else {
      lastVersions[id] = last.version
      return
    }
    let origin = Caller(userID: UInt32(truncatingIfNeeded: row.int64(2)), connection: 0)
    var previous = row.optionalInt64(3).map { Version(rawValue: $0) }
    var before = row.isNull(4) ? nil : StoredRecord(body: JSON(unchecked: row.bytes(4)))
    let replaced = before
    var commits = [version.commit]
    var wasDeleted = false
    var causeOfDeletion: Int64?
    while let version = previous, version.commit > start {
      if commits[0] != version.commit { commits = [version.commit, commits[commits.count - 1]] }
      let change = try connection.change(making: version)
      if before == nil {
        wasDeleted = true
        causeOfDeletion = change?.cause
      }
      before = change?.replaced
      previous = change?.previous
    }
    var list: [RecordChange] = []
    RecordChange.append(
      from: before, to: last.record, wasDeleted: wasDeleted, by: origin,
      because: .init(
        last: try connection.cause(row.optionalInt64(5)), ofDeletion: try connection.cause(causeOfDeletion)),
      in: commits,
      passing: .init(last: replaced), to: &list)
    _ = budget.spend(bytes: (before?.body.bytes.count ?? 0) + (last.record?.body.bytes.count ?? 0))
    append(list)
  }

  private func cursor(
    at reached: Version, before next: Version?, _ position: Int64, start: Int64, end: Int64
  ) throws(SQLiteError) -> ChangesCursor {
    let epoch = try connection.epoch(ofCommit: end)
    guard let next else {
      return ChangesCursor(ChangeToken(store: state.identity, epoch: epoch, sequence: end))
    }
    let isWhole = next.commit != reached.commit
    // What lies before the commit is known in any case.
    let sequence = isWhole ? reached.commit : max(position, reached.commit - 1)
    let token = ChangeToken(
      store: state.identity, epoch: epoch, sequence: sequence, replay: .init(start: start, end: end))
    return ChangesCursor(token, isWhole ? .position : .version(reached))
  }

  // MARK: Everything

  /// The records that there were at the position. Those that changed since are told as they were then, since
  /// what became of them is told to who goes on from the position.
  private mutating func everything(
    at token: ChangeToken, afterRow row: Int64
  ) throws(SQLiteError) -> ChangesResult {
    let type = query.recordType.map { state.types[Name($0)]?.id ?? 0 }
    let zone = query.zoneName.flatMap { state.zones[Name($0)] }
    let end = Version.last(ofCommit: token.sequence)
    let rows = try connection.statement(.rowsAfter)
    rows.bind(row, at: 1)
    rows.bind(zone, at: 2)
    rows.bind(type, at: 3)
    rows.bind(end.rawValue, at: 4)
    defer { rows.reset() }
    var reached = row
    var isWhole = true
    while try rows.step() {
      if hasEnough, reached != row {
        isWhole = false
        break
      }
      reached = rows.int64(0)
      let version = Version(rawValue: rows.int64(1))
      let body = rows.isNull(3) ? nil : rows.bytes(3)
      guard rows.int64(2) != 0 else {
        pass()
        continue
      }
      _ = budget.spend(bytes: body?.count ?? 0)
      let record =
        version <= end
        ? body.map { StoredRecord(body: JSON(unchecked: $0)) }
        : try connection.state(ofRecord: reached, at: end).record
      guard let record else { continue }
      append([RecordChange(initial: record)])
    }
    return ChangesResult(
      changes: changes, deletedZones: [],
      cursor: ChangesCursor(token, isWhole ? .position : .row(reached)),
      moreComing: !isWhole || token.sequence < state.lastCommit)
  }

  /// Twenty rows whose bodies are not read are like one whose body is.
  private mutating func pass() {
    passed += 1
    if passed % 20 == 0 { _ = budget.spend(bytes: 0) }
  }
}
