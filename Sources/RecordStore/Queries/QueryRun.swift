internal import JSONRPC
internal import Records
internal import SQLite

/// One query being answered from a snapshot.
struct QueryRun {
  private let query: Query
  private let state: StoreState
  private let planned: PlannedQuery
  private var budget: RowBudget
  private var rowsExamined = 0
  /// Why the scan was ended early, if it was.
  private var end: End?

  private enum End {
    case overBudget
    case failed(RecordError)
  }

  init(
    _ query: Query, for purpose: PlannedQuery.Purpose = .page, _ connection: Connection, _ state: StoreState,
    _ budget: RowBudget
  ) throws(SQLiteError) {
    self.query = query
    self.state = state
    self.budget = budget
    planned = try PlannedQuery(query, for: purpose, connection, state)
  }

  /// A page; nil when the budget is spent.
  mutating func page() throws(SQLiteError) -> Result<QueryResult, RecordError>? {
    let position: QueryPosition?
    var sections: SectionBuilder?
    do {
      position = try query.cursor.map { text throws(RecordError) in
        try QueryCursor(text: text, of: query).position
      }
      sections = try SectionBuilder(query)
    } catch {
      return .failure(error)
    }
    let isOrdered = planned.scan.isOrdered
    var builder = PageBuilder(limit: query.resultsLimit, maximumBytes: query.maximumBytes)
    let page =
      isOrdered
      ? try orderedPage(after: position) : try sortedPage(after: position, &builder, &sections)
    if isOrdered, end == nil, sections != nil { try count(&sections) }
    switch end {
    case .overBudget: return nil
    case .failed(let error): return .failure(error)
    case nil: break
    }
    return .success(
      QueryResult(
        records: page.records,
        cursor: page.last.map { QueryCursor($0, moment: query.moment).text(for: query) },
        changeToken: state.token, sections: sections?.finish(),
        plan: planned.plan(rowsExamined: rowsExamined, rowsReturned: page.records.count)))
  }

  /// How many match; nil when the budget is spent.
  mutating func count() throws(SQLiteError) -> Int? {
    var count = 0
    try forEachMatch { _ in
      count += 1
      return true
    }
    return end == nil ? count : nil
  }

  // MARK: Pages

  /// The records of the page and, when there are more, the position of its last.
  private typealias Page = (records: [StoredRecord], last: QueryPosition?)

  private mutating func orderedPage(after position: QueryPosition?) throws(SQLiteError) -> Page {
    var records: [StoredRecord] = []
    var bytes = 0
    var hasMore = false
    try forEachMatch(after: position) { [query] record in
      let size = record.body.bytes.count
      guard records.count < query.resultsLimit, records.isEmpty || bytes + size <= query.maximumBytes else {
        hasMore = true
        return false
      }
      records.append(record)
      bytes += size
      return true
    }
    guard hasMore, let last = records.last else { return (records, nil) }
    do {
      return (records, try planned.position(of: last))
    } catch {
      end = .failed(error)
      return ([], nil)
    }
  }

  private mutating func sortedPage(
    after position: QueryPosition?, _ builder: inout PageBuilder, _ sections: inout SectionBuilder?
  ) throws(SQLiteError) -> Page {
    var failure: RecordError?
    try forEachMatch { [planned] record in
      do throws(RecordError) {
        let own = try planned.position(of: record)
        if position.map({ $0 < own }) ?? true { builder.add(record, at: own) }
        try sections?.add(record)
        return true
      } catch {
        failure = error
        return false
      }
    }
    if let failure { end = .failed(failure) }
    let page = builder.finish()
    return (page.records, builder.hasMore ? page.last : nil)
  }

  private mutating func count(_ sections: inout SectionBuilder?) throws(SQLiteError) {
    var failure: RecordError?
    try forEachMatch { record in
      do throws(RecordError) {
        try sections?.add(record)
        return true
      } catch {
        failure = error
        return false
      }
    }
    if let failure { end = .failed(failure) }
  }

  // MARK: Rows

  /// Gives the records that match to `visit` until it returns false or the budget is spent.
  private mutating func forEachMatch(
    after position: QueryPosition? = nil, _ visit: (StoredRecord) -> Bool
  ) throws(SQLiteError) {
    var budget = budget
    var examined = rowsExamined
    var isSpent = false
    try planned.scan.forEach(after: position) { record in
      guard budget.spend() else {
        isSpent = true
        return false
      }
      examined += 1
      return planned.matches(record) ? visit(record) : true
    }
    try planned.references.check()
    self.budget = budget
    rowsExamined = examined
    if isSpent { end = .overBudget }
  }
}
