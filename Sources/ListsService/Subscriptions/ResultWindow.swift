internal import RecordStore
internal import Records

/// The first rows of a sorted result, kept up for a subscriber.
///
/// It knows all rows that the result has up to a bound: those that the subscriber holds and some behind them,
/// which come in when others go. When there are too few of them it is read anew.
final class ResultWindow: LiveResult {
  /// Of all that the subscriber holds; what takes more is too much to be kept up.
  static let maximumBytes = 64 << 20

  let read: ReadRequest
  private let order: ResultOrder
  /// Rows that the subscriber holds at most.
  private let limit: Int
  /// Rows that are kept behind them, about.
  private let spare: Int
  private let include: [FieldPath]
  private let inclusionLimit: InclusionLimit
  private var rows = ResultRows()
  /// Where the last row is that is known of; nil when all are.
  private var bound: ResultPlace?
  private var isBegun = false

  /// Throws `invalidArguments` for sections that are not in the order.
  init(
    _ request: WindowRequest, of definition: SubscriptionDefinition, within limits: ServiceLimits
  ) throws(RecordError) {
    inclusionLimit = InclusionLimit(limits)
    limit = request.resultsLimit
    spare = min(max(limit / 4, 16), 256)
    include = definition.include
    var query = definition.allRecords
    query.sortDescriptors = request.sortDescriptors
    query.sections = request.sections
    query.resultsLimit = limit + spare
    query.maximumBytes = Self.maximumBytes
    query.givesPlaces = true
    order = try ResultOrder(query)
    read = .query(query)
  }

  // MARK: Anew

  func adopt(_ result: ReadResult, _ resolver: any RecordSnapshot) throws(RecordError) -> LiveStep {
    guard case .query(let page) = result, page.places.count == page.records.count else {
      throw .unexpectedAnswer
    }
    let isAll = page.cursor == nil
    guard isAll || page.records.count >= limit else { throw tooLarge }
    let found = zip(page.records, page.places).map { ResultRow($0, at: $1) }
    for (row, record) in zip(found.prefix(limit), page.records) {
      row.digestOfIncluded = digest(of: record, resolver)
    }
    let step = replaceRows(with: found, page.records, resolver)
    bound = isAll ? nil : found.last?.place
    return step
  }

  func clear(_ resolver: any RecordSnapshot) -> LiveStep {
    bound = nil
    return replaceRows(with: [], [], resolver)
  }

  private func replaceRows(
    with found: [ResultRow], _ foundRecords: [StoredRecord], _ resolver: any RecordSnapshot
  ) -> LiveStep {
    let held = Array(rows.list.prefix(limit))
    let new = Array(found.prefix(limit))
    var records: [[UInt8]: StoredRecord] = [:]
    for (row, record) in zip(new, foundRecords) { records[row.place.identity] = record }
    let isFirst = !isBegun
    let moves = moves(from: held, to: new) { step, row in
      if step.old == nil { return isFirst ? .created : .entered }
      if step.new == nil { return resolver.hasRecord(of: row) ? .left : .deleted }
      return .updated
    }
    var step = LiveStep()
    for move in moves { step.changes.append(tell(move, records[move.row.place.identity], resolver)) }
    rows = ResultRows(found)
    isBegun = true
    return step
  }

  // MARK: By changes

  func advance(
    by matched: [MatchedChange], isWhole: Bool, _ resolver: any RecordSnapshot,
    check: () throws(RecordError) -> Void
  ) throws(RecordError) -> LiveStep? {
    // Undone unless all of it was told; what was, was kept.
    defer { rows.undo() }
    let held = matched.count > 1 ? Array(rows.list.prefix(limit)) : []
    let full = rows.count >= limit
    var told: [[UInt8]: MatchedChange] = [:]
    var edit: Edit?
    for match in matched {
      let identity = ResultPlace.identity(
        recordName: match.change.recordName, zoneName: match.change.zoneName)
      guard let made = try take(match, identity, resolver) else { continue }
      told[identity] = match
      edit = made
    }
    if bound != nil, rows.count < limit { return nil }
    var moves: [Move] = []
    if matched.count > 1 {
      let new = Array(rows.list.prefix(limit))
      moves = self.moves(from: held, to: new, told) { step, row in
        told[row.place.identity].map { reason($0, step) } ?? (step.new == nil ? .left : .entered)
      }
    } else if let edit {
      moves = self.moves(edit, wasFull: full, told)
    }
    guard let step = tell(moves, resolver) else { return nil }
    try check()
    try trim()
    rows.keep()
    return step
  }

  /// What a change did to the rows.
  private struct Edit {
    /// As it was; nil when it was not among them.
    var old: (row: ResultRow, index: Int)?
    /// As it is; nil when it is not among them any more.
    var new: (row: ResultRow, index: Int)?
  }

  /// Nil when it did nothing.
  private func take(
    _ match: MatchedChange, _ identity: [UInt8], _ resolver: any RecordResolver
  ) throws(RecordError) -> Edit? {
    let old = rows.row(of: identity)
    var new: ResultRow?
    if match.isAmongResult, let record = match.change.after {
      let place = try order.place(of: record, resolver)
      let row = ResultRow(record, at: place)
      if let old, old.tag == row.tag, old.place.isSame(as: place) {
        // Told before, unless it is of what the record refers to.
        guard match.change.before?.recordChangeTag == row.tag else { return nil }
      }
      if bound.map({ !$0.isBefore(place) }) ?? true { new = row }
    }
    if old == nil, new == nil { return nil }
    var edit = Edit()
    if let old { edit.old = (old, rows.remove(old)) }
    if let new { edit.new = (new, rows.insert(new)) }
    return edit
  }

  /// Leaves out what is known of more than is needed. Throws `limitExceeded` when the subscriber holds too much.
  private func trim() throws(RecordError) {
    let count = rows.count
    if count > limit + 2 * spare { rows.cut(to: limit + spare) }
    if rows.byteCount > Self.maximumBytes { rows.cut(to: limit) }
    if rows.byteCount > Self.maximumBytes { throw tooLarge }
    if rows.count < count { bound = rows.list.last?.place }
  }

  private var tooLarge: RecordError {
    RecordError(
      .limitExceeded,
      "a live result may have \(Self.maximumBytes >> 20) MiB of records at most; ask for fewer with resultsLimit"
    )
  }

  // MARK: Moves

  /// What is told of a row.
  private struct Move {
    var row: ResultRow
    var reason: ChangeReason
    var from: Int?
    var to: Int?
    /// Nil when it is of no change of the record.
    var match: MatchedChange?
  }

  /// What one change of a record does to the rows that the subscriber holds.
  private func moves(_ edit: Edit, wasFull: Bool, _ told: [[UInt8]: MatchedChange]) -> [Move] {
    let from = edit.old.flatMap { $0.index < limit ? $0.index : nil }
    let to = edit.new.flatMap { $0.index < limit ? $0.index : nil }
    guard let row = edit.new?.row ?? edit.old?.row, from != nil || to != nil else { return [] }
    let last = limit - 1
    var moves: [Move] = []
    if from == nil, wasFull { moves.append(Move(row: rows.list[limit], reason: .left, from: last)) }
    if let match = told[row.place.identity] {
      let step = RowDifference.Step(old: from, new: to, from: from, to: to)
      moves.append(Move(row: row, reason: reason(match, step), from: from, to: to, match: match))
    }
    if to == nil, rows.count >= limit { moves.append(Move(row: rows.list[last], reason: .entered, to: last)) }
    return moves
  }

  /// What leads from some rows to others, with the changes that were told of them.
  private func moves(
    from held: [ResultRow], to new: [ResultRow], _ told: [[UInt8]: MatchedChange] = [:],
    _ reason: (RowDifference.Step, ResultRow) -> ChangeReason
  ) -> [Move] {
    let steps = RowDifference.steps(
      from: held.map(\.place.identity), to: new.map(\.place.identity)
    ) { held[$0] !== new[$1] && (!held[$0].isSame(as: new[$1]) || told[new[$1].place.identity] != nil) }
    return steps.compactMap { step in
      guard let row = step.new.map({ new[$0] }) ?? step.old.map({ held[$0] }) else { return nil }
      return Move(
        row: row, reason: reason(step, row), from: step.from, to: step.to, match: told[row.place.identity])
    }
  }

  private func reason(_ match: MatchedChange, _ step: RowDifference.Step) -> ChangeReason {
    if step.new == nil { return match.change.after == nil ? .deleted : .left }
    if step.old != nil { return .updated }
    return match.change.before == nil ? .created : .entered
  }

  // MARK: Telling

  /// Nil when a row that comes in is another by now.
  private func tell(_ moves: [Move], _ resolver: any RecordSnapshot) -> LiveStep? {
    var step = LiveStep()
    for move in moves {
      let record = move.match?.change.after ?? resolver.record(of: move.row)
      if move.to != nil {
        guard let record, record.recordChangeTag == move.row.tag else { return nil }
        move.row.digestOfIncluded = digest(of: record, resolver)
      }
      step.changes.append(tell(move, record, resolver))
    }
    return step
  }

  private func tell(
    _ move: Move, _ record: StoredRecord?, _ resolver: any RecordSnapshot
  ) -> (match: MatchedChange, move: RowMove) {
    let place = move.row.place
    var section: SectionName?
    if move.to != nil, let name = place.sectionName {
      section = SectionName(name: name, indexTitle: order.indexTitle(ofSection: name))
    }
    let told = RowMove(from: move.from, to: move.to, section: section)
    if let match = move.match {
      let seen = MatchedChange(
        change: match.change, reason: move.reason, changedKeys: match.changedKeys,
        previousValues: match.previousValues)
      return (seen, told)
    }
    let change: RecordChange
    if move.reason != .deleted, let known = record ?? resolver.record(of: move.row) {
      change = RecordChange(initial: known)
    } else {
      change = RecordChange(
        ofGone: place.recordName, zoneName: place.zoneName, recordType: move.row.recordType,
        by: resolver.lastOrigin(ofRecord: place.recordName, inZone: place.zoneName),
        because: resolver.deletion(ofRecord: place.recordName, inZone: place.zoneName)?.cause)
    }
    return (MatchedChange(change: change, reason: move.reason, changedKeys: []), told)
  }

  private func digest(of record: StoredRecord, _ resolver: any RecordResolver) -> Int {
    if include.isEmpty { return 0 }
    // More than may come along is refused where the row is told; only that it is another matters here.
    let included = try? record.referencedRecords(at: include, resolver, within: inclusionLimit)
    var hasher = Hasher()
    for item in included ?? [] {
      hasher.combine(item.recordName)
      hasher.combine(item.zoneName)
      hasher.combine(item.record?.recordChangeTag)
    }
    return hasher.finalize()
  }
}

extension MatchedChange {
  /// Whether the record is one of the result after it.
  fileprivate var isAmongResult: Bool { reason != .left && reason != .deleted }
}

extension RecordResolver {
  /// The record at the row's place.
  fileprivate func record(of row: ResultRow) -> StoredRecord? {
    record(named: row.place.recordName, inZone: row.place.zoneName)
  }

  /// Whether the record of the row is still there.
  fileprivate func hasRecord(of row: ResultRow) -> Bool {
    record(of: row)?.recordType.hasSameUTF8(as: row.recordType) ?? false
  }
}
