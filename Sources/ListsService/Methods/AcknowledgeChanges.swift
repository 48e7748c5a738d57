internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let acknowledgeChanges = Method(
    "acknowledgeChanges", .write, [.required("subscriptionID"), .required("changeToken")],
    errors: .write.subtracting([.zoneNotFound]).union([.unknownItem, .changeTokenExpired])
  ) { invocation, _ throws(RecordError) in
    let arguments = invocation.arguments
    let database = try invocation.database(for: .read)
    let operation = AcknowledgeOperation(
      id: try arguments.requiredString("subscriptionID"),
      position: try database.changeToken(
        try arguments.requiredString("changeToken"), parameter: "changeToken"))
    let write = WriteRequest(caller: invocation.caller, operations: [.acknowledge(operation)])
    return .write(database, write) { written, result throws(RecordError) in
      guard case .acknowledged(let id, let position) = try written.only() else { throw .unexpectedItem }
      result.beginObject()
      result.key("subscriptionID")
      result.string(id)
      result.key("changeToken")
      result.string(position.text)
      result.endObject()
    }
  }
}
