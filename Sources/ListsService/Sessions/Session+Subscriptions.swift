internal import JSONRPC
internal import RecordStore
internal import Records

extension Session {
  /// The database of that name, opened when it is not yet.
  func database(
    container: String, named name: DatabaseName, for action: AccessPolicy.Action
  ) throws(RecordError) -> Database {
    let database: Database
    if let ownDatabase, name == .private, container == StoreID.defaultContainer {
      database = ownDatabase
    } else {
      let id = StoreID(container: container, database: name == .public ? .public : .private(caller.userID))
      database = try service.databases.database(id)
      if name == .private, container == StoreID.defaultContainer { ownDatabase = database }
    }
    if let refusal = service.access.refusal(of: action, in: database.id, by: caller) { throw refusal }
    return database
  }

  /// An id that no subscription of this connection had.
  func makeSubscriptionID() -> String {
    lastSubscriptionNumber += 1
    return String(lastSubscriptionNumber)
  }

  func add(_ subscription: Subscription) {
    subscriptions[subscription.id] = subscription
    service.subscriptionCount += 1
  }

  /// Nil when there is none of that id.
  func removeSubscription(_ id: String) -> Subscription? {
    guard let subscription = subscriptions.removeValue(forKey: id) else { return nil }
    service.subscriptionCount -= 1
    return subscription
  }

  func removeAllSubscriptions() {
    for subscription in subscriptions.values { subscription.database.hub.remove(subscription) }
    service.subscriptionCount -= subscriptions.count
    subscriptions = [:]
    behind = []
  }

  /// Why the caller may not be told of changes in the database; nil for one who may.
  func refusalOfPushes(from database: Database) -> RecordError? {
    service.access.refusal(of: .read, in: database.id, by: caller)
  }

  /// Whether the peer reads: more may be put into its queue.
  var hasRoom: Bool { outbound.queuedBytes <= service.limits.maximumQueuedBytes }

  /// The subscription goes on at `outboundDidDrain`.
  func resumeWhenDrained(_ subscription: Subscription) {
    behind.append(subscription)
  }
}
