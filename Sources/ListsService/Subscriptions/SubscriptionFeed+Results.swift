internal import RecordStore
internal import Records

/// What is kept up for subscribers to a result.
extension Service {
  /// Reads the result, at once or on a reader thread.
  func readResult(of subscription: Subscription) throws(RecordError) {
    guard let request = subscription.result?.read else { return }
    let read: ReadResult?
    do throws(RecordError) {
      read = try subscription.database.read(request)
    } catch {
      return try clear(subscription, after: error)
    }
    if let read {
      try adopt(read, by: subscription)
    } else {
      subscription.state = .awaitingResult
      subscription.database.submit(request, for: subscription)
    }
  }

  /// Takes over what a reader thread read.
  func take(_ result: Result<ReadResult, RecordError>, by subscription: Subscription) throws(RecordError) {
    switch result {
    case .success(let read): try adopt(read, by: subscription)
    case .failure(let error): try clear(subscription, after: error)
    }
  }

  private func adopt(_ read: ReadResult, by subscription: Subscription) throws(RecordError) {
    guard let result = subscription.result, let token = read.changeToken else { throw .unexpectedAnswer }
    let reader = subscription.database.reader
    // The snapshot may be ahead of the one that a reader thread read.
    let records: any RecordSnapshot =
      if let past = try? reader.pastRecords(at: token.commit) { past } else { try reader.resolver }
    let step = try result.adopt(read, records)
    try push(step, to: subscription, token: token, records, isInitial: !subscription.hasBegun)
    subscription.state = .behind(token)
  }

  /// Moves a subscription's result on, or has it read anew when it is fed next. Where it throws, nothing was
  /// told and the result is as it was.
  func advance(
    _ subscription: Subscription, by matched: [MatchedChange], isWhole: Bool, to token: ChangeToken,
    followed: FollowedChanges
  ) throws(RecordError) {
    guard let result = subscription.result else { return }
    let records = try followed.after()
    let step = try result.advance(by: matched, isWhole: isWhole, records) { () throws(RecordError) in
      try followed.check()
    }
    guard let step else { return subscription.state = .readingResult }
    do throws(RecordError) {
      try push(step, to: subscription, token: token, records, isInitial: false)
    } catch {
      // The result has moved on, so that what is not told now never would be.
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
    let records = try database.reader.resolver
    let step = result.clear(records)
    try push(step, to: subscription, token: position.token, records, isInitial: !subscription.hasBegun)
    subscription.state = .behind(position.token)
  }

  private func push(
    _ step: LiveStep, to subscription: Subscription, token: ChangeToken, _ records: any RecordResolver,
    isInitial: Bool
  ) throws(RecordError) {
    let parts = try subscription.shape.parts(of: step.changes, records, isOwn: subscription.isOwn)
    // What could not be read counted as not being there.
    try (records as? PastRecords)?.check()
    let marks = Subscription.Marks(isInitial: isInitial, count: step.count)
    if !parts.isEmpty || step.count != nil {
      subscription.push(parts, token: token.text, partial: token.text, marks)
    } else if isInitial {
      subscription.pushPosition(token.text, marks)
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
