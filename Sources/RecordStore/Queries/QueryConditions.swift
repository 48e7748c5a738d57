internal import Records

/// What a predicate demands of every record that matches, as far as indexes can tell it: necessary, and
/// sufficient only where ``isExact`` says so. The evaluator decides; this only narrows down what it looks at.
struct QueryConditions {
  /// The keys that the value at a path must have: all of these.
  var keys: [FieldPath: KeySet] = [:]
  /// Paths at which at least one element of the list there (or the single value) must have a key of the set.
  var elements: [(path: FieldPath, keys: KeySet)] = []
  /// Words that must be in the record.
  var words: [FullTextCondition] = []
  /// Of each of these lists at least one must be met.
  var alternatives: [[QueryConditions]] = []
  /// Whether no record can match.
  var isImpossible = false
  /// Whether every record that meets all this matches.
  var isExact = true
  /// Why parts of the predicate are of no use to an index, in words.
  var obstacles: [String] = []

  /// Alternatives that are worth a look each.
  static let maximumAlternatives = 32
  /// Obstacles that are worth telling.
  private static let maximumObstacles = 8

  /// Whether nothing is demanded.
  var isEmpty: Bool {
    !isImpossible && keys.isEmpty && elements.isEmpty && words.isEmpty && alternatives.isEmpty
  }

  static let everything = QueryConditions()

  static var unknown: QueryConditions {
    var conditions = QueryConditions()
    conditions.isExact = false
    return conditions
  }

  static var impossible: QueryConditions {
    var conditions = QueryConditions()
    conditions.isImpossible = true
    return conditions
  }

  static func obstructed(by obstacle: String) -> QueryConditions {
    var conditions = unknown
    conditions.obstacles = [obstacle]
    return conditions
  }

  init() {}
}

// MARK: AND and OR

extension QueryConditions {
  /// Ranges that may be put together for one predicate. What comes after is left to the evaluator, so that no
  /// predicate can make planning long.
  struct Effort {
    private(set) var isSpent = false
    private var left = 200_000

    mutating func spend(_ ranges: Int) -> Bool {
      left -= ranges + 1
      if left < 0 { isSpent = true }
      return !isSpent
    }
  }

  /// That this and the other are met.
  mutating func add(_ other: QueryConditions, _ effort: inout Effort) {
    isExact = isExact && other.isExact
    isImpossible = isImpossible || other.isImpossible
    if obstacles.count < Self.maximumObstacles { obstacles += other.obstacles }
    for (path, keys) in other.keys { add(keys, at: path, &effort) }
    elements += other.elements
    words += other.words
    alternatives += other.alternatives
  }

  private mutating func add(_ new: KeySet, at path: FieldPath, _ effort: inout Effort) {
    guard let known = keys[path] else {
      keys[path] = new
      return
    }
    guard effort.spend(known.ranges.count + new.ranges.count) else {
      isExact = false
      return
    }
    let both = known.intersection(new)
    keys[path] = both
    if both.isEmpty { isImpossible = true }
  }

  /// That one of the branches is met.
  init(anyOf branches: [QueryConditions], _ effort: inout Effort) {
    let branches = branches.filter { !$0.isImpossible }
    obstacles = Array(branches.lazy.flatMap(\.obstacles).prefix(Self.maximumObstacles))
    guard let first = branches.first else {
      isImpossible = true
      return
    }
    guard branches.count > 1 else {
      self = first
      return
    }
    if let whole = branches.first(where: { $0.isEmpty && $0.isExact }) {
      self = whole
      return
    }
    guard !branches.contains(where: \.isEmpty),
      effort.spend(branches.reduce(0) { $0 + $1.size })
    else {
      isExact = false
      return
    }
    let isOfOnePath = unite(branches)
    isExact = isOfOnePath && branches.allSatisfy(\.isExact)
    if !isOfOnePath, branches.count <= Self.maximumAlternatives {
      alternatives = [branches.map(\.withoutObstacles)]
    }
  }

  /// Takes over what all the branches demand of the same path. Whether that is all that they demand.
  private mutating func unite(_ branches: [QueryConditions]) -> Bool {
    var isOfOnePath = false
    for path in branches[0].keys.keys {
      let sets = branches.compactMap { $0.keys[path] }
      guard sets.count == branches.count else { continue }
      keys[path] = KeySet(unionOf: sets.flatMap(\.ranges))
      isOfOnePath = branches.allSatisfy { $0.isOneSet && $0.keys.count == 1 }
    }
    for path in Set(branches[0].elements.map(\.path)) {
      let sets = branches.compactMap { branch in branch.elements.first { $0.path == path }?.keys }
      guard sets.count == branches.count else { continue }
      elements.append((path, KeySet(unionOf: sets.flatMap(\.ranges))))
      isOfOnePath = branches.allSatisfy { $0.isOneSet && $0.elements.count == 1 }
    }
    return isOfOnePath
  }

  /// Whether all that it demands is one set of keys.
  private var isOneSet: Bool { words.isEmpty && alternatives.isEmpty && keys.count + elements.count == 1 }

  private var size: Int {
    keys.values.reduce(0) { $0 + $1.ranges.count } + elements.reduce(1) { $0 + $1.keys.ranges.count }
  }

  private var withoutObstacles: QueryConditions {
    var copy = self
    copy.obstacles = []
    return copy
  }
}
