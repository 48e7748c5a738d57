internal import Records

/// Tells a person how a query is answered, and why.
struct PlanReport {
  let query: Query
  let path: AccessPath
  let order: QueryOrder
  let conditions: QueryConditions
  let type: RecordType?
  let passedOver: [DeclaredIndex]

  /// What is read, in whatever order.
  private var source: AccessPath {
    if case .gathered(let source, _) = path { source } else { path }
  }

  var access: QueryPlan.Access {
    switch source {
    case .nothing: .none
    case .names: .names
    case .everything: .everything
    case .index(let access): access.index.isOfWholeType ? .type : .index
    case .words: .fullText
    case .union(let paths): paths.isEmpty ? .none : .index
    case .gathered: .index
    }
  }

  /// The keys of the one index that is read.
  var index: [String]? {
    guard let first = path.indexes.first, first.kind != .fullText,
      path.indexes.allSatisfy({ $0.id == first.id })
    else { return nil }
    return first.parts.map(\.descriptor.key)
  }

  var reason: String {
    let parts: [String]
    switch source {
    case .nothing: parts = [nothing]
    case .names: parts = ["the predicate names the records"]
    case .everything: parts = ["no record type is given, so all records are looked at"]
    case .index(let access) where access.index.isOfWholeType: parts = [wholeType(access)] + hindrances
    case .index(let access): parts = [narrowing(access)] + (tellsValues(access) ? [] : hindrances)
    case .words: parts = ["the full-text index finds the words"] + sorted
    case .union:
      let names = path.indexes.map(Self.name).removingRepetition.joined(separator: " and ")
      parts = ["each branch of OR is found by \(names.isEmpty ? "names" : names)"] + sorted
    case .gathered: parts = []
    }
    return (parts + mismatches).joined(separator: "; ")
  }

  /// Keys that no record of the type has.
  var unknownKeys: [String] {
    guard query.recordType != nil else { return [] }
    var paths = query.predicate.paths + query.sortDescriptors.map(\.path)
    if let key = query.sections.flatMap({ FieldPath($0.nameKey) }) { paths.append(key) }
    var keys: [Name] = []
    for path in paths where path.systemKey == nil && type?.fields[Name(path.root)] == nil {
      keys.append(Name(path.root))
    }
    return keys.removingRepetition.prefix(Self.maximumUnknownKeys).map(\.text)
  }

  /// More are not told.
  private static let maximumUnknownKeys = 100

  // MARK: Sentences

  private var mismatches: [String] {
    type.map { TypeMismatches(query.predicate, fields: $0.fields).sentences } ?? []
  }

  private var nothing: String {
    if type == nil { return "there are no records of the type" }
    return conditions.obstacles.first ?? "no record can meet the predicate"
  }

  private func wholeType(_ access: IndexAccess) -> String {
    let sorting = access.isOrdered ? ", by name" : ", and sorted"
    return "all records of the type are looked at\(sorting)"
  }

  private func narrowing(_ access: IndexAccess) -> String {
    let name = Self.name(access.index)
    guard access.isNarrow else { return "\(name) gives the order" }
    let keys = access.usedPaths.map(\.description).joined(separator: ", ")
    let narrowing = "\(name) \(access.isExact ? "decides" : "narrows down") \(keys)"
    if access.isOrdered, !order.descriptors.isEmpty { return narrowing + " and gives the order" }
    return ([narrowing] + sorted).joined(separator: "; ")
  }

  /// Whether the index narrows down more than to kinds of values, such as all that are not null.
  private func tellsValues(_ access: IndexAccess) -> Bool {
    access.equalParts > 0
      || access.usedPaths.contains { path in
        conditions.keys[path]?.isOfWholeKinds != true || access.index.kind == .elements
      }
  }

  /// Said of what is not in the query's order.
  private var sorted: [String] {
    path.isOrdered || order.descriptors.isEmpty ? [] : ["what it finds is sorted"]
  }

  private static func name(_ index: DeclaredIndex) -> String {
    switch index.kind {
    case .ordered: "the index on \(index.description)"
    case .elements: "the index of the elements of \(index.description)"
    case .fullText: "the full-text index"
    }
  }

  /// Why no index narrows the search down: what a person may do something about.
  private var hindrances: [String] {
    if conditions.isEmpty && conditions.isExact && order.descriptors.isEmpty { return [] }
    var hindrances = passedOver.map { "sorting what \(Self.name($0)) finds would take longer" }
    for path in conditions.keys.keys.sorted(by: { $0.description < $1.description })
    where conditions.keys[path]?.isOfWholeKinds == false {
      hindrances += hindrance(path, kind: .ordered)
    }
    for path in conditions.elements.map(\.path) { hindrances += hindrance(path, kind: .elements) }
    if !conditions.words.isEmpty { hindrances += wordHindrance }
    if !conditions.alternatives.isEmpty { hindrances.append("not every branch of OR has an index") }
    hindrances += conditions.obstacles
    if hindrances.isEmpty, !order.descriptors.isEmpty, !path.isOrdered {
      hindrances = ["no index has the order"]
    }
    return Array(hindrances.removingRepetition.prefix(3))
  }

  private var wordHindrance: [String] {
    let indexes = type?.indexes.filter { $0.kind == .fullText } ?? []
    if indexes.isEmpty { return ["the type has no full-text index"] }
    return indexes.allSatisfy(\.isReady) ? [] : ["the full-text index is still being built"]
  }

  private func hindrance(_ path: FieldPath, kind: DeclaredIndex.Kind) -> [String] {
    let indexes = type?.indexes.filter { $0.kind == kind && $0.parts.first?.path == path } ?? []
    if indexes.isEmpty {
      return [
        kind == .ordered ? "no index begins with '\(path)'" : "no index has the elements of '\(path)'"
      ]
    }
    return indexes.filter { !$0.isReady }.map { "\(Self.name($0)) is still being built" }
  }
}

extension Array where Element: Hashable {
  fileprivate var removingRepetition: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
