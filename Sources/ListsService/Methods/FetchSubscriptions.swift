internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let fetchSubscriptions = Method(
    "fetchSubscriptions", .read, [.optional("subscriptionID")],
    errors: .read.subtracting([.zoneNotFound]).union([.unknownItem])
  ) { invocation, result throws(RecordError) in
    let database = try invocation.database(for: .read)
    let userID = invocation.caller.userID
    var subscriptions: [SavedSubscription]
    if let id = try invocation.arguments.string("subscriptionID") {
      guard let saved = try database.reader.savedSubscription(id, ofUser: userID) else {
        throw .noSavedSubscription(id)
      }
      subscriptions = [saved]
    } else {
      subscriptions = try database.reader.savedSubscriptions(ofUser: userID)
    }
    result.beginObject()
    result.key("subscriptions")
    result.beginArray()
    for saved in subscriptions {
      result.savedSubscription(
        saved, isAttached: database.attached.subscription(saved.id, ofUser: userID) != nil)
      try invocation.checkReply(result)
    }
    result.endArray()
    result.endObject()
    return .done
  }
}
