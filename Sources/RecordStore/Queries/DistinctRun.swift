internal import Records
internal import SQLite

/// The different values under a key being found in a snapshot.
struct DistinctRun {
  private let key: FieldPath
  private var matches: MatchScan

  private struct Entry: Sized {
    var value: FieldValue?
    /// The name of the record whose value it is: the first of those that have it.
    var tie: [UInt8]
    var count: Int

    var size: Int { tie.count + 32 }
  }

  /// Marks the cursors of pages of values: `distinct` in ASCII.
  private static let marks: [UInt64] = [0x6469_7374_696E_6374]

  init(_ request: DistinctQuery, _ snapshot: Snapshot, _ budget: RowBudget) throws(SQLiteError) {
    key = request.key
    var query = request.selection
    query.sortDescriptors = [SortDescriptor(request.key)]
    query.sections = nil
    matches = try MatchScan(query, snapshot, budget)
  }

  /// A page of values; nil when the budget is spent.
  mutating func page() throws(SQLiteError) -> Result<DistinctResult, RecordError>? {
    let query = matches.query
    let last: [UInt8]?
    do {
      last = try query.cursor.map { text throws(RecordError) in
        let cursor = try QueryCursor(text: text, of: query)
        guard cursor.marks == Self.marks else { throw .cursorOfAnotherQuery }
        return cursor.position.key
      }
    } catch {
      return .failure(error)
    }
    var entries = LeastKeys<Entry>(limit: query.resultsLimit, maximumBytes: query.maximumBytes)
    let isCounted = try matches.countByIndex(of: key, after: last) { [matches, key] count in
      entries.update(count.key) {
        $0 = Entry(value: matches.value(at: key, of: count.record), tie: [], count: count.count)
      }
      return !entries.hasMore
    }
    if !isCounted { try gather(&entries, after: last) }
    let page = entries.finish()
    var cursor: String?
    if entries.hasMore, let last = page.last {
      var end = QueryCursor(QueryPosition(key: last.key, tie: []), moment: query.moment)
      end.marks = Self.marks
      cursor = end.text(for: query)
    }
    return matches.answer(
      DistinctResult(
        values: page.map { DistinctValue($0.value.value?.composed, count: $0.value.count) }, cursor: cursor,
        changeToken: matches.snapshot.state.token, plan: matches.planOfValues(returned: page.count)))
  }

  private mutating func gather(_ entries: inout LeastKeys<Entry>, after last: [UInt8]?) throws(SQLiteError) {
    let isOrdered = matches.isOrdered
    // Behind every record with the last value; a name has no byte 255.
    let start =
      isOrdered && matches.descriptors.count == 1
      ? last.map { QueryPosition(key: $0, tie: [0xFF]) } : nil
    try matches.forEach(after: start) { [matches, key] record in
      let value = matches.value(at: key, of: record)
      var own: [UInt8] = []
      SortKey.append(value, to: &own)
      if let last, !last.lexicographicallyPrecedes(own) { return true }
      let tie = IndexKey.tie(of: record)
      entries.update(own) { entry in
        guard let known = entry else {
          entry = Entry(value: value, tie: tie, count: 1)
          return
        }
        entry?.count += 1
        if tie.lexicographicallyPrecedes(known.tie) {
          entry?.value = value
          entry?.tie = tie
        }
      }
      // In order, what is still to come belongs to later pages.
      return !(isOrdered && entries.hasMore)
    }
  }
}

extension FieldValue {
  /// One spelling for texts that are canonically equivalent.
  var composed: FieldValue {
    guard case .string = self else { return self }
    return SortKey.text(of: SortKey.key(of: self)).map { .string($0) } ?? self
  }
}

extension RecordError {
  static var cursorOfAnotherQuery: RecordError {
    RecordError(.invalidArguments, "the cursor is of another query")
  }
}
