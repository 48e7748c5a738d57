internal import Records

/// How the records that may match are come by.
enum AccessPath {
  /// There are none: the type has no records.
  case nothing
  /// One after another by name.
  case names([String])
  /// All records of all types, by name.
  case everything
  case index(IndexScan)

  func plan(ordered: Bool, rowsExamined: Int, rowsReturned: Int) -> QueryPlan {
    var access: QueryPlan.Access
    var index: [String]?
    switch self {
    case .nothing: access = .none
    case .names: access = .names
    case .everything: access = .everything
    case .index(let scan):
      access = scan.index.paths.isEmpty ? .type : .index
      if access == .index { index = scan.index.paths.map { SortDescriptor($0).key } }
    }
    return QueryPlan(
      access: access, index: index, ordered: ordered, rowsExamined: rowsExamined, rowsReturned: rowsReturned,
      reason: "")
  }
}

/// A stretch of an index.
struct IndexScan {
  enum Direction {
    case up, down
  }

  let index: DeclaredIndex
  /// What all keys of the stretch begin with.
  let prefix: [UInt8]
  /// Keys from the first, below the second.
  let from: [UInt8]
  let below: [UInt8]
  /// The direction in which the stretch is in the query's order; nil when in neither.
  let order: Direction?

  /// The index key of a position in the query's order.
  func key(of position: QueryPosition) -> [UInt8] {
    prefix + (order == .down ? position.key.map { ~$0 } : position.key)
  }
}

extension AccessPath {
  /// Above every ascending key.
  private static let top: [UInt8] = [0xFF]

  /// Chooses: by name where the predicate names names; else the index with the longest equal beginning, then
  /// with a range behind it, then with the query's order.
  init(_ query: Query, conditions: QueryConditions, order: QueryOrder, type: RecordType?) {
    if let names = conditions.names, names.count <= 1000 {
      self = .names(names)
      return
    }
    guard query.recordType != nil else {
      self = .everything
      return
    }
    guard let type else {
      self = .nothing
      return
    }
    var best: (score: Int, scan: IndexScan)?
    for index in type.indexes where index.isReady && index.kind == .ordered && !index.isLocalized {
      let (score, scan) = Self.scan(of: index, conditions, order)
      if score > best?.score ?? -1 { best = (score, scan) }
    }
    self = best.map { .index($0.scan) } ?? .nothing
  }

  private static func scan(
    of index: DeclaredIndex, _ conditions: QueryConditions, _ order: QueryOrder
  ) -> (score: Int, scan: IndexScan) {
    var prefix: [UInt8] = []
    var rest = index.paths[...]
    while let path = rest.first, let key = conditions.equal[path] {
      prefix += key
      rest.removeFirst()
    }
    var from = prefix
    var below = SortKey.end(ofPrefix: prefix) ?? top
    let range = rest.first.flatMap { conditions.ranges[$0] }
    if let range {
      from = prefix + range.from
      below = prefix + range.below
    }
    let direction = direction(of: rest, order)
    let score = (index.paths.count - rest.count) * 4 + (range == nil ? 0 : 2) + (direction == nil ? 0 : 1)
    return (score, IndexScan(index: index, prefix: prefix, from: from, below: below, order: direction))
  }

  private static func direction(of paths: ArraySlice<FieldPath>, _ order: QueryOrder) -> IndexScan.Direction?
  {
    guard paths.elementsEqual(order.descriptors.map(\.path)),
      order.descriptors.allSatisfy({ $0.collation == .codePoint })
    else { return nil }
    if order.descriptors.allSatisfy({ $0.ascending && $0.nullsComeFirst }) { return .up }
    return order.descriptors.allSatisfy { !$0.ascending && !$0.nullsComeFirst } ? .down : nil
  }
}
