internal import Records
internal import SQLite

extension WriteTransaction {
  /// Saves a subscription of the caller's.
  mutating func apply(
    _ operation: SaveSubscriptionOperation, by caller: Caller
  ) throws(SQLiteError) -> Result<ItemResult, RecordError> {
    if let same = try connection.subscription(operation.id, ofUser: caller.userID) {
      if same.definition.hasSameUTF8(as: operation.definition) {
        return .success(.savedSubscription(same, isChanged: false))
      }
    } else {
      let limit = configuration.limits.maximumSavedSubscriptions
      let count = try connection.subscriptions(ofUser: caller.userID).count
      guard count < limit else {
        return .failure(
          .limit("maximumSavedSubscriptions", limit, actual: count, "there are too many saved subscriptions"))
      }
    }
    if let since = operation.since, let reason = try connection.expiry(of: since, state) {
      return .failure(.changeTokenExpired(reason, fresh: state.token))
    }
    let saved = SavedSubscription(
      id: operation.id, definition: operation.definition, position: (operation.since ?? state.token).text,
      isStarted: false)
    let put = try connection.statement(.putSubscription)
    put.bind(Int64(caller.userID), at: 1)
    put.bind(saved.id, at: 2)
    put.bind(saved.definition, at: 3)
    put.bind(saved.position, at: 4)
    try put.run()
    changesSubscriptions = true
    return .success(.savedSubscription(saved, isChanged: true))
  }

  /// Deletes a saved subscription of the caller's.
  mutating func apply(
    _ operation: DeleteSubscriptionOperation, by caller: Caller
  ) throws(SQLiteError) -> Result<ItemResult, RecordError> {
    let existed = try hasSubscription(operation.id, of: caller)
    guard existed || operation.ignoresMissing else { return .failure(.noSubscription(operation.id)) }
    let remove = try connection.statement(.removeSubscription)
    remove.bind(Int64(caller.userID), at: 1)
    remove.bind(operation.id, at: 2)
    try remove.run()
    if existed { changesSubscriptions = true }
    return .success(.deletedSubscription(id: operation.id))
  }

  /// Moves a saved subscription of the caller's to a position: forth or, for who lost what was acknowledged, back.
  mutating func apply(
    _ operation: AcknowledgeOperation, by caller: Caller
  ) throws(SQLiteError) -> Result<ItemResult, RecordError> {
    guard try hasSubscription(operation.id, of: caller) else {
      return .failure(.noSubscription(operation.id))
    }
    // What is no longer kept may be known all the same: who goes on from there is told so then.
    if let reason = try connection.expiry(of: operation.position, state), reason != .pruned {
      return .failure(.changeTokenExpired(reason, fresh: state.token))
    }
    let move = try connection.statement(.moveSubscription)
    move.bind(Int64(caller.userID), at: 1)
    move.bind(operation.id, at: 2)
    move.bind(operation.position.text, at: 3)
    try move.run()
    changesSubscriptions = true
    return .success(.acknowledged(id: operation.id, position: operation.position))
  }

  private func hasSubscription(_ id: String, of caller: Caller) throws(SQLiteError) -> Bool {
    try connection.subscription(id, ofUser: caller.userID) != nil
  }
}

extension RecordError {
  fileprivate static func noSubscription(_ id: String) -> RecordError {
    RecordError(.unknownItem, "there is no saved subscription '\(id)'")
  }
}
