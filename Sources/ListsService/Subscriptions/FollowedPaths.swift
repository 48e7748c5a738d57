internal import JSONRPC
internal import RecordStore
internal import Records

/// The key paths on which a subscription looks from its records into others.
struct FollowedPaths {
  /// Whose values are looked at, behind references.
  private let values: [FieldPath]
  /// To references whose records come along.
  private let records: [FieldPath]
  /// References that lie between a record and the farthest that it looks at.
  let hops: Int

  /// Nil when it doesn't.
  init?(_ definition: SubscriptionDefinition) {
    var paths = definition.predicate?.paths ?? []
    if case .window(let request) = definition.content {
      // The section's key is the first of them.
      paths += request.sortDescriptors.map(\.path)
    }
    var seen: Set<FieldPath> = []
    values = paths.filter { $0.mayLeadThroughReference && seen.insert($0).inserted }
    records = definition.include
    if values.isEmpty, records.isEmpty { return nil }
    let steps = values.map { $0.components.count - 1 } + records.map(\.components.count)
    hops = steps.max() ?? 0
  }

  /// Whether what it looks at in other records may have changed with some that changed.
  func isConcerned(by fields: ChangedFields) -> Bool {
    if !records.isEmpty { return true }
    return values.contains { path in path.components.dropFirst().contains { fields.mayHold($0) } }
  }

  /// The paths at which the one record and what it refers to differs from the other, but for those whose field
  /// is `known` to differ itself.
  func changedPaths(
    from before: StoredRecord, _ former: any RecordResolver, to after: StoredRecord,
    _ current: any RecordResolver, known: [String]
  ) -> [FieldPath] {
    var changed: [FieldPath] = []
    for path in values where !known.contains(where: { $0.hasSameUTF8(as: path.root) }) {
      let isSame =
        SortKey.key(ofOptional: before.value(at: path, resolver: former))
        == SortKey.key(ofOptional: after.value(at: path, resolver: current))
      if !isSame { changed.append(path) }
    }
    for path in records
    where !known.contains(where: { $0.hasSameUTF8(as: path.root) }) && !changed.contains(path) {
      if !before.includes(sameAs: after, at: path, former, current) { changed.append(path) }
    }
    return changed
  }
}

extension SortKey {
  /// Equal for values that are the same to a predicate or an order.
  fileprivate static func key(ofOptional value: FieldValue?) -> [UInt8] {
    var key: [UInt8] = []
    append(value, to: &key)
    return key
  }
}

extension SubscriptionDefinition {
  /// Equal where all is equal that decides what is told and how.
  var shapeKey: [UInt8] {
    var key = JSONWriter()
    key.beginArray()
    for text in [recordType, zoneName, predicate?.text] {
      if let text { key.string(text) } else { key.null() }
    }
    key.strings(reasons.map(\.rawValue).sorted())
    key.bool(includesPrevious)
    key.strings(include.map(\.description))
    if let desiredKeys { key.strings(desiredKeys) } else { key.null() }
    if let watchKeys { key.strings(watchKeys.map(\.description)) } else { key.null() }
    if case .window(let request) = content {
      key.strings(request.sortDescriptors.map { $0.path.description })
    }
    key.endArray()
    return key.bytes
  }
}
