internal import Records
internal import SQLite

/// Figures being worked out over a snapshot.
struct AggregateRun {
  private let request: AggregateQuery
  private var matches: MatchScan

  private struct Group: Sized {
    var keys: [FieldValue?]
    /// The name of the record whose keys they are: the first of the group's.
    var tie: [UInt8]
    var states: [AggregateState]

    var size: Int { tie.count + states.reduce(0) { $0 + $1.size } }
  }

  init(_ request: AggregateQuery, _ snapshot: Snapshot, _ budget: RowBudget) throws(SQLiteError) {
    self.request = request
    var query = request.selection
    query.sortDescriptors = []
    query.sections = nil
    matches = try MatchScan(query, for: .all, snapshot, budget)
  }

  /// The groups; nil when the budget is spent.
  mutating func result() throws(SQLiteError) -> Result<AggregateResult, RecordError>? {
    let limit = request.resultsLimit ?? request.maximumGroups
    var groups = LeastKeys<Group>(limit: limit, maximumBytes: request.selection.maximumBytes)
    let empty = request.aggregates.map { AggregateState($0.function) }
    if request.groupKeys.isEmpty { groups.update([]) { $0 = Group(keys: [], tie: [], states: empty) } }
    try matches.forEach { [matches, request] record throws(RecordError) in
      var key: [UInt8] = []
      let keys = request.groupKeys.map { path in
        let value = matches.value(at: path, of: record)
        SortKey.append(value, to: &key)
        return value
      }
      let tie = keys.isEmpty ? [] : IndexKey.tie(of: record)
      groups.update(key) { group in
        if group.map({ tie.lexicographicallyPrecedes($0.tie) }) ?? true {
          group = Group(keys: keys, tie: tie, states: group?.states ?? empty)
        }
        for (place, aggregate) in request.aggregates.enumerated() {
          if let path = aggregate.key {
            group?.states[place].add(matches.value(at: path, of: record))
          } else {
            group?.states[place].addRecord()
          }
        }
      }
      if groups.hasMore, request.resultsLimit == nil { throw Self.tooMuch(request) }
      return true
    }
    let found = groups.finish()
    // Groups left out for their size would be missed without a word.
    if groups.hasMore, found.count < limit { matches.fail(Self.tooMuch(request)) }
    return matches.answer(
      AggregateResult(
        groups: found.map { _, group in
          AggregateGroup(keys: group.keys.map { $0?.composed }, values: group.states.map(\.result))
        },
        changeToken: matches.snapshot.state.token, plan: matches.plan(returned: found.count)))
  }

  private static func tooMuch(_ request: AggregateQuery) -> RecordError {
    let limit = request.maximumGroups
    return RecordError(
      .limitExceeded, "there are more than \(limit) groups, or more than fits a reply; group by less",
      details: [.init(name: "limitName", text: "maximumGroups"), .init(name: "limit", number: limit)])
  }
}
