internal import Records

/// That the value at a path, or an element of the list there, has one of certain keys.
struct FilterCondition {
  let path: FieldPath
  let isOfElements: Bool
  let keys: KeySet
}

/// Chooses what a filter is found by.
struct FilterChoice {
  /// Whether the filter is for one record type.
  let isOfType: Bool
  /// How many filters stand under a key already.
  let count: (_ condition: FilterCondition, _ key: [UInt8]) -> Int

  private struct Option {
    var conditions: [FilterCondition]
    /// How many records are found by them in vain, or filters by one record: only to be compared.
    var cost: Double
  }

  /// More stretches than these at one path are put together to one.
  private static let maximumStretches = 16

  /// Conditions of which every record that matches meets at least one; nil when there are none that leave out
  /// anything, and an empty list when no record matches.
  func conditions(of conditions: QueryConditions) -> [FilterCondition]? {
    option(conditions)?.conditions
  }

  private func option(_ conditions: QueryConditions) -> Option? {
    if conditions.isImpossible { return Option(conditions: [], cost: 0) }
    var best: Option?
    func offer(_ option: Option?) {
      if let option, option.cost < best?.cost ?? .infinity { best = option }
    }
    // In an order that is always the same.
    let keys = conditions.keys.map { (path: $0.key, keys: $0.value, name: $0.key.description) }
    for (path, keys, _) in keys.sorted(by: { $0.name < $1.name }) {
      offer(option(FilterCondition(path: path, isOfElements: false, keys: keys)))
    }
    for (path, keys) in conditions.elements {
      offer(option(FilterCondition(path: path, isOfElements: true, keys: keys)))
    }
    for branches in conditions.alternatives {
      var union: Option? = Option(conditions: [], cost: 0)
      for branch in branches {
        guard let option = option(branch) else {
          union = nil
          break
        }
        union?.conditions += option.conditions
        union?.cost += option.cost
      }
      offer(union)
    }
    return best
  }

  private func option(_ condition: FilterCondition) -> Option? {
    let stretches = condition.keys.ranges.filter { !$0.isPoint }
    if stretches.count > Self.maximumStretches {
      let hull = FilterCondition(
        path: condition.path, isOfElements: condition.isOfElements, keys: condition.keys.hull)
      return option(hull)
    }
    guard condition.keys != .all else { return nil }
    var sum = condition.keys.ranges.reduce(0) { $0 + cost($1, condition) }
    // If it does lead through references, all records that have one are found.
    if condition.path.mayLeadThroughReference { sum *= 10 }
    return Option(conditions: [condition], cost: min(sum, Self.costOfMost))
  }

  // MARK: Costs

  private static let costOfMost = 1500.0

  private func cost(_ range: KeyRange, _ condition: FilterCondition) -> Double {
    guard range.isPoint else {
      // A key of one byte or none is where a kind of values ends.
      switch (range.from.count > 1, range.below.count > 1) {
      case (true, true): return 30
      case (true, false), (false, true): return 200
      case (false, false): return 1000
      }
    }
    return rarity(range.from, condition.path) * Double(1 + count(condition, range.from))
  }

  /// How many records of a thousand have one and the same key, by experience.
  private func rarity(_ key: [UInt8], _ path: FieldPath) -> Double {
    switch path.systemKey {
    case .recordName: 0.5
    case .recordType: isOfType ? 1000 : 10
    case .zoneName: 100
    case .creatorUserRecordID, .lastModifiedUserRecordID: 20
    // Null, false and true are had by many.
    default: key.count <= 2 ? 50 : 1
    }
  }
}
