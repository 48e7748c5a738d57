internal import RecordStore
internal import Records

extension Service {
  /// Reads the next page of the initial records, or sends it once the changes before it are told.
  func sendInitial(_ records: InitialRecords, to subscription: Subscription) throws(RecordError) {
    var records = records
    guard let page = records.page else {
      let request = ReadRequest.query(records.nextPage(for: subscription, limit: Self.changesOfAPage))
      guard let result = try subscription.database.read(request) else {
        subscription.state = .awaitingInitial(records)
        return subscription.database.submit(request, for: subscription)
      }
      try records.take(result)
      return subscription.state = .sendingInitial(records)
    }
    if let token = records.tokenOfChangesBeforePage {
      return try tellChanges(after: token, of: records, to: subscription)
    }
    let parts = subscription.shape.initialParts(page)
    let token = page.changeToken.text
    let marks = Subscription.Marks(isInitial: true, moreComing: page.cursor != nil)
    if !parts.isEmpty {
      subscription.push(parts, token: token, partial: token, marks)
    } else if !marks.moreComing {
      subscription.pushPosition(token, marks)
    }
    records.finishPage()
    subscription.state = page.cursor == nil ? .behind(page.changeToken) : .sendingInitial(records)
  }

  /// Tells what became of the records that were sent until the next page was read, or a part of it.
  private func tellChanges(
    after token: ChangeToken, of records: InitialRecords, to subscription: Subscription
  ) throws(RecordError) {
    guard let (page, followed) = try changes(for: subscription, after: token),
      let matched = try matches(in: page, followed, of: subscription)
    else { return }
    let told = matched.filter { records.includes($0.change) }
    let reached = page.changeSet.changeToken
    subscription.push(
      try parts(of: told, for: subscription, followed), token: reached.text, partial: reached.text,
      Subscription.Marks(isInitial: true, moreComing: true))
    var records = records
    records.known = reached
    subscription.state = .sendingInitial(records)
  }
}
