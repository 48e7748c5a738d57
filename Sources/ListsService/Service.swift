public import JSONRPC
internal import RecordStore
internal import Records

/// The record service: methods, sessions, subscriptions, stores. Knows no sockets, and runs on no thread of its
/// own (its stores do, and work on files).
///
/// Not `Sendable`: confined to one isolation, its owner's, which also owns every ``Session`` and
/// ``Outbound``. What the stores have to say arrives on their threads as a ``Delivery``; the owner brings
/// it over and calls ``receive(_:)``.
public final class Service {
  let access: AccessPolicy
  let version: String
  let databases: OpenDatabases
  private(set) var limits: ServiceLimits
  /// Milliseconds since 1970 (UTC).
  let clock: @Sendable () -> Int64
  let log: @Sendable (LogEntry) -> Void
  private let deliver: @Sendable (Delivery) -> Void

  private var sessions: [UInt64: Session] = [:]
  private var sessionsByUser: [UInt32: Int] = [:]
  private var lastConnection: UInt64 = 0
  private let workThreads = WorkThreads()
  private var working: [UInt64: PendingCall] = [:]
  private var lastWork: UInt64 = 0
  /// Subscriptions that wait for the next turn, each at most once.
  private var hungry = Queue<Subscription>()
  private var isTurnOrdered = false
  /// What all that are fed before the next `turn` delivery share, so that many at once never hold up
  /// requests for longer than one.
  private(set) var turn = Turn()
  private(set) var isStopping = false

  /// Requests accepted and not yet answered, of all sessions.
  var unanswered = 0
  /// Subscriptions of all sessions.
  var subscriptionCount = 0

  /// `deliver` and `log` are called on any thread.
  public init(
    _ configuration: ServiceConfiguration, deliver: @escaping @Sendable (Delivery) -> Void,
    log: @escaping @Sendable (LogEntry) -> Void
  ) {
    access = configuration.access
    version = configuration.version
    limits = configuration.limits
    clock = configuration.clock
    self.deliver = deliver
    self.log = log
    databases = OpenDatabases(configuration, deliver: deliver, log: log)
  }

  /// Sends the replies and pushes that a delivery brings.
  public func receive(_ delivery: Delivery) {
    switch delivery.content {
    case .group(let group, let id):
      databases.openDatabase(id)?.receive(group, for: self)
    case .work(let id):
      if let call = working.removeValue(forKey: id) { call.session.completeWork(call) }
    case .turn:
      isTurnOrdered = false
      turn = Turn()
      // Who is not done queues again, behind those that had nothing yet.
      for _ in 0..<hungry.count {
        if turn.isOver { break }
        if let subscription = hungry.popFirst() { feed(subscription) }
      }
      if !hungry.isEmpty { orderTurn() }
    }
  }

  /// A new connection of that user. Never fails: a caller who may not come in gets an error reply to the
  /// first request, then `outbound` is ended. ``Session/close()`` must be called when the connection is
  /// gone.
  public func openSession(user userID: UInt32, outbound: any Outbound) -> Session {
    lastConnection += 1
    let caller = Caller(userID: userID, connection: lastConnection)
    let session = Session(
      service: self, caller: caller, outbound: outbound, refusal: refusal(ofConnectionBy: userID))
    sessions[caller.connection] = session
    sessionsByUser[userID, default: 0] += 1
    return session
  }

  private func refusal(ofConnectionBy userID: UInt32) -> RecordError? {
    if let refusal = access.refusal(ofConnectionBy: userID) { return refusal }
    let limit = limits.maximumConnections
    guard sessionsByUser[userID, default: 0] >= limit else { return nil }
    return .limit(
      "maximumConnections", limit, actual: nil, "a user may have \(limit) connections at most")
  }

  func forget(_ session: Session) {
    guard sessions.removeValue(forKey: session.caller.connection) != nil else { return }
    let userID = session.caller.userID
    let left = sessionsByUser[userID, default: 1] - 1
    sessionsByUser[userID] = left == 0 ? nil : left
  }

  /// The subscription gets its next slice after what else there is to do.
  func feedInNextTurn(_ subscription: Subscription) {
    hungry.append(subscription)
    orderTurn()
  }

  private func orderTurn() {
    if isTurnOrdered { return }
    isTurnOrdered = true
    deliver(Delivery(content: .turn))
  }

  /// Has the work of the call done on a thread of its own. False when there is none for it.
  func submit(_ work: Work, for call: PendingCall) -> Bool {
    lastWork += 1
    let (id, perform, deliver) = (lastWork, work.perform, deliver)
    working[id] = call
    let isTaken = workThreads.run(for: call.session.caller.userID) {
      perform()
      deliver(Delivery(content: .work(id)))
    }
    if !isTaken { working[id] = nil }
    return isTaken
  }

  /// Tells whoever runs the service of a failure that is not the client's.
  func logFailure(_ error: RecordError, method: String, caller: Caller) {
    guard let priority = error.code.logPriority else { return }
    log(
      LogEntry(
        priority, error.message,
        fields: [
          .init("LISTS_METHOD", method.shortened), .init("LISTS_UID", String(caller.userID)),
          .init("LISTS_ERROR", error.code.rawValue),
        ]))
  }
}

// MARK: - What the owner asks and tells

extension Service {
  /// No session has a subscription, and no request is unanswered. Sessions may be open.
  public var isIdle: Bool { subscriptionCount == 0 && unanswered == 0 }

  /// Whether requests are accepted and not yet answered.
  public var hasPendingWork: Bool { unanswered > 0 }

  public var statistics: ServiceStatistics {
    ServiceStatistics(
      sessions: sessions.count, subscriptions: subscriptionCount, records: databases.recordCount,
      unanswered: unanswered)
  }

  /// Limits for what comes in from now on.
  public func reload(_ limits: ServiceLimits) {
    self.limits = limits
  }

  /// From now on new requests are answered `serviceUnavailable`; what was accepted goes on.
  public func beginStopping() {
    isStopping = true
  }

  /// Ends the stores' threads after what they accepted; blocks until then. To be called once nothing is
  /// pending, or nothing will be waited for.
  public func close() {
    workThreads.close()
    databases.close()
  }

  /// Answers true once every open store's writer has turned; on a store's thread, or at once when none is
  /// open.
  public func ping(_ answer: @escaping @Sendable () -> Void) {
    databases.ping(answer)
  }
}

/// Something that a store's thread has for the service: opaque to the owner, who only carries it over.
public struct Delivery: Sendable {
  enum Content: Sendable {
    case group(CommitGroup, from: StoreID)
    /// A thread has done a call's work.
    case work(UInt64)
    /// Work was put off so that others get their turn.
    case turn
  }

  let content: Content
}

extension RecordError {
  static var stopping: RecordError {
    RecordError(.serviceUnavailable, "the service is stopping; connect again", retryAfter: 1)
  }
}
