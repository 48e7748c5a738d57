public import Records
internal import SQLite

extension Reader {
  /// Rows of the log, or records, that are looked at where others wait.
  private static let rowsAtOnce: Int64 = 2000

  /// A page of changes. Nil when it is to be submitted (``RecordStore/submit(_:)-(ReadRequest)``), because the
  /// log that it goes through is long.
  ///
  /// - Parameter nanoseconds: after which the page ends.
  /// - Throws: `zoneNotFound`; `changeTokenExpired` as ``changes(after:limit:maximumBytes:)``, also within pages
  ///   when what they started from is no longer kept.
  public func changes(_ query: ChangesQuery, nanoseconds: UInt64) throws(RecordError) -> ChangesResult? {
    try changes(query, RowBudget(rows: Int(Self.rowsAtOnce), nanoseconds: nanoseconds), isApart: false)
  }

  /// As long as it takes, within the budget.
  func changes(_ query: ChangesQuery, _ budget: RowBudget) throws(RecordError) -> ChangesResult? {
    try changes(query, budget, isApart: true)
  }

  private func changes(
    _ query: ChangesQuery, _ budget: RowBudget, isApart: Bool
  ) throws(RecordError) -> ChangesResult? {
    let result = try read { (connection, state) throws(SQLiteError) -> Result<ChangesResult, RecordError>? in
      // Whoever goes on from a position is told what became of a zone that was there.
      if let zone = query.zoneName, try !connection.hasZone(zone, state, orPast: query.since != nil) {
        return .failure(.zoneNotFound(zone))
      }
      let cursor = query.since ?? ChangesCursor(state.token, .row(0))
      if let reason = try connection.expiry(of: cursor.token, state) {
        return .failure(.changeTokenExpired(reason, fresh: state.token))
      }
      // What a record went through is followed through the log, back to the oldest position that counts.
      if !isApart, try connection.isLogLonger(than: Self.rowsAtOnce, after: cursor.token.oldest) {
        return nil
      }
      var run = ChangesRun(query, connection, state, budget)
      return .success(try run.page(from: cursor))
    }
    return try result?.get()
  }
}

extension Connection {
  /// Whether there is a zone of that name; with `orPast` also one that was deleted, while the log tells of it.
  func hasZone(_ name: String, _ state: StoreState, orPast: Bool) throws(SQLiteError) -> Bool {
    if state.zones[Name(name)] != nil { return true }
    return orPast ? try zone(named: name) != nil : false
  }

  fileprivate func isLogLonger(than rows: Int64, after position: Int64) throws(SQLiteError) -> Bool {
    let find = try statement(.changeAtPlace)
    find.bind(Version.last(ofCommit: position).rawValue, at: 1)
    find.bind(rows, at: 2)
    return try find.first { _ in true } ?? false
  }
}
