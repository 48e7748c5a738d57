internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let fetchSchema = Method(
    "fetchSchema", .read, [.optional("recordType")],
    errors: .read.union([.unknownItem])
  ) { invocation, result throws(RecordError) in
    let name = try invocation.arguments.string("recordType")
    let schema = try invocation.database(for: .read).schema(ofType: name)
    result.beginObject()
    result.key("recordTypes")
    result.beginArray()
    for type in schema.recordTypes {
      result.recordType(type)
      try invocation.checkReply(result)
    }
    result.endArray()
    result.key("changeToken")
    result.string(schema.changeToken.text)
    result.endObject()
    return .done
  }
}

extension JSONWriter {
  /// What is known of a record type.
  mutating func recordType(_ type: RecordTypeDescription) {
    beginObject()
    key("name")
    string(type.name)
    key("numberOfRecords")
    int(type.numberOfRecords)
    key("automaticIndexes")
    bool(type.automaticIndexes)
    key("fields")
    beginArray()
    for field in type.fields { self.field(field) }
    endArray()
    key("indexes")
    beginArray()
    for index in type.indexes { self.index(index) }
    endArray()
    endObject()
  }

  private mutating func field(_ field: RecordTypeDescription.Field) {
    beginObject()
    key("name")
    string(field.name)
    key("type")
    string(field.type.name)
    key("indexes")
    strings(field.uses.map(\.rawValue))
    collation(field.collation)
    field.rules.writeMembers(to: &self)
    endObject()
  }

  private mutating func index(_ index: RecordTypeDescription.Index) {
    beginObject()
    key("keys")
    strings(index.keys)
    key("kind")
    string(index.kind.rawValue)
    collation(index.collation)
    key("origin")
    string(index.origin.rawValue)
    key("state")
    string(index.progress == nil ? "ready" : "building")
    if let progress = index.progress {
      key("progress")
      double(progress)
    }
    key("entries")
    int(index.entries)
    key("bytes")
    int(index.bytes)
    key("uses")
    int(index.uses)
    key("lastUsed")
    if let moment = index.lastUsed { FieldValue.date(moment).write(to: &self) } else { null() }
    endObject()
  }

  /// Only where it is not the usual one.
  private mutating func collation(_ collation: SortDescriptor.Collation) {
    guard collation != .codePoint else { return }
    key("collation")
    string(collation.rawValue)
  }
}
