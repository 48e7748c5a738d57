import Glibc
import JSONRPC
import Synchronization

/// The changes of one subscription, in the order of their commits; for one task at a time.
///
/// What is taken from the stream too slowly is not lost: beyond its bounds pushes are dropped, and read
/// again from the service's log of changes afterwards. The stream ends the subscription when it goes.
/// After an interruption in the middle of a divided commit its parts may come again. So may, of a saved
/// subscription, what was not acknowledged.
public final class ChangeStream: AsyncSequence, Sendable {
  public typealias Element = ChangeEvent
  public typealias Failure = ClientError

  private let request: SubscriptionRequest
  /// The connection that is shared with others, kept open for as long as the stream is.
  private let connection: Connection?
  /// Opens another connection; nil when the stream ends with the one it has.
  private let reconnect: (@Sendable () throws(ClientError) -> Channel)?
  /// How long to go on trying; nil: for ever.
  private let patience: Duration?
  private let state: Mutex<State>

  private struct State {
    var channel: Channel
    var buffer: ChangeBuffer
    var subscriptionID: String?
    /// Where to go on from: the last token whose changes were all taken; nil while the initial records
    /// are not all taken.
    var token: String?
    var isFinished = false
    /// The subscription that is pushed now asked for the records that there are.
    var asksForInitial = false
    /// More of the initial records, or of what becomes of them meanwhile, is to come.
    var isWithinInitial = false
    /// The reader holds records since the last reset.
    var holdsRecords = false
    /// A change was told, after which a subscription that fires once has nothing to say.
    var hasFired = false
    /// Events that are to come before the buffer's.
    var queued: [ChangeEvent] = []
  }

  init(
    request: SubscriptionRequest, channel: Channel, connection: Connection? = nil,
    reconnect: (@Sendable () throws(ClientError) -> Channel)?, patience: Duration? = nil
  ) {
    self.request = request
    self.connection = connection
    self.reconnect = reconnect
    self.patience = patience
    state = Mutex(State(channel: channel, buffer: Self.makeBuffer(request), token: request.since))
  }

  deinit {
    let (channel, id) = state.withLock { ($0.channel, $0.subscriptionID) }
    if reconnect != nil { channel.close() } else if let id { channel.unsubscribe(id) }
  }

  /// The token to give as `since` to a later stream that goes on where this one is.
  public var changeToken: String? { state.withLock { $0.token } }

  public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let stream: ChangeStream

    /// The next event; nil after the stream has thrown or its task was cancelled.
    public mutating func next() async throws(ClientError) -> ChangeEvent? {
      try await stream.next()
    }

    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(ClientError) -> ChangeEvent? {
      try await stream.next()
    }
  }

  private static func makeBuffer(_ request: SubscriptionRequest) -> ChangeBuffer {
    ChangeBuffer(maximumPushes: request.maximumBufferedPushes, maximumBytes: request.maximumBufferedBytes)
  }

  /// Tells the service that everything up to a push of a saved subscription was taken in: after an interruption
  /// it goes on behind it. Where the connection is lost meanwhile and opened again, the push comes again.
  public func acknowledge(_ batch: ChangeBatch) async throws(ClientError) {
    guard let id = request.subscriptionID, batch.isPosition, !batch.isContinued else { return }
    let channel = state.withLock { $0.channel }
    let params: [(String, JSONNode)] = [
      ("subscriptionID", .string(id)), ("changeToken", .string(batch.changeToken)),
    ]
    let result = await channel.call(
      "acknowledgeChanges", params: JSONNode.object(params + request.place).json)
    if reconnect != nil, case .failure(.connectionLost) = result { return }
    _ = try result.get()
  }

  // MARK: Subscribing

  func start() async throws(ClientError) {
    // A service that is just ending may take a connection and never answer.
    try await recovering { () async throws(ClientError) in
      if request.since != nil, request.sendsInitial { return try await resume() }
      try await subscribe(since: request.since, initial: request.sendsInitial)
    }
  }

  /// Runs a step, and goes on over another connection where that is lost meanwhile.
  private func recovering(_ step: () async throws(ClientError) -> Void) async throws(ClientError) {
    do throws(ClientError) {
      try await step()
    } catch {
      try await recover(from: error)
    }
  }

  private func subscribe(since token: String?, initial: Bool) async throws(ClientError) {
    let buffer = Self.makeBuffer(request)
    let channel = state.withLock { state in
      state.buffer = buffer
      state.asksForInitial = initial
      state.isWithinInitial = false
      return state.channel
    }
    let params = request.params(since: token, initial: initial)
    let result: Result<JSON, ClientError> = await withCheckedContinuation { continuation in
      // The routing is set up on the channel's thread, before it looks at the next message.
      channel.send("subscribe", params: params) { result in
        if case .success(let reply) = result, let id = reply["subscriptionID"]?.stringValue {
          channel.route(id, to: buffer)
        }
        continuation.resume(returning: result)
      }
    }
    let reply = try result.get()
    guard let id = reply["subscriptionID"]?.stringValue else {
      throw .malformedReply("subscribe gave no subscriptionID")
    }
    state.withLock { state in
      state.subscriptionID = id
      if !initial, state.token == nil { state.token = reply["changeToken"]?.stringValue }
    }
  }

  /// Subscribes again from where the stream is; from anew when that is no longer kept.
  private func resume() async throws(ClientError) {
    let token = state.withLock { $0.token }
    guard let token, request.goesOnFromTokens else {
      // Where some of the records that there are were taken they come again, all of them.
      return try await subscribe(since: nil, initial: request.sendsInitial)
    }
    do throws(ClientError) {
      try await subscribe(since: token, initial: false)
    } catch {
      guard case .rejected(let failure) = error, failure.isExpiry else { throw error }
      try await beginAnew(from: failure.data?["changeToken"]?.stringValue)
    }
  }

  /// Tells the reader to forget what it holds, and subscribes anew.
  private func beginAnew(from fresh: String?) async throws(ClientError) {
    state.withLock { state in
      state.token = request.sendsInitial ? nil : fresh
      state.holdsRecords = false
      state.queued.append(.reset(changeToken: fresh ?? ""))
    }
    try await subscribe(since: request.sendsInitial ? nil : fresh, initial: request.sendsInitial)
  }

  private func endSubscription() {
    let (channel, id) = state.withLock { state in
      defer { state.subscriptionID = nil }
      return (state.channel, state.subscriptionID)
    }
    if let id { channel.unsubscribe(id) }
  }

  // MARK: Reading

  /// The next event; nil after the stream has thrown or its task was cancelled.
  public func next() async throws(ClientError) -> ChangeEvent? {
    while true {
      let (queued, buffer, isFinished) = state.withLock { state in
        (state.queued.isEmpty ? nil : state.queued.removeFirst(), state.buffer, state.isFinished)
      }
      if let queued { return queued }
      if isFinished { return nil }
      switch await buffer.next() {
      case .push(let params):
        if let event = try await take(params) { return event }
      case .gap:
        endSubscription()
        try await finishing { () async throws(ClientError) in
          try await recovering { () async throws(ClientError) in try await resume() }
        }
      case .cancelled:
        finish()
        return nil
      case .fired:
        state.withLock { $0.isFinished = true }
        return nil
      case .end(let error):
        try await finishing { () async throws(ClientError) in try await recover(from: error) }
      }
    }
  }

  private func take(_ params: JSON) async throws(ClientError) -> ChangeEvent? {
    let batch = ChangeBatch(json: params)
    if params["resync"]?.boolValue == true { return try await takeResync(batch) }
    let hasChanges = params["changes"].map { !$0.elements.isEmpty } ?? false
    return state.withLock { state in
      let beginsAnew = batch.isInitial && !state.isWithinInitial && state.holdsRecords
      if batch.isInitial || state.isWithinInitial {
        // What becomes of them before all are told is a part of the beginning.
        state.isWithinInitial = batch.isContinued || !batch.isInitial
      }
      if state.isWithinInitial {
        state.token = nil
      } else if batch.isPosition {
        state.token = batch.changeToken
      }
      state.holdsRecords = hasChanges || (state.holdsRecords && !beginsAnew)
      if request.firesOnce, hasChanges, !batch.isInitial, !batch.isContinued { state.hasFired = true }
      guard beginsAnew else { return .changes(batch) }
      state.queued.append(.changes(batch))
      return .reset(changeToken: "")
    }
  }

  /// What was missed is no longer kept. The service sends the initial records again by itself, where this
  /// subscription asked for them and did not go on from a token.
  private func takeResync(_ batch: ChangeBatch) async throws(ClientError) -> ChangeEvent? {
    let isAnswered = state.withLock { $0.asksForInitial }
    if request.sendsInitial, request.goesOnFromTokens, !isAnswered {
      endSubscription()
      try await finishing { () async throws(ClientError) in
        try await recovering { () async throws(ClientError) in
          try await beginAnew(from: batch.changeToken)
        }
      }
      return nil
    }
    state.withLock { state in
      state.token = isAnswered ? nil : batch.changeToken
      state.isWithinInitial = false
      state.holdsRecords = false
    }
    return .reset(changeToken: batch.changeToken)
  }

  /// Connects again, waiting longer each time, when the stream may and the connection was lost.
  private func recover(from error: ClientError) async throws(ClientError) {
    guard let reconnect, case .connectionLost = error else { throw error }
    if state.withLock({ $0.hasFired }) { return finish() }
    var delay = Duration.milliseconds(100)
    let deadline = patience.map { ContinuousClock.now + $0 }
    while true {
      do throws(ClientError) {
        let channel = try reconnect()
        state.withLock { state in
          state.channel = channel
          state.subscriptionID = nil
        }
        return try await resume()
      } catch {
        switch error {
        case .unreachable, .connectionLost: break
        case .rejected(let failure) where failure.retryAfter != nil: break
        default: throw error
        }
        if let deadline, ContinuousClock.now >= deadline { throw error }
      }
      // Apart from each other, so that many clients don't all come at once.
      let share = Double.random(in: 0.5...1)
      guard (try? await Task.sleep(for: delay * share)) != nil else { throw .cancelled }
      delay = Swift.min(delay * 2, .seconds(5))
    }
  }

  /// Runs a step after whose failure nothing more comes.
  private func finishing(_ step: () async throws(ClientError) -> Void) async throws(ClientError) {
    do throws(ClientError) {
      try await step()
    } catch {
      finish()
      throw error
    }
  }

  private func finish() {
    endSubscription()
    state.withLock { $0.isFinished = true }
  }
}
