internal import Records

/// The index that would suit a query best.
struct WantedIndex {
  /// Keys with one value, or a few, by name; a key with a range; the keys of the order. Empty when none would
  /// help.
  private(set) var parts: [IndexPart] = []

  init(_ conditions: QueryConditions, _ order: QueryOrder, fields: [Name: FieldType]) {
    var ranges: [FieldPath] = []
    for (path, keys) in conditions.keys.sorted(by: { $0.key.description < $1.key.description })
    where fields[Name(path.root)] != nil || path.systemKey != nil {
      if let points = keys.points, points.count <= IndexAccess.maximumStretches {
        parts.append(IndexPart(path))
      } else if !keys.isOfWholeKinds {
        ranges.append(path)
      }
    }
    let sorted = sortParts(order, fields)
    // One range only: behind it entries are in no other order.
    if let range = ranges.first(where: { $0 == sorted.first?.path }) ?? ranges.first {
      parts.append(IndexPart(range))
      if sorted.first != IndexPart(range) { return }
    }
    parts += sorted.filter { !parts.contains($0) }
  }

  private func sortParts(_ order: QueryOrder, _ fields: [Name: FieldType]) -> [IndexPart] {
    var sorted: [IndexPart] = []
    guard let ascending = order.descriptors.first?.ascending else { return [] }
    for descriptor in order.descriptors {
      let part = IndexPart(descriptor.path, descriptor.collation)
      guard descriptor.ascending == ascending, descriptor.isOfKeyAlone,
        fields[Name(part.path.root)] != nil || part.path.systemKey != nil,
        !part.path.leadsThroughReference(fields), sorted.last?.collation != .localized,
        !sorted.contains(where: { $0.path == part.path })
      else { return [] }
      sorted.append(part)
    }
    return sorted
  }
}

extension SortDescriptor {
  /// Whether the order is that of the key's values, and not of anything worked out of them.
  fileprivate var isOfKeyAlone: Bool {
    self == SortDescriptor(path, ascending: ascending, nulls: nulls, collation: collation)
  }
}

extension KeySet {
  /// Whether it tells kinds of values apart, such as text and null, and not values.
  var isOfWholeKinds: Bool {
    ranges.allSatisfy { !$0.isPoint && $0.from.count <= 1 && $0.below.count <= 1 }
  }
}
