internal import Records
internal import SQLite

/// A query, how its records are come by, and in which order they are: for one read of one snapshot.
struct PlannedQuery {
  /// What is wanted of a query.
  enum Purpose {
    /// The first records in its order, from a position on.
    case page
    /// All records, in any order.
    case all
  }

  let query: Query
  let order: QueryOrder
  let scan: RecordScan
  /// For what is asked of other records than those that are gone through; to be checked at the end.
  let references: ReferencedRecords

  let conditions: QueryConditions
  let type: RecordType?
  private let passedOver: [DeclaredIndex]

  init(
    _ query: Query, for purpose: Purpose = .page, _ connection: Connection, _ state: StoreState
  ) throws(SQLiteError) {
    self.query = query
    type = query.recordType.flatMap { state.types[Name($0)] }
    order = QueryOrder(query, constant: QueryConditions.constantPaths(of: query.predicate))
    references = ReferencedRecords(connection, zones: state.zones)
    conditions = QueryConditions(
      query.predicate, fields: query.recordType == nil ? nil : type?.fields ?? [:])
    if query.recordType == nil {
      let isOrdered = order.descriptors.isEmpty
      let path =
        conditions.isImpossible
        ? .nothing : conditions.names.map { .names($0) } ?? AccessPath.everything(isOrdered: isOrdered)
      scan = RecordScan(connection: connection, path: path)
      passedOver = []
    } else if let type {
      let choice = try PathChoice(
        conditions, order, type: type, limit: purpose == .page ? query.resultsLimit : nil, connection)
      scan = RecordScan(connection: connection, path: choice.path)
      passedOver = choice.passedOver
    } else {
      scan = RecordScan(connection: connection, path: .nothing)
      passedOver = []
    }
  }

  /// Whether a record that `scan` gave is of the query's result.
  /// `isStopped` is as for `Predicate.matches`.
  func matches(_ record: StoredRecord, isStopped: (() -> Bool)? = nil) -> Bool {
    if let zone = query.zoneName, !record.zoneName.hasSameUTF8(as: zone) { return false }
    if scan.path.isOfAnyType, let type = query.recordType, !record.recordType.hasSameUTF8(as: type) {
      return false
    }
    return query.predicate.matches(record, resolver: references, isStopped: isStopped)
  }

  /// Where a record stands in the query's order. Throws `serviceUnavailable` when localized order can't be had.
  func position(of record: StoredRecord) throws(RecordError) -> QueryPosition {
    try order.position(of: record, references)
  }

  // MARK: Telling

  /// What is told of how the query was answered; in words only where they are asked for.
  func plan(rowsExamined: Int, rowsReturned: Int) -> QueryPlan {
    let report = PlanReport(
      query: query, path: scan.path, order: order, conditions: conditions, type: type, passedOver: passedOver)
    return QueryPlan(
      access: report.access, index: report.index, ordered: scan.isOrdered, rowsExamined: rowsExamined,
      rowsReturned: rowsReturned, reason: query.explains ? report.reason : "",
      unknownKeys: query.explains ? report.unknownKeys : [])
  }

  /// The index that would suit the query best: keys with one value by name, a key with a range, the keys that
  /// are sorted by. Empty when none would help.
  var wantedIndex: [IndexPart] {
    type.map { WantedIndex(conditions, order, fields: $0.fields).parts } ?? []
  }
}
