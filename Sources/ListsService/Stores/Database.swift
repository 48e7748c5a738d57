internal import RecordStore
internal import Records

/// An open store with what the service keeps beside it: the snapshot that it reads from, the calls that wait
/// for the store's threads, and the subscriptions.
final class Database {
  let id: StoreID
  let store: RecordStore
  /// Renewed with every group that the store delivers, so never behind what a client was told.
  let reader: Reader
  let hub: SubscriptionHub
  /// Of the users' saved subscriptions.
  var attached = AttachedSubscriptions()
  private(set) var origins = RecentOrigins()
  /// Records that a read may look at while others wait, and how long it may take for it.
  private static let rowsAtOnce = 2000
  private static let nanosecondsAtOnce: UInt64 = 10_000_000
  private var pending: [Ticket: Pending] = [:]
  /// Kept for others who go on from the same position, until the snapshot is renewed.
  private var lastChanges: ChangesRead?

  private struct ChangesRead {
    let token: ChangeToken
    let limit: Int
    let isStepwise: Bool
    let page: ChangesPage
    let followed: FollowedChanges
  }

  private enum Pending {
    case call(PendingCall)
    case records(Subscription)
  }

  /// `clock`: milliseconds since 1970 (UTC).
  init(id: StoreID, store: RecordStore, clock: @escaping @Sendable () -> Int64) throws(RecordError) {
    self.id = id
    self.store = store
    reader = store.makeReader()
    hub = SubscriptionHub(
      position: Position(sequence: try reader.sequence, token: try reader.changeToken), clock: clock)
  }

  /// Of the snapshot that is read from.
  func position() throws(RecordError) -> Position {
    Position(sequence: try reader.sequence, token: try reader.changeToken)
  }

  /// Nil when it would take too long here: then it is to be submitted.
  func query(_ query: Query) throws(RecordError) -> QueryResult? {
    try reader.query(query, budget: Self.rowsAtOnce, nanoseconds: Self.nanosecondsAtOnce)
  }

  /// Nil when it would take too long here: then it is to be submitted.
  func count(_ query: Query) throws(RecordError) -> CountResult? {
    try reader.count(query, budget: Self.rowsAtOnce, nanoseconds: Self.nanosecondsAtOnce)
  }

  /// All record types, or the one of that name. Throws `unknownItem` when there is none.
  func schema(ofType name: String?) throws(RecordError) -> SchemaDescription {
    try reader.schema(ofType: name)
  }

  /// Nil when it would take too long here: then it is to be submitted.
  func distinct(_ request: DistinctQuery) throws(RecordError) -> DistinctResult? {
    try reader.distinct(request, budget: Self.rowsAtOnce, nanoseconds: Self.nanosecondsAtOnce)
  }

  /// Nil when it would take too long here: then it is to be submitted.
  func aggregate(_ request: AggregateQuery) throws(RecordError) -> AggregateResult? {
    try reader.aggregate(request, budget: Self.rowsAtOnce, nanoseconds: Self.nanosecondsAtOnce)
  }

  /// Nil when it would take too long here: then it is to be submitted.
  func changes(_ query: ChangesQuery) throws(RecordError) -> ChangesResult? {
    try reader.changes(query, nanoseconds: Self.nanosecondsAtOnce)
  }

  /// Nil when it would take too long here: then it is to be submitted.
  func read(_ request: ReadRequest) throws(RecordError) -> ReadResult? {
    switch request {
    case .query(let query): try self.query(query).map { .query($0) }
    case .count(let query): try count(query).map { .count($0) }
    case .distinct(let request): try distinct(request).map { .distinct($0) }
    case .aggregate(let request): try aggregate(request).map { .aggregate($0) }
    case .changes(let query): try changes(query).map { .changes($0) }
    }
  }

  /// Rows of the log of changes that a page may go through while others wait.
  private static let logRowsAtOnce = 4000
  /// The same where each row's record is looked at as it was then, with what it refers to.
  private static let logRowsAtOnceByStep = 500

  /// A page of what changed after the token, and how filters that follow references see it.
  func changes(
    after token: ChangeToken, limit: Int, following: FollowedPaths?
  ) throws(RecordError) -> (ChangesPage, FollowedChanges) {
    let isStepwise = following != nil
    if let last = lastChanges, last.token == token, last.limit == limit, last.isStepwise == isStepwise {
      return (last.page, last.followed)
    }
    let page = try reader.changes(
      after: token, limit: limit, maximumBytes: 8 << 20,
      maximumRows: isStepwise ? Self.logRowsAtOnceByStep : Self.logRowsAtOnce,
      isStepwise: isStepwise)
    let followed = FollowedChanges(page.changeSet, in: reader)
    lastChanges = ChangesRead(
      token: token, limit: limit, isStepwise: isStepwise, page: page, followed: followed)
    return (page, followed)
  }

  var recordCount: Int { (try? reader.statistics().records) ?? 0 }

  /// Of the snapshot that is read from.
  func statistics() throws(RecordError) -> StoreStatistics { try reader.statistics() }

  func submit(_ write: WriteRequest, for call: PendingCall) {
    pending[store.submit(write)] = .call(call)
  }

  func submit(_ read: ReadRequest, for call: PendingCall) {
    pending[store.submit(read)] = .call(call)
  }

  /// What a subscription has to get and would take too long here.
  func submit(_ read: ReadRequest, for subscription: Subscription) {
    pending[store.submit(read)] = .records(subscription)
  }

  /// Replies first, in the order of the commits, then the pushes of the same commits.
  func receive(_ group: CommitGroup, for service: Service) {
    lastChanges = nil
    reader.renew()
    if group.isOfOtherRecords { startOver(for: service) }
    for answer in group.answers {
      switch pending.removeValue(forKey: answer.ticket) {
      case .call(let call): call.session.complete(call, with: answer.outcome)
      case .records(let subscription): service.feed(subscription, with: answer.outcome)
      case nil: break
      }
    }
    for changeSet in group.changeSets {
      if let origin = changeSet.origin {
        origins.note(origin.connection, ofCommit: changeSet.sequence)
      }
    }
    for changeSet in group.changeSets { hub.publish(changeSet, reader: reader) }
  }

  /// The store has other records now, at other positions.
  private func startOver(for service: Service) {
    origins = RecentOrigins()
    if let position = try? position() { hub.startOver(at: position) }
    for subscription in hub.subscriptions { service.startOver(subscription) }
  }

  /// Its store is closed for good.
  func abandon(_ ending: SubscriptionEnding, _ error: RecordError, for service: Service) {
    for subscription in hub.subscriptions { service.end(subscription, ending) }
    let waiting = pending.values
    pending = [:]
    for case .call(let call) in waiting { call.session.complete(call, with: call.outcome(of: error)) }
  }
}
