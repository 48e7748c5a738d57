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
    guard !name.utf8.span.hasControlCharacter else { throw fault(kind, "has a control character") }
  }

  /// Whether a client may *make* something of that name: besides ``check(_:as:)``, no leading `_` or `$`
  /// (the default zone is there already), and for a field none of the names of ``SystemKey``, which a
  /// predicate could not tell from the record's own. Throws `invalidArguments`.
  public static func validate(_ name: String, as kind: Kind) throws(RecordError) {
    try check(name, as: kind)
    if kind == .zoneName, name == defaultZone { return }
    guard name.utf8.first != UInt8(ascii: "_"), name.utf8.first != UInt8(ascii: "$") else {
      throw fault(kind, "'\(name)' starts with '\(name.prefix(1))', which is for the service's own")
    }
    if kind == .field, SystemKey(named: name) != nil {
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

extension Span where Element == UInt8 {
  /// Whether one of the UTF-8's characters is of Unicode's category Cc: U+0000…U+001F, U+007F…U+009F.
  fileprivate var hasControlCharacter: Bool {
    for index in indices {
      let byte = self[index]
      if byte < 0x20 || byte == 0x7F { return true }
      if byte == 0xC2, index + 1 < count, self[index + 1] < 0xA0 { return true }
    }
    return false
  }
}
