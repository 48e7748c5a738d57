internal import Records

/// Tells a person how a query is answered, and why.
struct PlanReport {
  let query: Query
  let path: AccessPath
  let order: QueryOrder
  let conditions: QueryConditions
  let type: RecordType?
  let passedOver: [DeclaredIndex]

  var access: QueryPlan.Access {
    switch path {
    case .nothing: .none
    case .names: .names
    case .everything: .everything
    case .index(let access): access.index.isOfWholeType ? .type : .index
    case .words: .fullText
    case .union(let paths): paths.isEmpty ? .none : .index
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
    switch path {
    case .nothing: parts = [nothing]
    case .names: parts = ["the predicate names the records"]
    case .everything: parts = ["no record type is given, so all records are looked at"]
    case .index(let access) where access.index.isOfWholeType: parts = [wholeType(access)] + hindrances
    case .index(let access): parts = [narrowing(access)] + (access.isNarrow ? [] : hindrances)
    case .words:
      parts = ["the full-text index finds the words", sorting.map { "its finds are \($0)" }].compactMap { $0 }
    case .union:
      let names = path.indexes.map(Self.name).removingRepetition.joined(separator: " and ")
      parts = ["each branch of OR is found by \(names.isEmpty ? "names" : names)", sorting].compactMap { $0 }
    }
    return parts.joined(separator: "; ")
  }

  /// Keys that no record of the type has.
  var unknownKeys: [String] {
    guard query.recordType != nil else { return [] }
    var keys: [String] = []
    var paths = query.predicate.paths + query.sortDescriptors.map(\.path)
    if let key = query.sections.flatMap({ FieldPath($0.nameKey) }) { paths.append(key) }
    for path in paths where path.systemKey == nil && type?.fields[Name(path.root)] == nil {
      if !keys.contains(where: { $0.hasSameUTF8(as: path.root) }) { keys.append(path.root) }
    }
    return keys
  }

  // MARK: Sentences

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
    let sorting =
      access.isOrdered && !order.descriptors.isEmpty
      ? "gives the order" : sorting.map { "its finds are \($0)" }
    guard access.isNarrow else { return "\(name) gives the order" }
    let keys = access.usedPaths.map(\.description).joined(separator: ", ")
    let narrowing = "\(name) \(access.isExact ? "decides" : "narrows down") \(keys)"
    guard let sorting else { return narrowing }
    return narrowing + (sorting == "gives the order" ? " and " : "; ") + sorting
  }

  /// Said of what is not in the query's order.
  private var sorting: String? { path.isOrdered || order.descriptors.isEmpty ? nil : "sorted" }

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
