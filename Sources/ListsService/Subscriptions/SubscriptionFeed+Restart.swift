internal import RecordStore
internal import Records

extension Service {
  /// The records are others than those that the subscription told of, none of which came by a change.
  func startOver(_ subscription: Subscription) {
    if isAttached(subscription) { return end(subscription, .databaseRestored) }
    do throws(RecordError) {
      switch subscription.state {
      case .live: try beginAnew(subscription)
      // Whether it can go on from its position is seen when it does.
      case .behind, .ended: return
      case .readingResult: return
      case .awaitingResult: subscription.state = .readingResult
      case .sendingInitial, .awaitingInitial: try startInitialOver(subscription)
      }
    } catch {
      return end(subscription, .failed(error))
    }
    feedInNextTurn(subscription)
  }

  private func startInitialOver(_ subscription: Subscription) throws(RecordError) {
    // Only when its reply is out may something be pushed.
    if subscription.hasBegun { try beginAnew(subscription) }
    subscription.state = .sendingInitial(InitialRecords())
  }

  /// Whether it is attached to a saved subscription: what was saved, and how far, is another's now, too.
  private func isAttached(_ subscription: Subscription) -> Bool {
    subscription.database.attached.subscription(
      subscription.id, ofUser: subscription.session.caller.userID) === subscription
  }
}
