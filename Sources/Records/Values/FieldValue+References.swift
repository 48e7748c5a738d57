extension FieldValue {
  /// The references that it is, or has as a list.
  public var references: [Reference] {
    switch self {
    case .reference(let reference): [reference]
    case .list(let elements): elements.flatMap(\.references)
    default: []
    }
  }

  /// The same with the zone of each reference written out, `zone` where it has none.
  public func naming(zone: String) -> FieldValue {
    switch self {
    case .reference(var reference):
      reference.zoneName = reference.zoneName ?? zone
      return .reference(reference)
    case .list(let elements): return .list(elements.map { $0.naming(zone: zone) })
    default: return self
    }
  }
}
