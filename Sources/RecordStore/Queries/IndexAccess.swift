internal import Records

/// Stretches of an index, gone through in one direction.
struct IndexAccess {
  enum Direction {
    case up, down
  }

  /// Stretches that are in the query's order among themselves, one behind the other.
  struct Source {
    /// What all its keys begin with; the query's order is that of what comes behind.
    let head: [UInt8]
    /// Ascending; none overlaps another.
    var stretches: [KeyRange]
  }

  let index: DeclaredIndex
  /// Each phase comes whole before the next; the sources of a phase are merged.
  let phases: [[Source]]
  let direction: Direction
  /// Whether the records come in the query's order.
  let isOrdered: Bool
  /// The first byte of the positions that are in the phase of nulls, when that is apart; that phase's place.
  var nullPhase: (marker: UInt8, place: Int)?
  /// Whether a record may come more than once.
  let mayRepeat: Bool
  /// Whether every record in the stretches matches.
  let isExact: Bool
  /// Keys that have one value in each stretch.
  let equalParts: Int
  /// Whether there is a range behind those.
  let hasRange: Bool
  /// The paths whose conditions were made use of.
  let usedPaths: [FieldPath]

  /// More stretches than these are put together to one.
  static let maximumStretches = 100

  var stretches: [KeyRange] { phases.flatMap { $0.flatMap(\.stretches) } }
  /// Whether it leaves out anything.
  var isNarrow: Bool { equalParts > 0 || hasRange }
}

// MARK: Ordered indexes

extension IndexAccess {
  /// Through an index with an entry for each record, in the query's order if that is given and can be had.
  init(
    ordered index: DeclaredIndex, _ conditions: QueryConditions, _ order: QueryOrder?,
    fields: [Name: FieldType]
  ) {
    let parts = Parts(index, conditions)
    let rest = index.parts.dropFirst(parts.equal).first
    var range = KeySet.all
    var isWhole = true
    if let rest, rest.collation == .codePoint, let keys = conditions.keys[rest.path] {
      range = keys
      if parts.prefixes.count * keys.ranges.count > Self.maximumStretches {
        range = keys.hull
        isWhole = false
      }
    }
    let fit = order.flatMap {
      OrderFit(index.parts, equalParts: parts.equal, $0, conditions, fields)
    }
    var used = index.parts.prefix(parts.equal).map(\.path)
    if let rest, range != .all { used.append(rest.path) }
    self.index = index
    direction = fit?.direction ?? .up
    isOrdered = fit != nil
    let split = Self.phases(parts, range, fit)
    phases = split.phases
    nullPhase = split.nullPhase
    mayRepeat = false
    equalParts = parts.equal
    hasRange = range != .all
    usedPaths = used
    isExact =
      isWhole && conditions.isExact && conditions.elements.isEmpty && conditions.words.isEmpty
      && conditions.alternatives.isEmpty && conditions.keys.keys.allSatisfy { used.contains($0) }
  }

  /// The beginnings of keys that the first parts allow.
  private struct Parts {
    /// How many parts have certain values.
    var equal = 0
    /// Each as the keys of its parts, in ascending order.
    var prefixes: [[[UInt8]]] = [[]]

    init(_ index: DeclaredIndex, _ conditions: QueryConditions) {
      for part in index.parts {
        guard part.collation == .codePoint, let points = conditions.keys[part.path]?.points,
          prefixes.count * points.count <= IndexAccess.maximumStretches
        else { return }
        prefixes = prefixes.flatMap { prefix in points.map { prefix + [$0] } }
        equal += 1
      }
    }
  }

  private static func phases(
    _ parts: Parts, _ range: KeySet, _ fit: OrderFit?
  ) -> (phases: [[Source]], nullPhase: (marker: UInt8, place: Int)?) {
    guard let fit, let nulls = fit.nullsApart else {
      return ([sources(parts, range, heads: fit?.heads ?? 0) { _ in true }], nil)
    }
    let isPoint = fit.heads < parts.equal
    let null = sources(parts, isPoint ? range : range.intersection(.null), heads: fit.heads) {
      !isPoint || $0[fit.heads] == [0]
    }
    let some = sources(parts, isPoint ? range : range.intersection(.some), heads: fit.heads) {
      !isPoint || $0[fit.heads] != [0]
    }
    return nulls == .first ? ([null, some], (0x00, 0)) : ([some, null], (0xFF, 1))
  }

  /// The stretches of the prefixes that `isIncluded`, those with the same first `heads` parts as one source.
  private static func sources(
    _ parts: Parts, _ range: KeySet, heads: Int, where isIncluded: ([[UInt8]]) -> Bool
  ) -> [Source] {
    var sources: [Source] = []
    for prefix in parts.prefixes where isIncluded(prefix) {
      let head = prefix.prefix(heads).flatMap { $0 }
      let whole = prefix.flatMap { $0 }
      let stretches = range == .all ? [KeyRange(prefix: whole)] : range.ranges.map { $0.behind(whole) }
      if sources.last?.head == head {
        sources[sources.count - 1].stretches += stretches
      } else {
        sources.append(Source(head: head, stretches: stretches))
      }
    }
    return sources.filter { !$0.stretches.isEmpty }
  }
}

/// How the order of an index's entries serves the order of a query.
private struct OrderFit {
  let direction: IndexAccess.Direction
  /// Parts before those that the order is made of.
  let heads: Int
  /// Where the nulls of the first key come, when not where they are in the index.
  let nullsApart: SortDescriptor.Nulls?

  /// Nil when it does not.
  init?(
    _ parts: [IndexPart], equalParts: Int, _ order: QueryOrder, _ conditions: QueryConditions,
    _ fields: [Name: FieldType]
  ) {
    heads = parts.count - order.descriptors.count
    guard heads >= 0, heads <= equalParts else { return nil }
    var direction = IndexAccess.Direction.up
    var nullsApart: SortDescriptor.Nulls?
    for (place, descriptor) in order.descriptors.enumerated() {
      let part = parts[heads + place]
      // Only a descriptor that is nothing beside these: a distance, say, is in no index.
      let indexed = SortDescriptor(
        part.path, ascending: descriptor.ascending, nulls: descriptor.nulls, collation: part.collation)
      guard descriptor == indexed, !part.path.leadsThroughReference(fields) else { return nil }
      let own: IndexAccess.Direction = descriptor.ascending ? .up : .down
      if place == 0 { direction = own }
      guard own == direction else { return nil }
      // In the index null is below all else.
      let isPlain = descriptor.nullsComeFirst == descriptor.ascending
      if isPlain || conditions.keys[part.path]?.containsNull == false { continue }
      guard place == 0 else { return nil }
      nullsApart = descriptor.nullsComeFirst ? .first : .last
    }
    self.direction = direction
    self.nullsApart = nullsApart
  }
}

// MARK: Indexes of elements

extension IndexAccess {
  /// Through an index with an entry for each element, by one of the conditions on elements; nil when there is
  /// none on its path.
  static func elements(
    of index: DeclaredIndex, _ conditions: QueryConditions, _ order: QueryOrder?
  ) -> [IndexAccess] {
    guard let part = index.parts.first, part.collation == .codePoint else { return [] }
    return conditions.elements.filter { $0.path == part.path }.map { condition in
      IndexAccess(elements: index, condition.keys, conditions, order)
    }
  }

  private init(
    elements index: DeclaredIndex, _ keys: KeySet, _ conditions: QueryConditions, _ order: QueryOrder?
  ) {
    let points = keys.points.flatMap { $0.count <= Self.maximumStretches ? $0 : nil }
    // The entries of one element are in the order of names.
    isOrdered = points != nil && order?.descriptors.isEmpty == true
    if let points, isOrdered {
      phases = [points.map { Source(head: $0, stretches: [KeyRange(point: $0)]) }]
    } else {
      let keys = keys.ranges.count <= Self.maximumStretches ? keys : keys.hull
      phases = [[Source(head: [], stretches: keys.ranges)]]
    }
    self.index = index
    direction = .up
    mayRepeat = points?.count != 1
    equalParts = points == nil ? 0 : 1
    hasRange = points == nil
    usedPaths = index.parts.map(\.path)
    isExact =
      conditions.isExact && conditions.keys.isEmpty && conditions.words.isEmpty
      && conditions.alternatives.isEmpty && conditions.elements.count == 1
      && keys.ranges.count <= Self.maximumStretches
  }
}

// MARK: Positions

extension IndexAccess {
  /// A place among the entries of a source.
  struct Start {
    let phase: Int
    /// The index key of the position, behind a source's head.
    let key: [UInt8]
    let tie: [UInt8]
  }

  /// Where to go on behind a position in the query's order.
  func start(after position: QueryPosition) -> Start {
    var key = position.key
    var phase = 0
    var isNull = false
    if let nullPhase {
      isNull = key.first == nullPhase.marker
      phase = isNull ? nullPhase.place : 1 - nullPhase.place
    }
    if direction == .down { key = key.map { ~$0 } }
    if isNull { key[0] = 0 }
    return Start(phase: phase, key: key, tie: position.tie)
  }
}
