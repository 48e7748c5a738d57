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
      case .live, .awaitingInitial, .ended: return
      case .behind, .sendingInitial: break
      }
      guard subscription.session.hasRoom else {
        return subscription.session.resumeWhenDrained(subscription)
      }
      do throws(RecordError) {
        if let refusal = subscription.session.refusalOfPushes(from: subscription.database) { throw refusal }
        if case .sendingInitial(let cursor, let token) = subscription.state {
          try sendInitial(to: subscription, cursor: cursor, then: token)
        } else if case .behind(let token) = subscription.state {
          try replay(to: subscription, after: token)
        }
      } catch {
        return end(subscription, error)
      }
      if turn.isOver { break }
    }
    feedInNextTurn(subscription)
  }

  /// A page of initial records that a reader thread was asked for.
  func feed(_ subscription: Subscription, with outcome: Outcome) {
    guard case .awaitingInitial(let token) = subscription.state else { return }
    do throws(RecordError) {
      guard case .read(let result) = outcome, case .query(let page) = try result.get() else {
        throw RecordError(.internalError, "the store answered another question than it was asked")
      }
      send(page, to: subscription, then: token)
    } catch {
      return end(subscription, error)
    }
    feed(subscription)
  }

  private func sendInitial(
    to subscription: Subscription, cursor: String?, then token: ChangeToken
  ) throws(RecordError) {
    let shape = subscription.shape
    let query = Query(
      recordType: shape.recordType, zoneName: shape.zoneName, predicate: shape.predicate ?? .everything,
      resultsLimit: Self.changesOfAPage, maximumBytes: 1 << 20, cursor: cursor)
    if let page = try subscription.database.query(query) {
      send(page, to: subscription, then: token)
    } else {
      subscription.state = .awaitingInitial(then: token)
      subscription.database.submit(query, for: subscription)
    }
  }

  private func send(_ page: QueryResult, to subscription: Subscription, then token: ChangeToken) {
    let parts = subscription.shape.initialChanges(page.records)
    let moreComing = page.cursor != nil
    if !parts.isEmpty {
      subscription.push(parts, token: token.text, isInitial: true, moreComing: moreComing)
    } else if !moreComing {
      subscription.pushEnd(token: token.text, isInitial: true)
    }
    subscription.state =
      moreComing ? .sendingInitial(cursor: page.cursor, then: token) : .behind(token)
  }

  private func replay(to subscription: Subscription, after token: ChangeToken) throws(RecordError) {
    let current = try subscription.database.position()
    if token == current.token {
      if subscription.owesMore { subscription.pushEnd(token: token.text) }
      subscription.state = .live(after: current.sequence)
      return
    }
    let page: ChangesPage
    do throws(RecordError) {
      page = try subscription.database.reader.changes(after: token, limit: Self.changesOfAPage)
    } catch  where error.code == .changeTokenExpired {
      subscription.pushResync(token: current.token.text)
      subscription.state = .live(after: current.sequence)
      return
    }
    let after = page.changeSet.changeToken
    let reader = subscription.database.reader
    let parts = try subscription.shape.changes(in: page.changeSet, areOwn: false) { try? reader.resolver }
    if !parts.isEmpty {
      subscription.push(parts, token: after.text, moreComing: page.moreComing)
    } else if !page.moreComing, subscription.owesMore {
      subscription.pushEnd(token: after.text)
    }
    subscription.state = page.moreComing ? .behind(after) : .live(after: current.sequence)
  }

  /// Ends it on the service's part, and says why.
  func end(_ subscription: Subscription, _ error: RecordError) {
    guard subscription.session.removeSubscription(subscription.id) != nil else { return }
    subscription.database.hub.remove(subscription)
    subscription.pushEnded(error)
    logFailure(error, method: "subscribe", caller: subscription.session.caller)
  }
}
