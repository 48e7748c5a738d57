internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let deleteSubscription = Method(
    "deleteSubscription", .write, [.required("subscriptionID"), .optional("ignoreMissing")],
    errors: .write.subtracting([.zoneNotFound]).union([.unknownItem])
  ) { invocation, _ throws(RecordError) in
    let arguments = invocation.arguments
    let database = try invocation.database(for: .read)
    let operation = DeleteSubscriptionOperation(
      id: try arguments.requiredString("subscriptionID"),
      ignoresMissing: try arguments.bool("ignoreMissing", default: false))
    let write = WriteRequest(caller: invocation.caller, operations: [.deleteSubscription(operation)])
    return .write(database, write) { [invocation] written, result throws(RecordError) in
      guard case .deletedSubscription(let id) = try written.only() else { throw .unexpectedItem }
      invocation.service.endAttached(id, in: database, ofUser: invocation.caller.userID)
      result.beginObject()
      result.key("subscriptionID")
      result.string(id)
      result.endObject()
    }
  }
}
