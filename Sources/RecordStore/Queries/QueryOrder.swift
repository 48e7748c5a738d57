internal import Records

/// Where a record stands in a query's order.
struct QueryPosition: Comparable {
  /// By the sort descriptors, as one `SortKey`.
  let key: [UInt8]
  /// Among equal keys: by name and zone (`IndexKey`).
  let tie: [UInt8]

  static func < (left: QueryPosition, right: QueryPosition) -> Bool {
    if left.key != right.key { return left.key.lexicographicallyPrecedes(right.key) }
    return left.tie.lexicographicallyPrecedes(right.tie)
  }
}

/// The order of a query's result: the descriptors that can make a difference, then recordName and zoneName.
struct QueryOrder {
  let descriptors: [SortDescriptor]

  /// Drops what is equal in all that match, and all behind `recordName`, which decides.
  init(_ query: Query, constant: Set<FieldPath>) {
    var descriptors: [SortDescriptor] = []
    for descriptor in query.sortDescriptors where !constant.contains(descriptor.path) {
      let byName = SortDescriptor(descriptor.path, nulls: descriptor.nulls)
      if descriptor == byName, descriptor.path.systemKey == .recordName, descriptor.path.isField { break }
      descriptors.append(descriptor)
    }
    self.descriptors = descriptors
  }

  /// Throws `serviceUnavailable` when localized order can't be had.
  func position(
    of record: StoredRecord, _ resolver: (any RecordResolver)?
  ) throws(RecordError) -> QueryPosition {
    var key: [UInt8] = []
    for descriptor in descriptors {
      try SortKey.append(record.value(at: descriptor.path, resolver: resolver), descriptor, to: &key)
    }
    return QueryPosition(key: key, tie: IndexKey.tie(of: record))
  }
}
