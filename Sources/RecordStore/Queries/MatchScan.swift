internal import JSONRPC
internal import Records
internal import SQLite

/// Goes through the records of a snapshot that match a query, as far as the budget reaches.
struct MatchScan {
  let query: Query
  let snapshot: Snapshot
  private let planned: PlannedQuery
  private var budget: RowBudget
  private var rowsExamined = 0
  /// Why it was ended early, if it was.
  private var end: End?
  /// The index that told without a look at the records.
  private var countedBy: DeclaredIndex?

  /// Bytes of a record that may take so long that the time is looked at behind it.
  private static let longRecord = 16 << 10

  private enum End {
    case overBudget
    case failed(RecordError)
  }

  init(
    _ query: Query, for purpose: PlannedQuery.Purpose = .page, _ snapshot: Snapshot, _ budget: RowBudget
  ) throws(SQLiteError) {
    self.query = query
    self.snapshot = snapshot
    self.budget = budget
    planned = try PlannedQuery(query, for: purpose, snapshot.connection, snapshot.state)
  }

  /// The descriptors of the query's order that can make a difference.
  var descriptors: [SortDescriptor] { planned.order.descriptors }

  /// Whether the records come in the query's order.
  var isOrdered: Bool { planned.scan.isOrdered }

  /// Whether it was ended early, so that what was gathered is not all.
  var isEnded: Bool { end != nil }

  // MARK: A record

  /// The value at a path of a record of the snapshot, through references too.
  func value(at path: FieldPath, of record: StoredRecord) -> FieldValue? {
    record.value(at: path, resolver: planned.references)
  }

  /// Where the record stands in the order.
  func position(of record: StoredRecord) throws(RecordError) -> QueryPosition {
    try planned.position(of: record)
  }

  /// Where records of the snapshot stand in the order, by sections of that layout. Throws `serviceUnavailable`
  /// as ``position(of:)``, and what the references could not be read for.
  func places(
    of records: [StoredRecord], _ layout: SectionLayout?
  ) throws(SQLiteError) -> Result<[ResultPlace], RecordError> {
    var places: [ResultPlace] = []
    places.reserveCapacity(records.count)
    do throws(RecordError) {
      for record in records {
        let section = layout.map { SectionLayout.name(of: value(at: $0.path, of: record)) }
        places.append(ResultPlace(position: try position(of: record), sectionName: section))
      }
    } catch {
      return .failure(error)
    }
    try planned.references.check()
    return .success(places)
  }

  /// Another record of the snapshot, which counts as a row; nil when there is none, or when the budget is spent.
  mutating func record(_ recordName: String, inZone zoneName: String) throws(SQLiteError) -> StoredRecord? {
    guard end == nil else { return nil }
    let record = planned.references.record(named: recordName, inZone: zoneName)
    try planned.references.check()
    guard budget.spend(bytes: record?.body.bytes.count ?? 0) else {
      end = .overBudget
      return nil
    }
    return record
  }

  // MARK: All of them

  /// Gives the records that match to `visit` until it returns false or throws, or the budget is spent. With a
  /// position only those behind it, which takes a scan that is ordered.
  mutating func forEach(
    after position: QueryPosition? = nil, _ visit: (StoredRecord) throws(RecordError) -> Bool
  ) throws(SQLiteError) {
    guard end == nil else { return }
    guard budget.spend(entries: planned.scan.entriesGathered) else {
      end = .overBudget
      return
    }
    let comparisons = query.predicate.numberOfComparisons
    var budget = budget
    var examined = rowsExamined
    var end: End?
    try planned.scan.forEach(after: position) { [planned] record in
      guard budget.spend(bytes: record.body.bytes.count, comparisons: comparisons) else {
        end = .overBudget
        return false
      }
      examined += 1
      let matches = planned.matches(record, isStopped: { budget.isOverdue })
      if record.body.bytes.count > Self.longRecord, budget.isOverdue {
        end = .overBudget
        return false
      }
      guard matches else { return true }
      do throws(RecordError) {
        return try visit(record)
      } catch {
        end = .failed(error)
        return false
      }
    }
    self.budget = budget
    rowsExamined = examined
    self.end = end
    try planned.references.check()
  }

  /// How many match, if an index tells; nil when none does, and when the scan was ended.
  mutating func countByIndex() throws(SQLiteError) -> Int? {
    guard end == nil else { return nil }
    let count = try planned.countByIndex(&budget)
    if count == nil, budget.isSpent { end = .overBudget }
    return count
  }

  /// Gives the values under a path to `visit`, ascending with null first, each with how many records that match
  /// have it and one of those, until it returns false or throws, or the budget is spent; only those behind the
  /// value that `key` is of, if there is one. False when no index can tell.
  mutating func countByIndex(
    of path: FieldPath, _ collation: SortDescriptor.Collation = .codePoint, after key: [UInt8]? = nil,
    _ visit: (KeyCounting.Count) throws(RecordError) -> Bool
  ) throws(SQLiteError) -> Bool {
    guard end == nil, let counting = planned.keyCounting(of: path, collation) else { return false }
    countedBy = counting.index
    switch try counting.forEach(after: key, &budget, visit) {
    case .success(true): break
    case .success(false): end = .overBudget
    case .failure(let error): end = .failed(error)
    }
    return true
  }

  // MARK: Telling

  mutating func fail(_ error: RecordError) {
    if end == nil { end = .failed(error) }
  }

  /// What was worked out; nil when the budget did not suffice for all.
  func answer<Value>(_ value: @autoclosure () -> Value) -> Result<Value, RecordError>? {
    isEnded ? interruption() : .success(value())
  }

  /// The answer when the scan was ended early: a failure, or nil when the budget is spent.
  func interruption<Value>() -> Result<Value, RecordError>? {
    if case .failed(let error) = end { .failure(error) } else { nil }
  }

  /// How a page or a count was come by; the advisor is told as well.
  func plan(returned: Int) -> QueryPlan {
    let advisor = snapshot.advisor
    for index in planned.scan.path.indexes { advisor.noteUse(of: index) }
    if let type = query.recordType {
      advisor.note(
        recordType: type, wanted: planned.wantedIndex, rowsExamined: rowsExamined, rowsReturned: returned)
    }
    return planned.plan(rowsExamined: rowsExamined, rowsReturned: returned)
  }

  /// How values were come by that ``countByIndex(of:_:after:_:)`` gave, or else a scan.
  func planOfValues(returned: Int) -> QueryPlan {
    guard let countedBy else { return plan(returned: returned) }
    snapshot.advisor.noteUse(of: countedBy)
    var plan = planned.plan(rowsExamined: 0, rowsReturned: returned)
    plan.access = .index
    plan.index = countedBy.parts.map(\.descriptor.key)
    plan.ordered = true
    plan.reason = "the entries of the index were counted, without a look at the records"
    return plan
  }
}
