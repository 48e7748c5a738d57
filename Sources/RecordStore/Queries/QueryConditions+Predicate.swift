internal import Records

extension QueryConditions {
  /// - Parameters:
  ///   - fields: The fields of the record type; nil for records of all types.
  ///   - throughReferences: Whether to tell, too, what is demanded of values in the records that references lead
  ///     to. Those are in no index.
  init(_ predicate: Predicate, fields: [Name: FieldType]?, throughReferences: Bool = false) {
    var reading = ConditionReading(fields: fields, throughReferences: throughReferences)
    self = reading.conditions(predicate.root, isNegated: false)
    if isImpossible {
      let obstacles = obstacles
      self = .impossible
      self.obstacles = obstacles
    }
  }

  /// The paths at which all records that match have the same value: told by the predicate alone, so that the
  /// order of a query's result doesn't change with what is known of the type.
  static func constantPaths(of predicate: Predicate) -> Set<FieldPath> {
    let parts = if case .and(let parts) = predicate.root { parts } else { [predicate.root] }
    var paths: Set<FieldPath> = []
    for case .comparison(let comparison) in parts where comparison.isPlainEquality {
      if case .path(let path) = comparison.left { paths.insert(path) }
      if case .path(let path) = comparison.right { paths.insert(path) }
    }
    return paths
  }
}

extension Predicate.Comparison {
  /// Whether it says that a path has one certain value.
  fileprivate var isPlainEquality: Bool {
    guard operation == .equal, quantifier == nil, folding.isEmpty else { return false }
    switch (left, right) {
    case (.path, .value), (.value, .path): return true
    default: return false
    }
  }
}

/// Reads conditions from a predicate's tree.
private struct ConditionReading {
  let fields: [Name: FieldType]?
  let throughReferences: Bool
  var effort = QueryConditions.Effort()

  mutating func conditions(_ node: Predicate.Node, isNegated: Bool) -> QueryConditions {
    switch node {
    case .constant(let truth): return truth != isNegated ? .everything : .impossible
    case .not(let inner): return conditions(inner, isNegated: !isNegated)
    case .and(let parts): return isNegated ? any(parts, isNegated) : all(parts, isNegated)
    case .or(let parts): return isNegated ? all(parts, isNegated) : any(parts, isNegated)
    case .comparison(let comparison): return conditions(comparison, isNegated)
    }
  }

  private mutating func all(_ parts: [Predicate.Node], _ isNegated: Bool) -> QueryConditions {
    var result = QueryConditions.everything
    for part in parts { result.add(conditions(part, isNegated: isNegated), &effort) }
    return result
  }

  private mutating func any(_ parts: [Predicate.Node], _ isNegated: Bool) -> QueryConditions {
    var branches: [QueryConditions] = []
    for part in parts { branches.append(conditions(part, isNegated: isNegated)) }
    return QueryConditions(anyOf: branches, &effort)
  }

  private func isUnknown(_ path: FieldPath) -> Bool {
    guard let fields else { return false }
    return path.systemKey == nil && fields[Name(path.root)] == nil
  }

  /// What a record may have in a field that the type doesn't know: nothing, or the empty list, which is of no type.
  private static func keysOfNothing(at path: FieldPath) -> [[UInt8]] {
    let values: [FieldValue?] = path.countsElements ? [nil, .int64(0)] : [nil, .list([])]
    return values.map { value in
      var key: [UInt8] = []
      SortKey.append(value, to: &key)
      return key
    }
  }

  // MARK: Comparisons

  private func conditions(_ comparison: Predicate.Comparison, _ isNegated: Bool) -> QueryConditions {
    if comparison.operation.isOfWords { return words(comparison, isNegated) }
    guard let test = PathTest(comparison) else {
      return distance(comparison, isNegated) ?? .obstructed(by: Obstacle.ofSides(comparison))
    }
    if !throughReferences, test.path.leadsThroughReference(fields) {
      return .obstructed(by: "a path through the reference '\(test.path.root)' is in no index")
    }
    switch comparison.quantifier {
    case nil: return plain(test, isNegated)
    case .anyElement: return isNegated ? .unknown : elements(test, test.demand)
    case .noElement: return isNegated ? elements(test, test.demand) : .unknown
    case .allElements: return isNegated ? elements(test, test.demand?.negated) : .unknown
    }
  }

  private func plain(_ test: PathTest, _ isNegated: Bool) -> QueryConditions {
    if test.operation == .contains { return isNegated ? .unknown : containing(test) }
    guard let demand = test.demand, let used = isNegated ? demand.negated : demand else {
      return .obstructed(by: Obstacle.of(test))
    }
    return conditions(used, at: test, isNegated)
  }

  private func conditions(
    _ demand: KeyDemand, at test: PathTest, _ isNegated: Bool
  ) -> QueryConditions {
    let isUnknown = self.isUnknown(test.path)
    if demand.keys.isEmpty
      || isUnknown && !Self.keysOfNothing(at: test.path).contains(where: demand.keys.contains)
    {
      var result = QueryConditions.impossible
      if isUnknown { result.obstacles = [Obstacle.unknownField(test.path)] }
      return result
    }
    var result = QueryConditions()
    result.keys = [test.path: demand.keys]
    result.isExact = demand.isExact
    if !demand.isExact, !isNegated, test.isFoldingText || demand.keys.isOfWholeKinds {
      result.obstacles = [Obstacle.of(test)]
    }
    return result
  }

  /// That the list at a path, or a text, contains a constant.
  private func containing(_ test: PathTest) -> QueryConditions {
    let type = fields?[Name(test.path.root)]
    let isList = type?.isList == true && test.path.isField
    guard case .value(let value?) = test.constant else { return .unknown }
    // Of a text that is no list's element any part may be asked for.
    if case .string = value, !isList {
      guard test.path.isField, let type, type == FieldType(.string) else {
        return .obstructed(by: Obstacle.of(test))
      }
      var result = QueryConditions.obstructed(by: Obstacle.of(test))
      result.keys = [test.path: Predicate.Comparison.anyText]
      return result
    }
    var demand = test.comparison.demand(.equal, test.constant)
    if !isList { demand?.isExact = false }
    return elements(test, demand)
  }

  /// That an element of the list at a path has one of certain keys.
  private func elements(_ test: PathTest, _ demand: KeyDemand?) -> QueryConditions {
    guard var demand else { return .obstructed(by: Obstacle.of(test)) }
    let type = fields?[Name(test.path.root)]
    if test.path.isField {
      // Fields have no null elements.
      if demand.keys.containsNull { demand.keys = demand.keys.intersection(.some) }
      if isUnknown(test.path) {
        var result = QueryConditions.impossible
        result.obstacles = [Obstacle.unknownField(test.path)]
        return result
      }
      if fields != nil, type?.isList != true, demand.isExact { return conditions(demand, at: test, false) }
    } else {
      demand.isExact = false
    }
    if demand.keys.isEmpty { return .impossible }
    // Nulls in lists are in no index.
    if demand.keys.containsNull { return .unknown }
    var result = QueryConditions()
    result.elements = [(test.path, demand.keys)]
    result.isExact = demand.isExact
    if test.isFoldingText { result.obstacles = [Obstacle.of(test)] }
    return result
  }

  private func words(_ comparison: Predicate.Comparison, _ isNegated: Bool) -> QueryConditions {
    guard !isNegated, comparison.quantifier == nil, case .value(.string(let text)?) = comparison.right,
      let query = WordQuery(
        text, mode: comparison.operation == .containsWords ? .anyTerm : .allTerms,
        matchesPrefixes: comparison.matchesPrefixes)
    else { return .unknown }
    if query.isEmpty { return .impossible }
    var result = QueryConditions.unknown
    switch comparison.left {
    case .allText: result.words = [FullTextCondition(query)]
    case .path(let path) where path.isField && path.systemKey == nil:
      result.words = [FullTextCondition(query, field: path.root)]
    default: break
    }
    return result
  }

  /// That a place is nearer than a distance.
  private func distance(_ comparison: Predicate.Comparison, _ isNegated: Bool) -> QueryConditions? {
    guard !isNegated, comparison.quantifier == nil, let test = DistanceTest(comparison),
      throughReferences || !test.path.leadsThroughReference(fields)
    else { return nil }
    var result = QueryConditions.unknown
    result.keys = [test.path: .latitudes(of: test)]
    if result.keys[test.path]?.isEmpty == true { return .impossible }
    return result
  }
}

extension FieldPath {
  /// Whether it is a field or a system key itself, and nothing in it.
  var isField: Bool { components.count == 1 && !countsElements }

  /// Whether it goes into other records, of a type with these fields. Keys of indexes don't.
  func leadsThroughReference(_ fields: [Name: FieldType]?) -> Bool {
    guard mayLeadThroughReference else { return false }
    guard let fields else { return true }
    return fields[Name(root)]?.element == .reference
  }
}

extension KeySet {
  fileprivate static func latitudes(of test: DistanceTest) -> KeySet {
    Predicate.Comparison.latitudes(within: test.metres, of: test.center)
  }
}
