public import JSONRPC

/// A record as it is stored and given out: its JSON, of which a value is read when it is asked for.
///
/// The body is usually what ``RecordBody/encoded()`` made; from any other JSON, a damaged row included,
/// what is not there in the expected form reads as missing.
public struct StoredRecord: Sendable {
  public let body: JSON

  public init(body: JSON) { self.body = body }

  public var recordType: String { text("recordType") }
  public var recordName: String { text("recordName") }
  public var zoneName: String { text("zoneName") }
  public var recordChangeTag: String { text("recordChangeTag") }
  public var created: Stamp { stamp("created") }
  public var modified: Stamp { stamp("modified") }

  private func text(_ name: String) -> String { body[name]?.stringValue ?? "" }

  private func stamp(_ name: String) -> Stamp {
    let json = body[name]
    return Stamp(
      timestamp: json?["timestamp"]?.int64Value ?? 0,
      userRecordName: json?["userRecordName"]?.stringValue ?? "")
  }

  /// The fields in their stored order.
  public var fields: some Sequence<(name: String, value: FieldValue)> {
    (body["fields"] ?? JSON(unchecked: [])).members.lazy.compactMap { member in
      FieldValue(stored: member.value).map { (member.name, $0) }
    }
  }

  /// The value of a field or of a system key; nil when it is missing.
  public func value(forKey key: String) -> FieldValue? {
    if let systemKey = SystemKey(named: key) { return value(of: systemKey) }
    return json(ofField: key).flatMap(FieldValue.init(stored:))
  }

  /// The JSON of a field; nil when it is missing.
  public func json(ofField name: String) -> JSON? { body["fields"]?[name] }

  func value(of key: SystemKey) -> FieldValue? {
    switch key {
    case .recordName: .string(recordName)
    case .recordType: .string(recordType)
    case .zoneName: .string(zoneName)
    case .recordChangeTag: .string(recordChangeTag)
    case .creationDate: .date(created.timestamp)
    case .modificationDate: .date(modified.timestamp)
    case .creatorUserRecordID: .string(created.userRecordName)
    case .lastModifiedUserRecordID: .string(modified.userRecordName)
    }
  }

  /// Appends the record's JSON, with these fields only unless `desiredKeys` is nil.
  public func write(desiredKeys: DesiredKeys?, to writer: inout JSONWriter) {
    guard let desiredKeys else { return writer.raw(body) }
    writer.beginObject()
    for member in body.members {
      writer.key(member.key)
      guard member.isNamed("fields") else {
        writer.raw(member.value)
        continue
      }
      writer.beginObject()
      for field in member.value.members where desiredKeys.contains(field.name) {
        writer.key(field.key)
        writer.raw(field.value)
      }
      writer.endObject()
    }
    writer.endObject()
  }

  /// The names of the fields whose values differ between this record and an earlier version of it, those
  /// that one of them lacks included.
  public func changedKeys(since earlier: StoredRecord) -> [String] {
    var before: [FieldName: JSON] = [:]
    for member in earlier.body["fields"]?.members ?? JSON(unchecked: []).members {
      before[FieldName(member.name)] = member.value
    }
    var changed: [String] = []
    for member in body["fields"]?.members ?? JSON(unchecked: []).members {
      let name = member.name
      if before.removeValue(forKey: FieldName(name)) != member.value { changed.append(name) }
    }
    return changed + before.keys.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

/// The same body, byte for byte.
extension StoredRecord: Equatable {}

extension FieldValue {
  /// A value that was checked before it was stored; nil for null. What is malformed all the same is taken
  /// for a plain object, and a list keeps what can be read of it.
  init?(stored json: JSON) {
    if json.kind == .array {
      self = .list(json.elements.compactMap(FieldValue.init(stored:)))
      return
    }
    do {
      guard let value = try FieldValue(json: json) else { return nil }
      self = value
    } catch {
      guard json.kind == .object else { return nil }
      self = .object(json.withoutSpace())
    }
  }
}
