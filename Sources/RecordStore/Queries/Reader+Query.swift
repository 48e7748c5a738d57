public import Records
internal import SQLite

extension Reader {
  /// A page of the records that match. Nil when more than `budget` rows would have to be looked at:
  /// ``RecordStore/submit(_:)-(ReadRequest)`` it then.
  ///
  /// Throws `invalidArguments` for a cursor that is not of this query, or for sections by another key than
  /// the one that is sorted by first; `zoneNotFound`; `serviceUnavailable` when localized order can't be had.
  public func query(_ query: Query, budget: Int) throws(RecordError) -> QueryResult? {
    try self.query(query, RowBudget(rows: budget))
  }

  /// How many records match; cursor, limit, order and sections don't matter. Nil as for ``query(_:budget:)``.
  public func count(_ query: Query, budget: Int) throws(RecordError) -> CountResult? {
    try self.count(query, RowBudget(rows: budget))
  }

  func query(_ query: Query, _ budget: RowBudget) throws(RecordError) -> QueryResult? {
    let result = try read { (connection, state) throws(SQLiteError) -> Result<QueryResult, RecordError>? in
      if let zone = query.zoneName, state.zones[Name(zone)] == nil { return .failure(.zoneNotFound(zone)) }
      var run = try QueryRun(query, connection, state, budget)
      return try run.page()
    }
    return try result?.get()
  }

  func count(_ query: Query, _ budget: RowBudget) throws(RecordError) -> CountResult? {
    var query = query
    query.sortDescriptors = []
    query.cursor = nil
    query.sections = nil
    let result = try read {
      [query] (connection, state) throws(SQLiteError) -> Result<CountResult, RecordError>? in
      if let zone = query.zoneName, state.zones[Name(zone)] == nil { return .failure(.zoneNotFound(zone)) }
      if case .constant(true) = query.predicate.root, query.zoneName == nil {
        let count = try connection.countRecords(ofType: query.recordType, state)
        return .success(CountResult(count: count, changeToken: state.token))
      }
      var run = try QueryRun(query, for: .all, connection, state, budget)
      return try run.count().map { .success(CountResult(count: $0, changeToken: state.token)) }
    }
    return try result?.get()
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
