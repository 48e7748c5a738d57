internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let subscribe = Method(
    "subscribe", .read,
    [
      .optional("recordType"), .optional("predicate"), .optional("arguments"), .optional("variables"),
      .optional("zoneName"), .optional("firesOn"), .optional("desiredKeys"), .optional("since"),
      .optional("sendInitial"), .optional("filterBy"),
    ],
    errors: .read.union([.changeTokenExpired])
  ) { invocation, result throws(RecordError) in
    let session = invocation.session
    let database = try invocation.database(for: .read)
    let limit = invocation.limits.maximumSubscriptions
    guard session.subscriptions.count < limit else {
      throw .limit(
        "maximumSubscriptions", limit, actual: nil,
        "a connection may have \(limit) subscriptions at most")
    }
    let shape = database.hub.shape(like: try invocation.shape())
    let position = try database.position()
    let start = try invocation.start(in: database, at: position.token)
    let subscription = Subscription(
      id: session.makeSubscriptionID(), session: session, database: database, shape: shape,
      state: start)
    database.hub.add(subscription)
    session.add(subscription)
    result.beginObject()
    result.key("subscriptionID")
    result.string(subscription.id)
    result.key("changeToken")
    result.string(position.token.text)
    result.endObject()
    return .subscribed(subscription)
  }

  static let unsubscribe = Method(
    "unsubscribe", .read, [.required("subscriptionID")], concernsStore: false,
    errors: .always.union([.invalidArguments, .unknownItem])
  ) { invocation, result throws(RecordError) in
    let id = try invocation.arguments.requiredString("subscriptionID")
    guard let subscription = invocation.session.removeSubscription(id) else {
      throw RecordError(.unknownItem, "this connection has no subscription '\(id.shortened)'")
    }
    subscription.database.hub.remove(subscription)
    result.beginObject()
    result.key("subscriptionID")
    result.string(id)
    result.endObject()
    return .done
  }
}

extension Invocation {
  fileprivate func shape() throws(RecordError) -> SubscriptionShape {
    let selection = try QueryArguments(self)
    let comparisons = selection.predicate?.numberOfComparisons ?? 0
    guard comparisons <= limits.maximumFilterComparisons else {
      throw .limit(
        "maximumFilterComparisons", limits.maximumFilterComparisons, actual: comparisons,
        "a live filter may have \(limits.maximumFilterComparisons) comparisons at most")
    }
    var reasons = Set(ChangeReason.allCases)
    if let names = try arguments.strings("firesOn") {
      reasons = []
      for name in names {
        guard let reason = ChangeReason(rawValue: name) else {
          let known = ChangeReason.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
          throw .parameter("firesOn", mustBe: "a list of \(known)")
        }
        reasons.insert(reason)
      }
      if reasons.isEmpty { throw .parameter("firesOn", mustBe: "left out or name a reason") }
    }
    return SubscriptionShape(
      recordType: selection.recordType, zoneName: selection.zoneName, predicate: selection.predicate,
      reasons: reasons, desiredKeys: try arguments.strings("desiredKeys"))
  }

  /// Where a subscription starts: after a token, with the records that there are, or now.
  fileprivate func start(
    in database: Database, at current: ChangeToken
  ) throws(RecordError) -> Subscription.State {
    let sendsInitial = try arguments.bool("sendInitial", default: false)
    guard let since = try arguments.string("since") else {
      return sendsInitial ? .sendingInitial(cursor: nil, then: current) : .behind(current)
    }
    if sendsInitial { throw .parameter("sendInitial", mustBe: "left out with since") }
    guard let token = ChangeToken(text: since) else {
      throw RecordError(
        .changeTokenExpired, "the change token is not one of this store",
        details: [RecordError.Detail("changeToken", current.text)])
    }
    // Asked for now, so that a token that is no good fails the request.
    _ = try database.reader.changes(after: token, limit: 1)
    return .behind(token)
  }
}
