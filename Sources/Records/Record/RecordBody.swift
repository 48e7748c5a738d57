import JSONRPC

/// A record being made or changed, and the one writer of its stored form.
public struct RecordBody: Sendable {
  public var recordType: String
  public var recordName: String
  public var zoneName: String
  public var recordChangeTag: String
  public var created: Stamp
  public var modified: Stamp
  /// In the order in which they were first saved; no name twice.
  public internal(set) var fields: [Field]

  public struct Field: Sendable, Equatable {
    public let name: String
    public var value: FieldValue

    public init(name: String, value: FieldValue) {
      self.name = name
      self.value = value
    }
  }

  /// A record without fields.
  public init(
    recordType: String, recordName: String, zoneName: String = Identifier.defaultZone,
    recordChangeTag: String = "", created: Stamp, modified: Stamp
  ) {
    self.recordType = recordType
    self.recordName = recordName
    self.zoneName = zoneName
    self.recordChangeTag = recordChangeTag
    self.created = created
    self.modified = modified
    fields = []
  }

  public init(_ record: StoredRecord) {
    recordType = record.recordType
    recordName = record.recordName
    zoneName = record.zoneName
    recordChangeTag = record.recordChangeTag
    created = record.created
    modified = record.modified
    fields = record.fields.map { Field(name: $0.name, value: $0.value) }
  }

  /// Makes the changes of a save: merges them into the fields, or, when `replacing`, keeps no field that
  /// is not sent. A field that stays keeps its place, a new one comes last.
  ///
  /// `typeOf` gives the type of a field of this record type, nil while it has none. Throws as
  /// ``FieldChange/applied(to:type:field:)``; the fields are unchanged then.
  public mutating func apply(
    _ changes: [RecordDraft.Field], replacing: Bool, typeOf: (_ field: String) -> FieldType?
  ) throws(RecordError) {
    var values: [FieldValue?] = fields.map(\.value)
    var added: [Field] = []
    var isSent = Array(repeating: false, count: fields.count)
    let places = FieldPlaces(fields)
    for field in changes {
      let place = places[field.name]
      let value = try field.change.mapValues(stored).applied(
        to: place.flatMap { values[$0] }, type: typeOf(field.name), field: field.name)
      if let place {
        values[place] = value
        isSent[place] = true
      } else if let value {
        added.append(Field(name: field.name, value: value))
      }
    }
    var result: [Field] = []
    for (place, field) in fields.enumerated() where isSent[place] || !replacing {
      if let value = values[place] { result.append(Field(name: field.name, value: value)) }
    }
    fields = result + added
  }

  /// Gives each of these fields, where it is missing, its value.
  public mutating func fillIn(_ defaults: [Field]) {
    let present = Set(fields.map { FieldName($0.name) })
    fields += defaults.filter { !present.contains(FieldName($0.name)) }.map {
      Field(name: $0.name, value: stored($0.value))
    }
  }

  /// Puts other fields in place of all.
  public mutating func replaceFields(with others: [Field]) { fields = others }

  /// A reference into the record's own zone doesn't name it, so that equal references are written alike.
  private func stored(_ value: FieldValue) -> FieldValue {
    switch value {
    case .reference(var reference):
      if reference.zoneName?.hasSameUTF8(as: zoneName) == true { reference.zoneName = nil }
      return .reference(reference)
    case .list(let elements) where value.type?.element == .reference: return .list(elements.map(stored))
    default: return value
    }
  }

  /// The record's JSON: the stored form, in one line without white space.
  public func encoded() -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: 256 + fields.count * 32)
    writer.beginObject()
    for (name, text) in [
      ("recordType", recordType), ("recordName", recordName), ("zoneName", zoneName),
      ("recordChangeTag", recordChangeTag),
    ] {
      writer.key(name)
      writer.string(text)
    }
    writer.key("created")
    created.write(to: &writer)
    writer.key("modified")
    modified.write(to: &writer)
    writer.key("fields")
    writer.beginObject()
    for field in fields {
      writer.key(field.name)
      field.value.write(to: &writer)
    }
    writer.endObject()
    writer.endObject()
    return writer.bytes
  }

  public func stored() -> StoredRecord { StoredRecord(body: JSON(unchecked: encoded())) }
}

/// Where the fields of a body are, by name.
private struct FieldPlaces {
  private let fields: [RecordBody.Field]
  /// Empty while the fields are few, and looked through one by one.
  private let places: [FieldName: Int]

  init(_ fields: [RecordBody.Field]) {
    self.fields = fields
    places =
      fields.count <= 16
      ? [:]
      : Dictionary(
        fields.indices.map { (FieldName(fields[$0].name), $0) }, uniquingKeysWith: { first, _ in first })
  }

  subscript(_ name: String) -> Int? {
    places.isEmpty ? fields.firstIndex { $0.name.hasSameUTF8(as: name) } : places[FieldName(name)]
  }
}
