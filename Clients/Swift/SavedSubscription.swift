public import JSONRPC

/// A subscription that the service keeps, with the position up to which its changes were acknowledged.
public struct SavedSubscription: Sendable {
  /// The subscription, as received: its definition has the parameters that it was saved with.
  public let json: JSON

  public var subscriptionID: String { json["subscriptionID"]?.stringValue ?? "" }
  /// The position behind which an attached stream begins.
  public var changeToken: String { json["changeToken"]?.stringValue ?? "" }
  /// A connection is attached to it now.
  public var isAttached: Bool { json["isAttached"]?.boolValue ?? false }
}

extension Connection {
  /// Saves a subscription; streams attach to it with ``SubscriptionRequest/init(subscriptionID:)``. The same one
  /// again keeps its position; another one under the name begins anew, at the request's `since` or now.
  @discardableResult
  public func saveSubscription(
    _ subscriptionID: String, _ request: SubscriptionRequest
  ) async throws(ClientError) -> SavedSubscription {
    var params: [(String, JSONNode)] = [("subscriptionID", .string(subscriptionID))] + request.definition
    if let since = request.since { params.append(("since", .string(since))) }
    if request.sendsInitial { params.append(("sendInitial", true)) }
    let reply = try await call("saveSubscription", .object(params + request.place))
    guard let saved = reply["subscription"] else {
      throw .malformedReply("saveSubscription gave no subscription")
    }
    return SavedSubscription(json: saved)
  }

  /// The saved subscriptions of this user, by their names.
  ///
  /// - Parameter subscriptionID: Only this one; an unknown one is rejected as `unknownItem`.
  public func savedSubscriptions(
    _ subscriptionID: String? = nil, container: String? = nil, database: String? = nil
  ) async throws(ClientError) -> [SavedSubscription] {
    let members = subscriptionID.map { [("subscriptionID", $0)] } ?? []
    let reply = try await call("fetchSubscriptions", Self.params(members, container, database))
    return (reply["subscriptions"]?.elements).map { $0.map(SavedSubscription.init) } ?? []
  }

  /// - Parameter ignoresMissing: One that isn't there is no error.
  public func deleteSubscription(
    _ subscriptionID: String, ignoresMissing: Bool = false, container: String? = nil, database: String? = nil
  ) async throws(ClientError) {
    let members = [("subscriptionID", subscriptionID)]
    _ = try await call(
      "deleteSubscription", Self.params(members, container, database, ignoresMissing: ignoresMissing))
  }

  /// Moves the position of a saved subscription; durable when this returns.
  public func acknowledgeChanges(
    _ subscriptionID: String, upTo changeToken: String, container: String? = nil, database: String? = nil
  ) async throws(ClientError) {
    let members = [("subscriptionID", subscriptionID), ("changeToken", changeToken)]
    _ = try await call("acknowledgeChanges", Self.params(members, container, database))
  }
}
