internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let deleteRecord = Method(
    "deleteRecord", .write,
    [
      .required("recordName"), .optional("recordType"), .optional("zoneName"),
      .optional("recordChangeTag"), .optional("ignoreMissing"), .idempotencyKey,
    ],
    errors: .write.union([.unknownItem, .serverRecordChanged, .referenceViolation, .constraintViolation])
  ) { invocation, _ throws(RecordError) in
    let arguments = invocation.arguments
    let database = try invocation.database(for: .write)
    let operation = DeleteOperation(
      zoneName: try arguments.string("zoneName") ?? Identifier.defaultZone,
      recordName: try arguments.requiredString("recordName"),
      recordType: try arguments.string("recordType"),
      recordChangeTag: try arguments.string("recordChangeTag"),
      ignoresMissing: try arguments.bool("ignoreMissing", default: false))
    return try invocation.write([.delete(operation)], to: database) { written, result throws(RecordError) in
      guard case .deleted(let zoneName, let recordName, let existed, let count) = try written.only() else {
        throw .unexpectedItem
      }
      result.beginObject()
      result.deletion(
        zoneName: zoneName, recordName: recordName, existed: existed, cascadedDeletions: count)
      result.key("changeToken")
      result.string(written.changeToken.text)
      result.endObject()
    }
  }
}

extension JSONWriter {
  /// The members that tell of a deletion.
  mutating func deletion(
    zoneName: String, recordName: String, existed: Bool, cascadedDeletions: Int
  ) {
    key("recordName")
    string(recordName)
    key("zoneName")
    string(zoneName)
    key("deleted")
    bool(existed)
    key("cascadedDeletions")
    int(cascadedDeletions)
  }
}
