internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let saveSubscription = Method(
    "saveSubscription", .write,
    [.required("subscriptionID")] + SavedDefinition.parameters.map(Parameter.optional),
    errors: .write.union([.changeTokenExpired])
  ) { invocation, _ throws(RecordError) in
    // It changes no record: who may read may be told of changes.
    let database = try invocation.database(for: .read)
    let id = try invocation.savedSubscriptionID()
    let definition = try SavedDefinition(invocation, in: database)
    var since: ChangeToken?
    if let text = try invocation.arguments.string("since") {
      since = try database.changeToken(text, parameter: "since")
    }
    let operation = SaveSubscriptionOperation(id: id, definition: definition.text, since: since)
    let write = WriteRequest(caller: invocation.caller, operations: [.saveSubscription(operation)])
    return .write(database, write) { [invocation] written, result throws(RecordError) in
      guard case .savedSubscription(let saved, let isChanged) = try written.only() else {
        throw .unexpectedItem
      }
      let userID = invocation.caller.userID
      if isChanged { invocation.service.endAttached(id, in: database, ofUser: userID) }
      result.beginObject()
      result.key("subscription")
      result.savedSubscription(
        saved, isAttached: database.attached.subscription(id, ofUser: userID) != nil)
      result.endObject()
    }
  }
}
