internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let restoreRecord = Method(
    "restoreRecord", .write,
    [
      .required("recordName"), .optional("zoneName"), .optional("recordChangeTag"), .optional("withCascade"),
      .optional("desiredKeys"), .idempotencyKey,
    ],
    errors: .write.union([
      .unknownItem, .serverRecordChanged, .referenceViolation, .fieldTypeMismatch, .assetFileNotFound,
      .constraintViolation,
    ])
  ) { invocation, _ throws(RecordError) in
    let arguments = invocation.arguments
    let database = try invocation.database(for: .write)
    let operation = RestoreOperation(
      zoneName: try arguments.string("zoneName") ?? Identifier.defaultZone,
      recordName: try arguments.requiredString("recordName"),
      recordChangeTag: try arguments.string("recordChangeTag"),
      withCascade: try arguments.bool("withCascade", default: false))
    let desiredKeys = try arguments.strings("desiredKeys").map(DesiredKeys.init)
    return try invocation.write([.restore(operation)], to: database) { written, result throws(RecordError) in
      guard case .restored(let record, let count) = try written.only() else { throw .unexpectedItem }
      result.beginObject()
      result.key("record")
      record.write(desiredKeys: desiredKeys, to: &result)
      result.key("cascadedRestorations")
      result.int(count)
      result.key("changeToken")
      result.string(written.changeToken.text)
      result.endObject()
    }
  }
}
