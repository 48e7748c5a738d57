internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let saveRecord = Method(
    "saveRecord", .write,
    [.required("record"), .optional("savePolicy"), .optional("desiredKeys"), .idempotencyKey],
    errors: .write.union([
      .serverRecordChanged, .referenceViolation, .fieldTypeMismatch, .assetFileNotFound, .constraintViolation,
    ])
  ) { invocation, _ throws(RecordError) in
    let arguments = invocation.arguments
    let database = try invocation.database(for: .write)
    guard let record = try arguments.object("record") else {
      throw .parameter("record", mustBe: "an object")
    }
    let draft = try RecordDraft(json: record)
    let policy = try arguments.word("savePolicy", of: SavePolicy.self) ?? .ifServerRecordUnchanged
    let desiredKeys = try arguments.strings("desiredKeys").map(DesiredKeys.init)
    return try invocation.write([.save(draft, policy: policy)], to: database) {
      written, result throws(RecordError) in
      guard let saved = try written.only().savedRecord else { throw .unexpectedItem }
      result.beginObject()
      result.savedRecord(saved, desiredKeys: desiredKeys)
      result.key("changeToken")
      result.string(written.changeToken.text)
      result.endObject()
    }
  }
}

extension JSONWriter {
  /// Appends what became of a save: the record, and the fields that were merged if any could be.
  mutating func savedRecord(_ saved: (record: StoredRecord, settled: [String]?), desiredKeys: DesiredKeys?) {
    key("record")
    saved.record.write(desiredKeys: desiredKeys, to: &self)
    guard let settled = saved.settled else { return }
    key("merged")
    strings(settled)
  }
}

extension WriteResult {
  /// What became of the one operation of the request.
  func only() throws(RecordError) -> ItemResult {
    guard let item = items.first, items.count == 1 else { throw .unexpectedItem }
    return try item.get()
  }
}

extension RecordError {
  static var unexpectedItem: RecordError {
    RecordError(.internalError, "the store did something else than it was asked for")
  }
}
