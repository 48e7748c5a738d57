internal import JSONRPC
internal import RecordStore
internal import Records

/// A saved subscription that a connection is about to attach to.
struct Attachment {
  let id: String
  let definition: SubscriptionDefinition
  /// Where it goes on.
  let start: Subscription.State

  /// Gives it to the session, and takes it from who has it.
  func attach(_ session: Session, to database: Database) -> Subscription {
    session.service.takeOver(id, in: database, by: session)
    let subscription = Subscription(
      id: id, session: session, database: database, shape: database.hub.shape(for: definition),
      definition: definition, result: nil, state: start)
    if case .behind = start { subscription.mayHoldMore = true }
    database.attached.put(subscription)
    return subscription
  }
}

extension Invocation {
  /// The saved subscription that `subscribe` is asked to attach to; nil when it is asked for one of its own.
  ///
  /// Throws `unknownItem` when there is none; `invalidArguments` when something else is asked for beside it, or when
  /// the connection has one of that id in another database.
  func attachment(in database: Database) throws(RecordError) -> Attachment? {
    guard let id = try arguments.string("subscriptionID") else { return nil }
    for name in Method.subscribe.parameters.map(\.name)
    where !["subscriptionID", "container", "database"].contains(name) && arguments[name] != nil {
      throw .parameter(name, mustBe: "left out with subscriptionID")
    }
    guard let saved = try database.reader.savedSubscription(id, ofUser: caller.userID) else {
      throw .noSavedSubscription(id)
    }
    if let own = session.subscriptions[id], own.database !== database {
      throw .parameter(
        "subscriptionID",
        mustBe: "attached over another connection: this one has '\(id.shortened)' of another database")
    }
    // The zone may be gone: then that is what there is to tell.
    let definition = try SubscriptionDefinition(subscribing(with: SavedDefinition(saved).json))
    if definition.sendsInitial, !saved.isStarted {
      return Attachment(id: id, definition: definition, start: .sendingInitial(InitialRecords()))
    }
    guard let position = ChangeToken(text: saved.position) else {
      throw RecordError(.internalError, "the subscription's position can't be read")
    }
    return Attachment(id: id, definition: definition, start: .behind(position))
  }
}

extension Service {
  /// Takes the saved subscription over from the connection that has it attached, if one has.
  func takeOver(_ id: String, in database: Database, by session: Session) {
    guard let attached = database.attached.subscription(id, ofUser: session.caller.userID) else { return }
    guard attached.session === session else { return end(attached, .attachedElsewhere) }
    // It begins anew, which the reply says.
    _ = session.removeSubscription(id)
    database.hub.remove(attached)
  }

  /// What was saved under the id is not there any more, or asks for something else.
  func endAttached(_ id: String, in database: Database, ofUser userID: UInt32) {
    guard let attached = database.attached.subscription(id, ofUser: userID) else { return }
    end(attached, .deleted)
  }
}
