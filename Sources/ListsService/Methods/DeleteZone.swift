internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let deleteZone = Method(
    "deleteZone", .write, [.required("zoneName"), .optional("ignoreMissing")],
    errors: .write.union([.referenceViolation, .constraintViolation])
  ) { invocation, _ throws(RecordError) in
    let arguments = invocation.arguments
    let database = try invocation.database(for: .write)
    let operation = DeleteZoneOperation(
      zoneName: try arguments.requiredString("zoneName"),
      ignoresMissing: try arguments.bool("ignoreMissing", default: false))
    let write = WriteRequest(caller: invocation.caller, operations: [.deleteZone(operation)])
    return .write(database, write) { written, result throws(RecordError) in
      guard case .deletedZone(let name, let records, let cascadedDeletions) = try written.only() else {
        throw .unexpectedItem
      }
      result.beginObject()
      result.key("zoneName")
      result.string(name)
      result.key("deletedRecords")
      result.int(records)
      result.key("cascadedDeletions")
      result.int(cascadedDeletions)
      result.key("changeToken")
      result.string(written.changeToken.text)
      result.endObject()
    }
  }
}
