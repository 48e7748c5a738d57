internal import RecordStore
internal import Records

/// Takes subscriptions that are not live yet, or no longer, to where the store is.
///
/// Works in slices, so that a long replay never holds up the others, and only while the peer reads.
extension Service {
  /// Changes or records looked at before others get their turn.
  private static let pagesOfASlice = 4
  private static let changesOfAPage = 250

  /// Sends the subscription what it has to get next, as much as there is room for.
  func feed(_ subscription: Subscription, in turn: Turn = Turn()) {
    for _ in 0..<Self.pagesOfASlice {
      switch subscription.state {
      case .live, .awaitingRecords, .ended: return
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
    case .live, .awaitingRecords, .ended: break
    case .sendingInitial(let cursor, let token):
      let query = subscription.initialRecords(after: cursor, limit: Self.changesOfAPage)
      try ask(.query(query), for: subscription, then: token)
    case .readingResult:
      guard let result = subscription.result else { return }
      do throws(RecordError) {
        try ask(result.read, for: subscription, then: try subscription.database.position().token)
      } catch {
        try clear(subscription, after: error)
      }
    case .behind(let token): try replay(to: subscription, after: token)
    }
  }

  /// Reads at once what can be had at once, and else has a reader thread read it.
  private func ask(
    _ request: ReadRequest, for subscription: Subscription, then token: ChangeToken
  ) throws(RecordError) {
    if let result = try subscription.database.read(request) {
      try send(result, to: subscription, then: token)
    } else {
      subscription.state = .awaitingRecords(then: token)
      subscription.database.submit(request, for: subscription)
    }
  }

  /// What a reader thread was asked for.
  func feed(_ subscription: Subscription, with outcome: Outcome) {
    guard case .awaitingRecords(let token) = subscription.state else { return }
    do throws(RecordError) {
      guard case .read(let result) = outcome else { throw .unexpectedAnswer }
      switch result {
      case .success(let read): try send(read, to: subscription, then: token)
      case .failure(let error): try clear(subscription, after: error)
      }
    } catch {
      return end(subscription, .failed(error))
    }
    feed(subscription)
  }

  private func send(
    _ read: ReadResult, to subscription: Subscription, then token: ChangeToken
  ) throws(RecordError) {
    if let result = subscription.result {
      let step = try result.adopt(read, try subscription.database.reader.resolver)
      let position = read.changeToken ?? token
      try push(step, to: subscription, token: position, isInitial: !subscription.hasBegun)
      subscription.state = .behind(position)
      return
    }
    guard case .query(let page) = read else { throw .unexpectedAnswer }
    let parts = subscription.shape.initialParts(page)
    let marks = Subscription.Marks(isInitial: true, moreComing: page.cursor != nil)
    if !parts.isEmpty {
      subscription.push(parts, token: token.text, partial: token.text, marks)
    } else if !marks.moreComing {
      subscription.pushPosition(token.text, marks)
    }
    subscription.state =
      page.cursor != nil ? .sendingInitial(cursor: page.cursor, then: token) : .behind(token)
  }

  private func replay(to subscription: Subscription, after token: ChangeToken) throws(RecordError) {
    let database = subscription.database
    let current = try database.position()
    if token == current.token {
      if subscription.owesMore { subscription.pushPosition(token.text) }
      subscription.state = .live(after: current.sequence)
      return
    }
    let page: ChangesPage
    let followed: FollowedChanges
    do throws(RecordError) {
      (page, followed) = try database.changes(
        after: token, limit: Self.changesOfAPage, following: subscription.shape.following)
    } catch  where error.code == .changeTokenExpired {
      return beginAnew(subscription, at: current)
    }
    let matched: [MatchedChange]
    do throws(RecordError) {
      matched = try subscription.shape.matches(in: page.changeSet) { () throws(RecordError) in followed }
    } catch  where followed.failure != nil {
      return beginAnew(subscription, at: current)
    }
    let reached = page.changeSet.changeToken
    subscription.state = page.moreComing ? .behind(reached) : .live(after: current.sequence)
    let deletedZones = subscription.shape.deletedZones(in: page.changeSet)
    let marks = Subscription.Marks(moreComing: page.moreComing, deletedZones: deletedZones)
    if subscription.result != nil {
      do throws(RecordError) {
        return try advance(
          subscription, by: matched, isWhole: !page.moreComing, to: reached, followed: followed)
      } catch  where followed.failure != nil {
        return beginAnew(subscription, at: current)
      }
    }
    let told =
      subscription.definition.suppressesOwn
      ? matched.filter { !subscription.isOwn($0.change.commits) } : matched
    let parts = try subscription.shape.parts(
      of: told, isOwn: { subscription.isOwn($0.commits) }
    ) { () throws(RecordError) in followed }
    if !parts.isEmpty || !deletedZones.isEmpty {
      subscription.push(parts, token: reached.text, partial: token.text, marks)
    } else if !page.moreComing, subscription.owesMore {
      subscription.pushPosition(reached.text)
    }
  }

  /// Changes were missed that can't be told any more.
  private func beginAnew(_ subscription: Subscription, at current: Position) {
    if subscription.result != nil { return subscription.state = .readingResult }
    subscription.pushPosition(current.token.text, Subscription.Marks(isResync: true))
    subscription.state =
      subscription.definition.sendsInitial
      ? .sendingInitial(cursor: nil, then: current.token) : .live(after: current.sequence)
  }

  // MARK: Results

  /// Moves a subscription's result on, or has it read anew when it is fed next. Where it throws, nothing was
  /// told and the result is as it was.
  func advance(
    _ subscription: Subscription, by matched: [MatchedChange], isWhole: Bool, to token: ChangeToken,
    followed: FollowedChanges
  ) throws(RecordError) {
    guard let result = subscription.result else { return }
    let resolver =
      subscription.shape.following == nil
      ? try subscription.database.reader.resolver : try followed.after()
    let step = try result.advance(by: matched, isWhole: isWhole, resolver) { () throws(RecordError) in
      try followed.check()
    }
    guard let step else {
      return subscription.state = .readingResult
    }
    do throws(RecordError) {
      try push(step, to: subscription, token: token, isInitial: false)
    } catch {
      // The result has moved on already, so that telling the changes again would tell nothing.
      end(subscription, .failed(error))
    }
  }

  /// Nothing is left of a result whose zone was deleted. Throws what its read failed for, where that is
  /// anything else.
  private func clear(_ subscription: Subscription, after failure: RecordError) throws(RecordError) {
    guard failure.code == .zoneNotFound, let result = subscription.result else { throw failure }
    let database = subscription.database
    if let zone = subscription.shape.zoneName, (try? database.reader.checkZone(zone)) != nil {
      // It was made anew meanwhile.
      return subscription.state = .readingResult
    }
    let position = try database.position()
    let step = result.clear(try database.reader.resolver)
    try push(step, to: subscription, token: position.token, isInitial: !subscription.hasBegun)
    subscription.state = .behind(position.token)
  }

  private func push(
    _ step: LiveStep, to subscription: Subscription, token: ChangeToken, isInitial: Bool
  ) throws(RecordError) {
    let parts = try subscription.shape.parts(of: step.changes, isOwn: subscription.isOwn) {
      () throws(RecordError) in try subscription.database.reader.resolver
    }
    let marks = Subscription.Marks(isInitial: isInitial, count: step.count)
    if !parts.isEmpty || step.count != nil {
      subscription.push(parts, token: token.text, partial: token.text, marks)
    } else if isInitial {
      subscription.pushPosition(token.text, marks)
    }
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

extension ReadResult {
  /// The position of the snapshot that was read, where it is known.
  fileprivate var changeToken: ChangeToken? {
    switch self {
    case .query(let page): page.changeToken
    case .count(let result): result.changeToken
    default: nil
    }
  }
}

extension RecordError {
  static let unexpectedAnswer = RecordError(
    .internalError, "the store answered another question than it was asked")
}
