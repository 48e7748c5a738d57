public import JSONRPC

/// A record as a client sends it to be saved.
public struct RecordDraft: Sendable, Equatable {
  public var recordType: String
  /// Nil: the service makes one.
  public var recordName: String?
  public var zoneName: String
  /// The version that the client knew.
  public var recordChangeTag: String?
  /// In the order sent; no name twice.
  public var fields: [Field]

  public struct Field: Sendable, Equatable {
    public let name: String
    public var change: FieldChange

    public init(name: String, change: FieldChange) {
      self.name = name
      self.change = change
    }
  }

  public init(
    recordType: String, recordName: String? = nil, zoneName: String = Identifier.defaultZone,
    recordChangeTag: String? = nil, fields: [Field] = []
  ) {
    self.recordType = recordType
    self.recordName = recordName
    self.zoneName = zoneName
    self.recordChangeTag = recordChangeTag
    self.fields = fields
  }

  /// Reads `{"recordType", "recordName"?, "zoneName"?, "recordChangeTag"?, "fields"?}`. `created` and
  /// `modified`, which are the service's, are passed over, so that a fetched record can be sent back.
  /// `zoneName` is the zone of a record that names none.
  ///
  /// Throws `invalidArguments` for any other member, a repeated one, a wrong type or a name that is not
  /// allowed.
  public init(json: JSON, zoneName: String = Identifier.defaultZone) throws(RecordError) {
    let members = try RecordMembers(json)
    guard let recordType = members.recordType else {
      throw RecordError(.invalidArguments, "the record has no recordType")
    }
    try Identifier.validate(recordType, as: .recordType)
    self.init(
      recordType: recordType, recordName: members.recordName, zoneName: members.zoneName ?? zoneName,
      recordChangeTag: members.recordChangeTag)
    if let recordName { try Identifier.validate(recordName, as: .recordName) }
    try Identifier.validate(self.zoneName, as: .zoneName)
    if let fields = members.fields { self.fields = try Self.fields(fields) }
  }

  private static func fields(_ json: JSON) throws(RecordError) -> [Field] {
    guard json.kind == .object else {
      throw RecordError(.invalidArguments, "fields is an object of names and values")
    }
    var names = DistinctNames()
    var fields: [Field] = []
    for member in json.members {
      let name = member.name
      try Identifier.validate(name, as: .field)
      guard names.insert(name) else {
        throw RecordError(.invalidArguments, "the field '\(name)' stands twice in the record")
      }
      do {
        fields.append(Field(name: name, change: try FieldChange(json: member.value)))
      } catch {
        throw RecordError(error.code, "field '\(name)': \(error.message)", details: error.details)
      }
    }
    return fields
  }

  /// Appends the JSON that ``init(json:zoneName:)`` reads.
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("recordType")
    writer.string(recordType)
    if let recordName {
      writer.key("recordName")
      writer.string(recordName)
    }
    writer.key("zoneName")
    writer.string(zoneName)
    if let recordChangeTag {
      writer.key("recordChangeTag")
      writer.string(recordChangeTag)
    }
    writer.key("fields")
    writer.beginObject()
    for field in fields {
      writer.key(field.name)
      field.change.write(to: &writer)
    }
    writer.endObject()
    writer.endObject()
  }
}
