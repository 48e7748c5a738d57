internal import JSONRPC
internal import Records
internal import SQLite

/// One query being answered from a snapshot.
struct QueryRun {
  private let query: Query
  private var matches: MatchScan

  init(
    _ query: Query, for purpose: PlannedQuery.Purpose = .page, _ snapshot: Snapshot, _ budget: RowBudget
  ) throws(SQLiteError) {
    self.query = query
    matches = try MatchScan(query, for: purpose, snapshot, budget)
  }

  /// How many match; nil when the budget is spent.
  mutating func count() throws(SQLiteError) -> Result<CountResult, RecordError>? {
    let snapshot = matches.snapshot
    var count = 0
    if case .constant(true) = query.predicate.root, query.zoneName == nil {
      count = try snapshot.connection.countRecords(ofType: query.recordType, snapshot.state)
    } else if let found = try matches.countByIndex() {
      count = found
    } else {
      try matches.forEach { _ in
        count += 1
        return true
      }
    }
    return matches.answer(
      CountResult(
        count: count, changeToken: snapshot.state.token, plan: matches.plan(returned: count)))
  }

  /// A page; nil when the budget is spent.
  mutating func page() throws(SQLiteError) -> Result<QueryResult, RecordError>? {
    let cursor: QueryCursor?
    let layout: SectionLayout?
    do {
      cursor = try query.cursor.map { text throws(RecordError) in try QueryCursor(text: text, of: query) }
      layout = try query.sections.map { request throws(RecordError) in
        try SectionLayout(request, of: query, sortedBy: matches.descriptors)
      }
    } catch {
      return .failure(error)
    }
    var sections: SectionList?
    if let layout, !query.givesPlaces {
      sections = try self.sections(layout)
      if sections == nil { return matches.interruption() }
    }
    let order: PageOrder
    do {
      order = try PageOrder(query, after: cursor, layout, sections)
    } catch {
      return .failure(error)
    }
    var page: Page
    switch order {
    case .sorted(let position): page = try sortedPage(after: position)
    case .sectioned(let sectioned, let layout): page = try sectionedPage(sectioned, layout)
    }
    let included = try include(&page)
    var places: [ResultPlace] = []
    if query.givesPlaces, !matches.isEnded {
      switch try matches.places(of: page.records, layout) {
      case .success(let found): places = found
      case .failure(let error): return .failure(error)
      }
    }
    var next: QueryCursor?
    do {
      if page.hasMore, let last = page.records.last { next = try order.cursor(after: last, matches) }
    } catch {
      return .failure(error)
    }
    return matches.answer(
      QueryResult(
        records: page.records, cursor: next?.text(for: query), changeToken: matches.snapshot.state.token,
        sections: layout.flatMap { sections?.sections($0) }, included: included,
        places: places, plan: matches.plan(returned: page.records.count)))
  }

  // MARK: Records

  private struct Page {
    /// In their order.
    var records: [StoredRecord] = []
    /// Whether there are more.
    var hasMore = false
  }

  private mutating func sortedPage(after position: QueryPosition?) throws(SQLiteError) -> Page {
    guard matches.isOrdered else {
      return try page { [matches] record throws(RecordError) in
        let own = try matches.position(of: record)
        return position.map { $0 < own } ?? true ? own : nil
      }
    }
    var page = Page()
    var bytes = 0
    try matches.forEach(after: position) { [query] record in
      bytes += record.body.bytes.count
      page.hasMore =
        page.records.count >= query.resultsLimit
        || bytes > query.maximumBytes && !page.records.isEmpty
      if !page.hasMore { page.records.append(record) }
      return !page.hasMore
    }
    return page
  }

  private mutating func sectionedPage(
    _ order: SectionedPage, _ layout: SectionLayout
  ) throws(SQLiteError) -> Page {
    try page { [matches] record throws(RecordError) in
      try order.position(of: record, layout, matches)
    }
  }

  /// The first records by the place that `position` gives them; nil is for those that are not to come.
  private mutating func page(
    _ position: (StoredRecord) throws(RecordError) -> QueryPosition?
  ) throws(SQLiteError) -> Page {
    var builder = PageBuilder(limit: query.resultsLimit, maximumBytes: query.maximumBytes)
    try matches.forEach { record throws(RecordError) in
      if let own = try position(record) { builder.add(record, at: own) }
      return true
    }
    let records = builder.finish()
    return Page(records: records, hasMore: builder.hasMore)
  }

  /// What the page's records refer to, which may make it shorter.
  private mutating func include(_ page: inout Page) throws(SQLiteError) -> [IncludedRecord] {
    if query.include.isEmpty || matches.isEnded { return [] }
    var inclusion = Inclusion(query)
    let count = try inclusion.gather(for: page.records, &matches)
    if count < page.records.count {
      page.records.removeSubrange(count...)
      page.hasMore = true
    }
    return inclusion.records
  }

  // MARK: Sections

  /// The sections of the whole result; nil when the scan was ended.
  private mutating func sections(_ layout: SectionLayout) throws(SQLiteError) -> SectionList? {
    let cache = matches.snapshot.sectionCache
    let result = QueryCursor.identity(of: query)
    let token = matches.snapshot.state.token
    if let known = cache.list(of: result, in: token), known.isGood(for: layout) {
      if known.entries.count <= layout.maximum { return known }
      matches.fail(layout.tooMany)
      return nil
    }
    var counted = try countedSections(layout)
    if counted == nil { counted = try gatheredSections(layout) }
    guard let sections = counted, !matches.isEnded else { return nil }
    cache.keep(sections, of: result, in: token)
    return sections
  }

  /// From an index alone; nil when none can tell.
  private mutating func countedSections(_ layout: SectionLayout) throws(SQLiteError) -> SectionList? {
    guard layout.isSortOrder, !layout.needsFirstRecords else { return nil }
    var counter = SectionCounter(layout)
    let isCounted = try matches.countByIndex(of: layout.path, layout.collation) {
      [matches] count throws(RecordError) in
      let value = matches.value(at: layout.path, of: count.record)
      try counter.add(value, count: count.count)
      return true
    }
    return isCounted ? counter.finish() : nil
  }

  private mutating func gatheredSections(_ layout: SectionLayout) throws(SQLiteError) -> SectionList {
    var counter = SectionCounter(layout)
    let isOrdered = matches.isOrdered
    try matches.forEach { [matches] record throws(RecordError) in
      try counter.add(matches.value(at: layout.path, of: record), comeInOrder: isOrdered) {
        () throws(RecordError) in try matches.position(of: record)
      }
      return true
    }
    return counter.finish()
  }
}

extension Connection {
  /// All records of the type, or of all types: counted as they were saved.
  fileprivate func countRecords(ofType name: String?, _ state: StoreState) throws(SQLiteError) -> Int {
    guard let name else { return Int(state.records) }
    guard let type = state.types[Name(name)] else { return 0 }
    let count = try statement(.recordsOfType)
    count.bind(type.id, at: 1)
    return Int(try count.first { $0.int64(0) } ?? 0)
  }
}
