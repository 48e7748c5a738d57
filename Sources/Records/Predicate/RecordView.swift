import JSONRPC

/// A record and what is known around it while a predicate is worked out for it.
struct RecordView {
  let record: StoredRecord
  /// The JSON of all fields; nil when there are none, or when nobody asks for one.
  let fields: JSON?
  /// Nil: references lead nowhere.
  let resolver: (any RecordResolver)?

  init(_ record: StoredRecord, resolver: (any RecordResolver)?) {
    self.init(record, fields: record.body["fields"], resolver: resolver)
  }

  init(_ record: StoredRecord, fields: JSON?, resolver: (any RecordResolver)?) {
    self.record = record
    self.fields = fields
    self.resolver = resolver
  }

  /// The JSON of the field that the path starts with; nil when that is no field.
  func field(of path: FieldPath) -> JSON? { path.systemKey == nil ? fields?[path.root] : nil }
}
