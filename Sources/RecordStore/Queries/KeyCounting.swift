internal import JSONRPC
internal import Records
internal import SQLite

/// Counts records by the value under one key from the entries of an index, without a look at the records: where
/// the predicate is decided by the index alone.
struct KeyCounting {
  /// A value, and how many records have it.
  struct Count {
    /// The ascending `SortKey` of the value, in the collation that was asked for.
    let key: [UInt8]
    let count: Int
    /// One of the records, in which the value is to be found.
    let record: StoredRecord
  }

  private let connection: Connection
  let index: DeclaredIndex
  /// What the keys of all entries begin with.
  private let head: [UInt8]
  private let stretches: [KeyRange]
  private let zoneName: String?

  /// Nil when no index can do it.
  init?(
    of path: FieldPath, _ collation: SortDescriptor.Collation, _ conditions: QueryConditions,
    _ type: RecordType, zoneName: String?, _ connection: Connection
  ) {
    guard conditions.isExact, !conditions.isImpossible, conditions.elements.isEmpty,
      conditions.words.isEmpty, conditions.alternatives.isEmpty, !path.leadsThroughReference(type.fields)
    else { return nil }
    let part = IndexPart(path, collation)
    for index in type.indexes where index.kind == .ordered && index.isReady {
      guard let place = index.parts.firstIndex(of: part) else { continue }
      var head: [UInt8] = []
      var used: Set<FieldPath> = []
      for part in index.parts[..<place] where part.collation == .codePoint {
        guard let points = conditions.keys[part.path]?.points, points.count == 1 else { break }
        head += points[0]
        used.insert(part.path)
      }
      guard used.count == place else { continue }
      var keys = KeySet.all
      if collation == .codePoint, let own = conditions.keys[path] {
        keys = own
        used.insert(path)
      }
      guard conditions.keys.keys.allSatisfy({ used.contains($0) }), index.isOfCurrentCollator else {
        continue
      }
      self.connection = connection
      self.index = index
      self.head = head
      self.zoneName = zoneName
      stretches = keys.ranges.map { $0.behind(head) }
      return
    }
    return nil
  }

  /// Gives the values in their order, ascending with null first or the other way round, to `visit`, until it
  /// returns false; only those that are greater than the one that the ascending key `after` is of. Values that
  /// no record has are not among them.
  ///
  /// False when the budget is spent before the end.
  func forEach(
    descending: Bool = false, after: [UInt8]? = nil, _ budget: inout RowBudget,
    _ visit: (Count) throws(RecordError) -> Bool
  ) throws(SQLiteError) -> Result<Bool, RecordError> {
    for stretch in descending ? stretches.reversed() : stretches {
      var rest = stretch
      if let after {
        let start = KeyRange(prefix: head + after).below
        if rest.from.lexicographicallyPrecedes(start) { rest.from = start }
      }
      while let (key, row) = try edge(of: rest, last: descending) {
        // Another form of key is another version's, and no index is read then.
        guard let length = SortKey.lengthOfFirst(in: key[head.count...]) else {
          throw SQLiteError(damage: "an index has a key of unknown form")
        }
        let value = Array(key[head.count..<head.count + length])
        let all = KeyRange(prefix: head + value)
        let limit = budget.entries
        let count = try connection.countEntries(index, all, atMost: limit, zoneName: zoneName)
        guard budget.spend(entries: count), count < limit else { return .success(false) }
        if count > 0 {
          guard let record = try record(row) else { throw SQLiteError(damage: "an entry without a record") }
          do throws(RecordError) {
            guard try visit(Count(key: value, count: count, record: record)) else { return .success(true) }
          } catch {
            return .failure(error)
          }
        }
        if descending { rest.below = all.from } else { rest.from = all.below }
      }
    }
    return .success(true)
  }

  /// The first or last entry.
  private func edge(
    of stretch: KeyRange, last: Bool
  ) throws(SQLiteError) -> (key: [UInt8], record: Int64)? {
    guard !stretch.isEmpty else { return nil }
    let find = try connection.statement(last ? .lastEntry : .firstEntry)
    find.bind(index.id, at: 1)
    find.bind(stretch.from, at: 2)
    find.bind(stretch.below, at: 3)
    return try find.first { ($0.bytes(0), $0.int64(1)) }
  }

  private func record(_ row: Int64) throws(SQLiteError) -> StoredRecord? {
    let find = try connection.statement(.bodyByID)
    find.bind(row, at: 1)
    return try find.first { $0.isNull(0) ? nil : StoredRecord(body: JSON(unchecked: $0.bytes(0))) } ?? nil
  }
}

extension PlannedQuery {
  /// How many records match, counted from an index without a look at them; nil when that can't be, or when the
  /// budget is spent (`isSpent` of it then).
  func countByIndex(_ budget: inout RowBudget) throws(SQLiteError) -> Int? {
    guard case .index(let access) = scan.path, access.isExact,
      !access.mayRepeat || access.stretches.count == 1 && access.stretches[0].isPoint
    else { return nil }
    var total = 0
    for stretch in access.stretches {
      let limit = budget.entries
      let count = try scan.connection.countEntries(
        access.index, stretch, atMost: limit, zoneName: query.zoneName)
      guard budget.spend(entries: count), count < limit else { return nil }
      total += count
    }
    return total
  }

  /// Counts the matches by the value at a path, from an index; nil when none can.
  func keyCounting(
    of path: FieldPath, _ collation: SortDescriptor.Collation = .codePoint
  ) -> KeyCounting? {
    guard let type else { return nil }
    return KeyCounting(
      of: path, collation, conditions, type, zoneName: query.zoneName, scan.connection)
  }
}
