internal import Records
internal import SQLite

/// Compares the ways to the records of one query; see ``PathChoice``.
final class PathChooser {
  private let type: RecordType
  private let connection: Connection
  private let limit: Int?
  /// Entries that may still be counted: choosing must not take longer than a bad choice.
  private var countsLeft = 40_000
  /// Branches of unions that may still be looked at.
  private var branchesLeft = 64

  /// Entries that are counted for one candidate at most, and sorted by name.
  private static let maximumCount = 10_000
  /// Indexes whose entries are counted.
  private static let maximumCounted = 4
  /// Entries that are sorted in the time that it takes to look at a record.
  private static let entriesOfARow = 10

  /// One way, and how many records it leads to.
  private struct Candidate {
    var path: AccessPath
    /// Entries in its stretches, `maximumCount` for that many and more.
    var rows = 0

    var isOrdered: Bool { path.isOrdered }
  }

  init(_ type: RecordType, limit: Int?, _ connection: Connection) {
    self.type = type
    self.limit = limit
    self.connection = connection
  }

  func choose(
    _ conditions: QueryConditions, _ order: QueryOrder
  ) throws(SQLiteError) -> (path: AccessPath, passedOver: [DeclaredIndex]) {
    let accesses = accesses(conditions, limit == nil ? nil : order)
    if let best = accesses.first(where: { $0.isExact && ($0.isOrdered || limit == nil) }) {
      return (.index(best), [])
    }
    let narrow = try narrowing(accesses, conditions)
    let orders = accesses.filter { $0.isOrdered && !$0.isNarrow }
    guard narrow.count + orders.count > 1 else {
      return (narrow.first?.path ?? orders.first.map { .index($0) } ?? wholeType(accesses), [])
    }
    let path = try cheapest(narrow, orders, gathers: limit != nil && order.descriptors.isEmpty)
    let taken = Set(path.indexes.map(\.id))
    return (path, narrow.flatMap(\.path.indexes).filter { !taken.contains($0.id) })
  }

  private func cheapest(
    _ narrow: [Candidate], _ orders: [IndexAccess], gathers: Bool
  ) throws(SQLiteError) -> AccessPath {
    var counted: [Candidate] = []
    for var candidate in narrow {
      candidate.rows = try count(candidate)
      if gathers, !candidate.isOrdered, candidate.rows < Self.maximumCount {
        candidate.path = .gathered(candidate.path, entries: candidate.rows)
      }
      counted.append(candidate)
    }
    let records = try records()
    counted += orders.map { Candidate(path: .index($0), rows: records) }
    let matches = counted.prefix(narrow.count).map(\.rows).min()
    var best: (cost: Int, path: AccessPath)?
    for candidate in counted {
      let cost = cost(candidate, matches: matches)
      if best.map({ cost < $0.cost }) ?? true { best = (cost, candidate.path) }
    }
    return best?.path ?? .nothing
  }

  /// How many records a candidate is expected to look at, or what takes as long.
  private func cost(_ candidate: Candidate, matches: Int?) -> Int {
    let rows = candidate.rows
    guard candidate.isOrdered, let limit else { return rows }
    guard let matches else { return min(rows, limit) }
    let (product, overflows) = (limit + 1).multipliedReportingOverflow(by: max(rows, 1))
    let expected = overflows ? rows : min(rows, product / max(matches, 1) * 2)
    if case .gathered = candidate.path { return expected + rows / Self.entriesOfARow }
    return expected
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

  private func wholeType(_ accesses: [IndexAccess]) -> AccessPath {
    accesses.first { $0.index.isOfWholeType }.map { .index($0) } ?? .nothing
  }

  /// What narrows down: indexes, the most promising ones, full text, and unions.
  private func narrowing(
    _ accesses: [IndexAccess], _ conditions: QueryConditions
  ) throws(SQLiteError) -> [Candidate] {
    var candidates = accesses.filter(\.isNarrow).prefix(Self.maximumCounted)
      .map { Candidate(path: .index($0)) }
    if let search = try search(conditions) { candidates.append(search) }
    for branches in conditions.alternatives {
      if let union = try union(of: branches, with: conditions) { candidates.append(union) }
    }
    return candidates
  }

  private func search(_ conditions: QueryConditions) throws(SQLiteError) -> Candidate? {
    guard !conditions.words.isEmpty,
      let index = type.indexes.first(where: {
        $0.kind == .fullText && $0.isReady && $0.isOfCurrentWords
      })
    else { return nil }
    let search = try FullTextSearch(conditions.words, in: FullTextIndex(id: index.id), connection)
    return Candidate(path: .words(index, search))
  }

  /// One path for each branch of an `OR`; nil when one of them has none that narrows down.
  private func union(
    of branches: [QueryConditions], with conditions: QueryConditions
  ) throws(SQLiteError) -> Candidate? {
    var outer = conditions
    outer.alternatives = []
    var paths: [AccessPath] = []
    var rows = 0
    var effort = QueryConditions.Effort()
    for branch in branches {
      branchesLeft -= 1
      guard branchesLeft >= 0 else { return nil }
      var inner = outer
      inner.add(branch, &effort)
      if inner.isImpossible { continue }
      guard let best = try best(for: inner) else { return nil }
      paths.append(best.path)
      rows += best.rows
    }
    return Candidate(path: paths.count == 1 ? paths[0] : .union(paths), rows: rows)
  }

  /// For a branch: in no order.
  private func best(for conditions: QueryConditions) throws(SQLiteError) -> Candidate? {
    if let names = conditions.names { return Candidate(path: .names(names), rows: names.count) }
    var best: Candidate?
    for var candidate in try narrowing(accesses(conditions, nil), conditions) {
      candidate.rows = try count(candidate)
      if best.map({ candidate.rows < $0.rows }) ?? true { best = candidate }
    }
    return best
  }

  // MARK: Counting

  private func count(_ candidate: Candidate) throws(SQLiteError) -> Int {
    let limit = min(Self.maximumCount, countsLeft)
    // What can't be counted any more is presumed to be much.
    guard limit > 0 else { return Self.maximumCount }
    var rows = candidate.rows
    switch candidate.path {
    case .words(_, let search): rows = try search.count(upTo: limit, in: connection)
    case .index(let access):
      rows = 0
      for stretch in access.stretches where rows < limit {
        rows += try connection.countEntries(access.index, stretch, atMost: limit - rows)
      }
    default: return rows
    }
    countsLeft -= rows
    return rows < limit ? rows : Self.maximumCount
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
