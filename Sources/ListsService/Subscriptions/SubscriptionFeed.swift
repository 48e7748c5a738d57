internal import RecordStore
internal import Records

/// Takes subscriptions that are not live yet, or no longer, to where the store is.
///
/// Works in slices, so that a long replay never holds up the others, and only while the peer reads.
extension Service {
  /// Changes or records looked at before others get their turn.
  private static let pagesOfASlice = 4
  static let changesOfAPage = 250

  /// Sends the subscription what it has to get next, as much as there is room for; in the next turn where
  /// this one is over.
  func feed(_ subscription: Subscription) {
    if turn.isOver { return feedInNextTurn(subscription) }
    for _ in 0..<Self.pagesOfASlice {
      switch subscription.state {
      case .live, .awaitingInitial, .awaitingResult, .ended: return
      case .behind, .sendingInitial, .readingResult: break
      }
      guard subscription.session.hasRoom else {
        return subscription.session.resumeWhenDrained(subscription)
      }
      do throws(RecordError) {
        if let refusal = subscription.session.refusalOfPushes(from: subscription.database) { throw refusal }
        try feedOnce(subscription)
      } catch {
        return end(subscription, .failed(error))
      }
      endIfFired(subscription)
      if turn.isOver { break }
    }
    feedInNextTurn(subscription)
  }

  private func feedOnce(_ subscription: Subscription) throws(RecordError) {
    switch subscription.state {
    case .live, .awaitingInitial, .awaitingResult, .ended: break
    case .sendingInitial(let records): try sendInitial(records, to: subscription)
    case .readingResult: try readResult(of: subscription)
    case .behind(let token): try replay(to: subscription, after: token)
    }
  }

  /// What a reader thread was asked for.
  func feed(_ subscription: Subscription, with outcome: Outcome) {
    do throws(RecordError) {
      guard case .read(let result) = outcome else { throw .unexpectedAnswer }
      switch subscription.state {
      case .awaitingInitial(let records): try take(result, in: records, by: subscription)
      case .awaitingResult: try take(result, by: subscription)
      default: return
      }
    } catch {
      return end(subscription, .failed(error))
    }
    feed(subscription)
  }

  // MARK: What was missed

  private func replay(to subscription: Subscription, after token: ChangeToken) throws(RecordError) {
    let current = try subscription.database.position()
    if token == current.token {
      if subscription.owesMore { subscription.pushPosition(token.text) }
      subscription.state = .live(after: current.sequence)
      subscription.mayHoldMore = false
      return
    }
    guard let (page, followed) = try changes(for: subscription, after: token),
      let matched = try matches(in: page, followed, of: subscription)
    else { return }
    let reached = page.changeSet.changeToken
    subscription.state = page.moreComing ? .behind(reached) : .live(after: current.sequence)
    if !page.moreComing { subscription.mayHoldMore = false }
    if subscription.result != nil {
      do throws(RecordError) {
        return try advance(
          subscription, by: matched, isWhole: !page.moreComing, to: reached, followed: followed)
      } catch  where followed.failure != nil {
        return try beginAnew(subscription)
      }
    }
    let deletedZones = subscription.shape.deletedZones(in: page.changeSet)
    let parts = try parts(of: matched, for: subscription, followed)
    if !parts.isEmpty || !deletedZones.isEmpty {
      let marks = Subscription.Marks(moreComing: page.moreComing, deletedZones: deletedZones)
      subscription.push(parts, token: reached.text, partial: token.text, marks)
    } else if !page.moreComing, subscription.owesMore {
      subscription.pushPosition(reached.text)
    }
  }

  /// A page of what changed. Nil when that can't be told any more: then the subscription begins anew.
  func changes(
    for subscription: Subscription, after token: ChangeToken
  ) throws(RecordError) -> (ChangesPage, FollowedChanges)? {
    do throws(RecordError) {
      return try subscription.database.changes(
        after: token, limit: Self.changesOfAPage, following: subscription.shape.following)
    } catch  where error.code == .changeTokenExpired {
      try beginAnew(subscription)
      return nil
    }
  }

  /// What of it concerns the subscription. Nil as above.
  func matches(
    in page: ChangesPage, _ followed: FollowedChanges, of subscription: Subscription
  ) throws(RecordError) -> [MatchedChange]? {
    do throws(RecordError) {
      let reader = subscription.database.reader
      let passed = { (change: RecordChange, isFound: (StoredRecord) -> Bool) throws(RecordError) -> Bool in
        try reader.passed(by: change, isFound: isFound)
      }
      return try subscription.shape.matches(
        in: page.changeSet, passed: subscription.holdsMore ? passed : nil
      ) { () throws(RecordError) in followed }
    } catch  where followed.failure != nil {
      try beginAnew(subscription)
      return nil
    }
  }

  /// A replay's changes as this one subscription is told of them.
  func parts(
    of matched: [MatchedChange], for subscription: Subscription, _ followed: FollowedChanges
  ) throws(RecordError) -> [PushPart] {
    return try subscription.shape.parts(
      of: subscription.toldAlone(matched), isOwn: { subscription.isOwn($0.commits) }
    ) {
      () throws(RecordError) in followed
    }
  }

  /// Changes were missed that can't be told any more.
  func beginAnew(_ subscription: Subscription) throws(RecordError) {
    if subscription.result != nil { return subscription.state = .readingResult }
    let current = try subscription.database.position()
    // What the client holds is void.
    subscription.mayHoldMore = false
    subscription.pushPosition(current.token.text, Subscription.Marks(isResync: true))
    subscription.state =
      subscription.definition.sendsInitial
      ? .sendingInitial(InitialRecords()) : .live(after: current.sequence)
  }

  // MARK: Ends

  func endIfFired(_ subscription: Subscription) {
    if subscription.definition.firesOnce, subscription.hasFired { end(subscription, .fired) }
  }

  /// Ends it on the service's part, and says why.
  func end(_ subscription: Subscription, _ ending: SubscriptionEnding) {
    guard subscription.session.removeSubscription(subscription.id) != nil else { return }
    subscription.database.hub.remove(subscription)
    subscription.pushEnd(ending)
    if case .failed(let error) = ending {
      logFailure(error, method: "subscribe", caller: subscription.session.caller)
    }
  }
}

extension RecordError {
  static let unexpectedAnswer = RecordError(
    .internalError, "the store answered another question than it was asked")
}
