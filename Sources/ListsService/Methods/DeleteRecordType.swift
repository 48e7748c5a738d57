internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let deleteRecordType = Method(
    "deleteRecordType", .write, [.required("recordType")],
    errors: .write.subtracting([.zoneNotFound]).union([.unknownItem, .constraintViolation])
  ) { invocation, _ throws(RecordError) in
    let database = try invocation.database(for: .write)
    let name = try invocation.arguments.requiredString("recordType")
    let write = WriteRequest(caller: invocation.caller, operations: [.deleteRecordType(name: name)])
    return .write(database, write) { written, result throws(RecordError) in
      guard case .deletedRecordType(let name) = try written.only() else { throw .unexpectedItem }
      result.beginObject()
      result.key("recordType")
      result.string(name)
      result.key("deleted")
      result.bool(true)
      result.key("changeToken")
      result.string(written.changeToken.text)
      result.endObject()
    }
  }
}
