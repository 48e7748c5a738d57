internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let saveRecord = Method(
    "saveRecord", .write,
    [.required("record"), .optional("savePolicy"), .optional("desiredKeys"), .idempotencyKey],
    errors: .write.union([.serverRecordChanged, .referenceViolation, .fieldTypeMismatch, .assetFileNotFound])
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
      guard case .saved(let saved) = try written.only() else { throw .unexpectedItem }
      result.beginObject()
      result.key("record")
      saved.write(desiredKeys: desiredKeys, to: &result)
      result.key("changeToken")
      result.string(written.changeToken.text)
      result.endObject()
    }
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
