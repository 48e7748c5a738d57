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

  func query(_ query: Query, _ budget: RowBudget) throws(RecordError) -> QueryResult? { nil }
  func count(_ query: Query, _ budget: RowBudget) throws(RecordError) -> CountResult? { nil }
}
