internal import Records

/// What a save makes of a record.
struct SaveChange {
  /// The record as it will be, but for its tag and stamps.
  var body: RecordBody
  /// Whether it is so already.
  var isNone: Bool
  /// The fields that somebody else had changed too, where the save is merged into that; else nil.
  var settled: [String]?

  func result(_ record: StoredRecord) -> ItemResult {
    settled.map { .merged(record, settled: $0) } ?? .saved(record)
  }
}

extension SaveChange {
  /// A record that two made of `ancestor`, by the policies of its type: `body` is the one that is being saved,
  /// `current` the one that was saved before. Nil when the policies don't settle it.
  init?(
    merging body: RecordBody, since ancestor: StoredRecord, into current: StoredRecord, _ type: RecordType
  ) {
    let server = RecordBody(current)
    guard
      let merged = MergedFields(
        ancestor: RecordBody(ancestor).fields, server: server.fields, client: body.fields,
        policy: { type.rules[Name($0)]?.merge })
    else { return nil }
    self.body = server
    self.body.replaceFields(with: merged.fields)
    isNone = merged.fields == server.fields
    settled = merged.settled
  }
}

extension RecordType {
  /// Whether a conflict may settle itself.
  var mergesChanges: Bool { rules.values.contains { $0.merge != nil } }

  /// What its records get that are made without some fields, in the order of the fields.
  var defaults: [RecordBody.Field] {
    rules.sorted { $0.key < $1.key }.compactMap { name, rules in
      rules.standard.map { RecordBody.Field(name: name.text, value: $0) }
    }
  }
}
