public import Records
internal import SQLite

extension Reader {
  /// Bytes of a record, times comparisons, that are too much where others wait.
  private static let costlyRow = 256 << 10

  private static func budget(_ rows: Int, _ nanoseconds: UInt64) -> RowBudget {
    RowBudget(rows: rows, nanoseconds: nanoseconds, costlyRow: nanoseconds == .max ? .max : costlyRow)
  }

  /// A page of the records that match. Nil when more than `budget` rows would have to be looked at, or when
  /// `nanoseconds` went by (a record that is being looked at then is finished): ``RecordStore/submit(_:)-(ReadRequest)`` it then.
  ///
  /// Throws `invalidArguments` for a cursor that is not of this query; `unknownItem` for an index title that no
  /// section has; `limitExceeded` for too many sections, or for a record that refers to too many others;
  /// `zoneNotFound`; `serviceUnavailable` when localized order can't be had.
  public func query(_ query: Query, budget: Int, nanoseconds: UInt64 = .max) throws(RecordError)
    -> QueryResult?
  {
    try self.query(query, Self.budget(budget, nanoseconds))
  }

  /// How many records match; cursor, limit, order and sections don't matter. Nil as for ``query(_:budget:nanoseconds:)``.
  public func count(_ query: Query, budget: Int, nanoseconds: UInt64 = .max) throws(RecordError)
    -> CountResult?
  {
    try self.count(query, Self.budget(budget, nanoseconds))
  }

  /// A page of the different values under a key. Nil as for ``query(_:budget:nanoseconds:)``.
  ///
  /// Throws `invalidArguments` for a cursor that is not of this query; `zoneNotFound`.
  public func distinct(_ request: DistinctQuery, budget: Int, nanoseconds: UInt64 = .max) throws(RecordError)
    -> DistinctResult?
  {
    try distinct(request, Self.budget(budget, nanoseconds))
  }

  /// Figures over the records that match. Nil as for ``query(_:budget:nanoseconds:)``.
  ///
  /// Throws `limitExceeded` for too many groups; `zoneNotFound`.
  public func aggregate(_ request: AggregateQuery, budget: Int, nanoseconds: UInt64 = .max)
    throws(RecordError) -> AggregateResult?
  {
    try aggregate(request, Self.budget(budget, nanoseconds))
  }

  func query(_ query: Query, _ budget: RowBudget) throws(RecordError) -> QueryResult? {
    try answer(query) { snapshot throws(SQLiteError) in
      var run = try QueryRun(query, snapshot, budget)
      return try run.page()
    }
  }

  func count(_ query: Query, _ budget: RowBudget) throws(RecordError) -> CountResult? {
    var query = query
    query.sortDescriptors = []
    query.cursor = nil
    query.sections = nil
    return try answer(query) { [query] snapshot throws(SQLiteError) in
      var run = try QueryRun(query, for: .all, snapshot, budget)
      return try run.count()
    }
  }

  func distinct(_ request: DistinctQuery, _ budget: RowBudget) throws(RecordError) -> DistinctResult? {
    try answer(request.selection) { snapshot throws(SQLiteError) in
      var run = try DistinctRun(request, snapshot, budget)
      return try run.page()
    }
  }

  func aggregate(_ request: AggregateQuery, _ budget: RowBudget) throws(RecordError) -> AggregateResult? {
    try answer(request.selection) { snapshot throws(SQLiteError) in
      var run = try AggregateRun(request, snapshot, budget)
      return try run.result()
    }
  }

  /// Runs `body` in the snapshot, if that has the zone that the records are to be of.
  private func answer<Value>(
    _ selection: Query,
    _ body: (Snapshot) throws(SQLiteError) -> Result<Value, RecordError>?
  ) throws(RecordError) -> Value? {
    let result = try read { (connection, state) throws(SQLiteError) -> Result<Value, RecordError>? in
      if let zone = selection.zoneName, state.zones[Name(zone)] == nil {
        return .failure(.zoneNotFound(zone))
      }
      return try body(
        Snapshot(connection: connection, state: state, sectionCache: sectionCache, advisor: advisor))
    }
    return try result?.get()
  }
}
