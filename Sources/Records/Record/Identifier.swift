/// The rules for names: of records, record types, zones and fields.
public enum Identifier {
  public enum Kind: String, Sendable, CaseIterable {
    case recordName, recordType, zoneName, field
  }

  /// The zone of records that name none.
  public static let defaultZone = "_defaultZone"
  /// Bytes of UTF-8.
  public static let maximumBytes = 255

  /// Whether a record or zone may be *named* so: 1 to 255 bytes of UTF-8 without control characters.
  /// Throws `invalidArguments`.
  public static func check(_ name: String, as kind: Kind) throws(RecordError) {
    let count = name.utf8.count
    guard count > 0 else { throw fault(kind, "is empty") }
    guard count <= maximumBytes else { throw fault(kind, "has \(count) bytes, more than \(maximumBytes)") }
    guard !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      throw fault(kind, "has a control character")
    }
  }

  /// Whether a client may *make* something of that name: besides ``check(_:as:)``, no leading `_` or `$`
  /// (the default zone is there already), and for a field none of the names of ``SystemKey``, which a
  /// predicate could not tell from the record's own. Throws `invalidArguments`.
  public static func validate(_ name: String, as kind: Kind) throws(RecordError) {
    try check(name, as: kind)
    if kind == .zoneName, name == defaultZone { return }
    guard !name.hasPrefix("_"), !name.hasPrefix("$") else {
      throw fault(kind, "'\(name)' starts with '\(name.prefix(1))', which is for the service's own")
    }
    if kind == .field, SystemKey(rawValue: name) != nil {
      throw fault(kind, "'\(name)' is the name of something that every record has")
    }
  }

  private static func fault(_ kind: Kind, _ what: String) -> RecordError {
    let subject =
      switch kind {
      case .recordName: "recordName"
      case .recordType: "recordType"
      case .zoneName: "zoneName"
      case .field: "the field name"
      }
    return RecordError(.invalidArguments, "\(subject) \(what)")
  }
}
