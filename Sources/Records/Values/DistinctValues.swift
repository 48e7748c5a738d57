/// Values, none of which equals another, to be asked whether one is among them without looking at each.
///
/// Equal is what predicates call so. References are to be into zones that are spelt alike.
struct DistinctValues {
  private var keys: Set<[UInt8]>

  init(_ values: some Sequence<FieldValue> = []) {
    keys = Set(values.map(Self.key))
  }

  /// False when it was there already.
  mutating func insert(_ value: FieldValue) -> Bool { keys.insert(Self.key(value)).inserted }

  func contains(_ value: FieldValue) -> Bool { keys.contains(Self.key(value)) }

  private static func key(_ value: FieldValue) -> [UInt8] {
    var key = SortKey.key(of: value)
    // References are ordered by name alone. No name has a zero byte.
    if case .reference(let reference) = value, let zone = reference.zoneName {
      key.append(0)
      key.append(contentsOf: zone.utf8)
    }
    return key
  }
}
