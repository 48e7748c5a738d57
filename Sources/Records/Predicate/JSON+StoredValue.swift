import JSONRPC

/// Stored values compared without being built.
extension JSON {
  /// The number, boolean or date that this is; nil for other values.
  var plainValue: FieldValue? {
    switch kind {
    case .number:
      if let integer = int64Value { return .int64(integer) }
      return doubleValue.map { .double($0) }
    case .boolean: return boolValue.map { .boolean($0) }
    case .object: return self["$date"].flatMap { DateText.parse($0) }.map { .date($0) }
    default: return nil
    }
  }

  /// The location that this is; nil for other values.
  var locationValue: Location? {
    guard kind == .object, let inside = onlyMember(named: "$location") else { return nil }
    var latitude: Double?
    var longitude: Double?
    for member in inside.members {
      if latitude == nil, member.isNamed("latitude") {
        latitude = member.value.doubleValue
      } else if longitude == nil, member.isNamed("longitude") {
        longitude = member.value.doubleValue
      } else {
        return nil
      }
    }
    guard let latitude, let longitude else { return nil }
    return Location(latitude: latitude, longitude: longitude)
  }

  private func onlyMember(named name: String) -> JSON? {
    var members = members.makeIterator()
    guard let member = members.next(), member.isNamed(name), members.next() == nil else { return nil }
    return member.value
  }

  /// Whether this is a reference to the same record as `reference`, when `record` holds it.
  func isReference(to reference: Reference, from record: StoredRecord) -> Bool {
    guard let own = self["$reference"], own["recordName"]?.isString(reference.recordName) == true else {
      return false
    }
    let zone = own["zoneName"]?.stringValue
    if zone == nil, reference.zoneName == nil { return true }
    let zoneName = record.zoneName
    return (zone ?? zoneName).hasSameUTF8(as: reference.zoneName ?? zoneName)
  }
}
