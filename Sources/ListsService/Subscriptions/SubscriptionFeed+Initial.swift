internal import RecordStore
internal import Records

extension Service {
  /// Reads the next page of the initial records, or sends it once the changes before it are told.
  func sendInitial(_ records: InitialRecords, to subscription: Subscription) throws(RecordError) {
    var records = records
    guard let page = records.page else {
      let request = ReadRequest.query(records.nextPage(for: subscription, limit: Self.changesOfAPage))
      let result: ReadResult?
      do throws(RecordError) {
        result = try subscription.database.read(request)
      } catch {
        return try finish(records, of: subscription, after: error)
      }
      if let result { return try take(.success(result), in: records, by: subscription) }
      subscription.state = .awaitingInitial(records)
      return subscription.database.submit(request, for: subscription)
    }
    if let token = records.tokenOfChangesBeforePage {
      return try tellChanges(after: token, of: records, to: subscription)
    }
    let parts = subscription.shape.initialParts(page.records, page.included)
    let token = page.changeToken.text
    let marks = Subscription.Marks(
      isInitial: true, moreComing: page.cursor != nil, deletedZones: page.deletedZones)
    if !parts.isEmpty {
      subscription.push(parts, token: token, partial: token, marks)
    } else if !marks.moreComing {
      subscription.pushPosition(token, marks)
    }
    records.finishPage()
    subscription.state = page.cursor == nil ? .behind(page.changeToken) : .sendingInitial(records)
  }

  /// Takes over the page that was read, by a reader thread or at once.
  func take(
    _ result: Result<ReadResult, RecordError>, in records: InitialRecords, by subscription: Subscription
  ) throws(RecordError) {
    switch result {
    case .success(.query(let page)):
      var records = records
      records.take(InitialRecords.Page(page))
      subscription.state = .sendingInitial(records)
    case .success: throw .unexpectedAnswer
    case .failure(let error): try finish(records, of: subscription, after: error)
    }
  }

  /// Nothing more is to be sent of a zone that was deleted. Throws what the read failed for, where that is
  /// anything else.
  private func finish(
    _ records: InitialRecords, of subscription: Subscription, after failure: RecordError
  ) throws(RecordError) {
    guard failure.code == .zoneNotFound, let zone = subscription.shape.zoneName else { throw failure }
    var records = records
    // Unless it was made anew meanwhile.
    if (try? subscription.database.reader.checkZone(zone)) == nil {
      let position = try subscription.database.position()
      records.takeEnd(at: position.token, ofZone: subscription.shape.isOfZones ? zone : nil)
    }
    subscription.state = .sendingInitial(records)
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
      Subscription.Marks(
        isInitial: true, moreComing: true,
        deletedZones: subscription.shape.deletedZones(in: page.changeSet)))
    var records = records
    records.known = reached
    subscription.state = .sendingInitial(records)
  }
}
