internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let subscribe = Method(
    "subscribe", .read,
    [
      .optional("recordType"), .optional("predicate"), .optional("arguments"), .optional("variables"),
      .optional("zoneName"), .optional("firesOn"), .optional("desiredKeys"), .optional("since"),
      .optional("sendInitial"), .optional("filterBy"), .optional("recordName"), .optional("firesOnce"),
      .optional("include"), .optional("watchKeys"), .optional("suppressOwn"), .optional("includePrevious"),
      .optional("sortDescriptors"), .optional("sortBy"), .optional("sectionNameKey"),
      .optional("sectionIndexTitle"), .optional("resultsLimit"), .optional("countOnly"),
      .optional("subscriptionID"),
    ],
    errors: .read.union([.changeTokenExpired, .unknownItem])
  ) { invocation, result throws(RecordError) in
    let session = invocation.session
    let database = try invocation.database(for: .read)
    let limit = invocation.limits.maximumSubscriptions
    guard session.subscriptions.count < limit else {
      throw .limit(
        "maximumSubscriptions", limit, actual: nil,
        "a connection may have \(limit) subscriptions at most")
    }
    let position = try database.position()
    let subscription =
      if let attachment = try invocation.attachment(in: database) {
        attachment.attach(session, to: database)
      } else {
        try invocation.subscription(in: database, at: position.token)
      }
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
  /// A subscription of the connection's own.
  fileprivate func subscription(
    in database: Database, at current: ChangeToken
  ) throws(RecordError) -> Subscription {
    let definition = try SubscriptionDefinition(self)
    // Whoever goes on from a position is told what became of a zone that was there.
    if let zone = definition.zoneName { try database.reader.checkZone(zone, orPast: definition.since != nil) }
    let start = try definition.start(in: database, at: current)
    let subscription = Subscription(
      id: session.makeSubscriptionID(), session: session, database: database,
      shape: database.hub.shape(for: definition), definition: definition,
      result: try definition.makeResult(within: limits), state: start)
    subscription.mayHoldMore = definition.since != nil
    return subscription
  }
}

extension SubscriptionDefinition {
  /// Where a subscription starts: with its result or the records that there are, after a token, or now. Throws
  /// `changeTokenExpired` for a token that can't be gone on from.
  func start(in database: Database, at current: ChangeToken) throws(RecordError) -> Subscription.State {
    if case .changes = content {} else { return .readingResult }
    guard let since else {
      return sendsInitial ? .sendingInitial(InitialRecords()) : .behind(current)
    }
    let token = try database.changeToken(since, parameter: "since")
    // Asked for now, so that a token that is no good fails the request.
    _ = try database.reader.changes(after: token, limit: 1, maximumRows: 1)
    return .behind(token)
  }

  /// What is kept up for the client; nil when it is told of changes as such.
  func makeResult(within limits: ServiceLimits) throws(RecordError) -> (any LiveResult)? {
    switch content {
    case .changes: nil
    case .count: LiveCount(self)
    case .window(let request): try ResultWindow(request, of: self, within: limits)
    }
  }
}
