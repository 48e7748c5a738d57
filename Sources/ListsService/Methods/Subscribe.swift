internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  /// The parameters that make a subscription's filter; two that agree in them share its evaluation.
  private static let filter = [
    "recordType", "predicate", "arguments", "variables", "zoneName", "firesOn", "desiredKeys",
  ]

  static let subscribe = Method(
    "subscribe", .read,
    filter.map { .optional($0) } + [.optional("since"), .optional("sendInitial")],
    errors: .read.union([.changeTokenExpired])
  ) { invocation, result throws(RecordError) in
    let arguments = invocation.arguments
    let session = invocation.session
    let database = try invocation.database(for: .read)
    let limit = invocation.limits.maximumSubscriptions
    guard session.subscriptions.count < limit else {
      throw .limit(
        "maximumSubscriptions", limit, actual: nil,
        "a connection may have \(limit) subscriptions at most")
    }
    let shape = try database.hub.shape(key: arguments.key(of: filter)) { () throws(RecordError) in
      try invocation.makeShape(key: arguments.key(of: filter))
    }
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

extension Arguments {
  /// The text of the parameters; of a spelling, so that equal filters may have different keys.
  fileprivate func key(of names: [String]) -> [UInt8] {
    var key: [UInt8] = []
    for name in names {
      if let value = self[name] { key += value.bytes }
      key.append(0)
    }
    return key
  }
}

extension Invocation {
  fileprivate func makeShape(key: [UInt8]) throws(RecordError) -> SubscriptionShape {
    let selection = try QueryArguments(self)
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
      key: key, recordType: selection.recordType, zoneName: selection.zoneName,
      predicate: selection.predicate, reasons: reasons,
      desiredKeys: try arguments.strings("desiredKeys").map(DesiredKeys.init))
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
