internal import Records
internal import SQLite

/// The choice of an access path.
///
/// 1. Names in the predicate are looked up.
/// 2. For a page: an index whose stretches hold nothing but matches, in the query's order, is taken at once; no
///    other can look at fewer records.
/// 3. Otherwise the indexes that narrow the search down are compared by the entries in their stretches (counted,
///    up to `maximumCount`); so is the union of one index for each branch of an `OR`, and what the full-text
///    index would find. One that gives the query's order as well ends with the page: it is expected to look at
///    as many records as it takes to come upon a page of matches, which are presumed to lie evenly, twice that
///    for caution. All others look at all of their entries.
/// 4. Where nothing narrows down, an index in the query's order, then all records of the type.
struct PathChoice {
  let path: AccessPath
  /// The indexes that narrow down too, and were not taken.
  let passedOver: [DeclaredIndex]

  /// - Parameters:
  ///   - order: the order that a page is wanted in.
  ///   - limit: records of the page; nil when all records that match are wanted, in any order.
  init(
    _ conditions: QueryConditions, _ order: QueryOrder, type: RecordType, limit: Int?,
    _ connection: Connection
  ) throws(SQLiteError) {
    if conditions.isImpossible {
      (path, passedOver) = (.nothing, [])
    } else if let names = conditions.names {
      (path, passedOver) = (.names(names), [])
    } else {
      let chooser = PathChooser(type: type, connection: connection, limit: limit)
      (path, passedOver) = try chooser.choose(conditions, order)
    }
  }
}

private struct PathChooser {
  let type: RecordType
  let connection: Connection
  let limit: Int?

  /// Entries that are counted in a candidate's stretches at most.
  private static let maximumCount = 5000
  /// Indexes whose entries are counted.
  private static let maximumCounted = 4

  /// One way, and how many records it leads to.
  private struct Candidate {
    let path: AccessPath
    let access: IndexAccess?
    /// Entries in its stretches, `maximumCount` for more than that.
    var rows = 0
  }

  // MARK: Candidates

  private func accesses(_ conditions: QueryConditions, _ order: QueryOrder?) -> [IndexAccess] {
    let accesses = type.indexes.filter(\.isReady).flatMap { index -> [IndexAccess] in
      switch index.kind {
      case .ordered: [ordered(index, conditions, order)]
      case .elements: IndexAccess.elements(of: index, conditions, order)
      case .fullText: []
      }
    }
    return accesses.sorted { $0.rank > $1.rank }
  }

  private func ordered(
    _ index: DeclaredIndex, _ conditions: QueryConditions, _ order: QueryOrder?
  ) -> IndexAccess {
    let access = IndexAccess(ordered: index, conditions, order, fields: type.fields)
    // Localized keys of another collator are in another order.
    guard access.isOrdered, !index.isOfCurrentCollator else { return access }
    return IndexAccess(ordered: index, conditions, nil, fields: type.fields)
  }

  func choose(
    _ conditions: QueryConditions, _ order: QueryOrder
  ) throws(SQLiteError) -> (path: AccessPath, passedOver: [DeclaredIndex]) {
    let accesses = accesses(conditions, limit == nil ? nil : order)
    if let best = accesses.first(where: { $0.isExact && ($0.isOrdered || limit == nil) }) {
      return (.index(best), [])
    }
    var effort = Self.maximumBranches
    let narrow = try narrowing(accesses, conditions, &effort)
    let orders = accesses.filter { $0.isOrdered && !$0.isNarrow }
    guard narrow.count + orders.count > 1 else {
      return (narrow.first?.path ?? orders.first.map { .index($0) } ?? wholeType(accesses), [])
    }
    let path = try cheapest(narrow, orders)
    let taken = Set(path.indexes.map(\.id))
    return (path, narrow.flatMap(\.path.indexes).filter { !taken.contains($0.id) })
  }

  private func cheapest(
    _ narrow: [Candidate], _ orders: [IndexAccess]
  ) throws(SQLiteError) -> AccessPath {
    var counted: [Candidate] = []
    for var candidate in narrow {
      candidate.rows = try count(candidate)
      counted.append(candidate)
    }
    let records = try records()
    counted += orders.map { Candidate(path: .index($0), access: $0, rows: records) }
    let matches = counted.prefix(narrow.count).map(\.rows).min()
    var best: (cost: Int, path: AccessPath)?
    for candidate in counted {
      let cost = cost(candidate.rows, isOrdered: candidate.path.isOrdered, matches: matches)
      if best.map({ cost < $0.cost }) ?? true { best = (cost, candidate.path) }
    }
    return best?.path ?? .nothing
  }

  private func search(_ conditions: QueryConditions) throws(SQLiteError) -> Candidate? {
    guard !conditions.words.isEmpty,
      let index = type.indexes.first(where: { $0.kind == .fullText && $0.isReady })
    else { return nil }
    let search = try FullTextSearch(conditions.words, in: FullTextIndex(id: index.id), connection)
    return Candidate(path: .words(index, search), access: nil)
  }

  private func wholeType(_ accesses: [IndexAccess]) -> AccessPath {
    accesses.first { $0.index.isOfWholeType }.map { .index($0) } ?? .nothing
  }

  /// What narrows down: indexes, the most promising ones, and unions.
  private func narrowing(
    _ accesses: [IndexAccess], _ conditions: QueryConditions, _ effort: inout Int
  ) throws(SQLiteError) -> [Candidate] {
    var candidates = accesses.filter(\.isNarrow).prefix(Self.maximumCounted)
      .map { Candidate(path: .index($0), access: $0) }
    if let search = try search(conditions) { candidates.append(search) }
    for branches in conditions.alternatives {
      if let union = try union(of: branches, with: conditions, &effort) { candidates.append(union) }
    }
    return candidates
  }

  /// What a candidate is expected to look at.
  private func cost(_ rows: Int, isOrdered: Bool, matches: Int?) -> Int {
    guard isOrdered, let limit else { return rows }
    guard let matches else { return min(rows, limit) }
    let (expected, overflows) = (limit + 1).multipliedReportingOverflow(by: max(rows, 1))
    return overflows ? rows : min(rows, expected / max(matches, 1) * 2)
  }

  // MARK: Branches of OR

  /// Branches of all unions that are looked at for a query.
  private static let maximumBranches = 64

  /// One path for each branch; nil when one of them has none that narrows down.
  private func union(
    of branches: [QueryConditions], with conditions: QueryConditions, _ effort: inout Int
  ) throws(SQLiteError) -> Candidate? {
    var outer = conditions
    outer.alternatives = []
    var paths: [AccessPath] = []
    var rows = 0
    var ranges = QueryConditions.Effort()
    for branch in branches {
      effort -= 1
      guard effort >= 0 else { return nil }
      var inner = outer
      inner.add(branch, &ranges)
      if inner.isImpossible { continue }
      if let names = inner.names {
        paths.append(.names(names))
        rows += names.count
        continue
      }
      var best: Candidate?
      for var candidate in try narrowing(accesses(inner, nil), inner, &effort) {
        candidate.rows = try count(candidate)
        if best.map({ candidate.rows < $0.rows }) ?? true { best = candidate }
      }
      guard let best else { return nil }
      paths.append(best.path)
      rows += best.rows
    }
    if paths.count == 1 { return Candidate(path: paths[0], access: nil, rows: rows) }
    return Candidate(path: .union(paths), access: nil, rows: rows)
  }

  // MARK: Counting

  private func count(_ candidate: Candidate) throws(SQLiteError) -> Int {
    if case .words(_, let search) = candidate.path {
      return try search.count(upTo: Self.maximumCount, in: connection)
    }
    guard let access = candidate.access else { return candidate.rows }
    var rows = 0
    for stretch in access.stretches {
      let left = Self.maximumCount - rows
      if left <= 0 { break }
      rows += try connection.countEntries(access.index, stretch, atMost: left)
    }
    return rows
  }

  private func records() throws(SQLiteError) -> Int {
    let count = try connection.statement(.recordsOfType)
    count.bind(type.id, at: 1)
    return Int(try count.first { $0.int64(0) } ?? 0)
  }
}

extension IndexAccess {
  /// Higher for what promises more: parts with certain values, then a range, then the order, then fewer parts.
  fileprivate var rank: Int {
    (equalParts * 4 + (hasRange ? 2 : 0) + (isOrdered ? 1 : 0)) * 32 - min(index.parts.count, 31)
  }
}

extension Connection {
  /// Entries of a stretch.
  func countEntries(
    _ index: DeclaredIndex, _ stretch: KeyRange, atMost limit: Int, zoneName: String? = nil
  ) throws(SQLiteError) -> Int {
    let count = try statement(zoneName == nil ? .countEntries : .countEntriesOfZone)
    count.bind(index.id, at: 1)
    count.bind(stretch.from, at: 2)
    count.bind(stretch.below, at: 3)
    count.bind(Int64(limit), at: 4)
    if let zoneName { count.bind([0] + Array(zoneName.utf8), at: 5) }
    return Int(try count.first { $0.int64(0) } ?? 0)
  }
}

// MARK: Names

extension QueryConditions {
  private static let maximumNames = 1000
  private static let recordName = FieldPath(SystemKey.recordName.rawValue)

  /// The names that a record may have; nil when there is no such list.
  ///
  /// Names are kept by their bytes, while a predicate takes canonically equivalent texts for one: only names
  /// that no other text is equivalent to can be looked up. `K`, `;` and the grave accent each have a double
  /// (U+212A, U+037E, U+1FEF).
  var names: [String]? {
    guard let path = Self.recordName, let keys = keys[path], keys.ranges.count <= Self.maximumNames,
      let points = keys.points
    else { return nil }
    let tag = SortKey.prefix(ofTextsBeginningWith: "")
    var names: [String] = []
    for key in points where key.starts(with: tag) {
      // Names have no zero byte, so nothing in the key is escaped; two bytes end it.
      let name = key.dropFirst(tag.count).dropLast(2)
      guard name.allSatisfy({ $0 < 0x80 && $0 != 0x4B && $0 != 0x3B && $0 != 0x60 }) else { return nil }
      names.append(String(decoding: name, as: UTF8.self))
    }
    return names
  }
}
