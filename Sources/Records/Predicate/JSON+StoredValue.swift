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
