public import Files
public import JSONRPC
internal import RecordStore
internal import Records

/// One client's conversation with the service.
///
/// Confined to the isolation that owns the service. Requests take effect in the order received and are
/// answered in that order: writes go to the writer at once, a read waits for the writes before it, a long
/// read holds up what follows. Every request gets exactly one reply, a batch one list of them.
public final class Session {
  let service: Service
  let caller: Caller
  let outbound: any Outbound
  /// Why this caller may not come in; nil for those who may.
  private let refusal: RecordError?

  /// By subscriptionID.
  var subscriptions: [String: Subscription] = [:]
  var lastSubscriptionNumber = 0
  /// Subscriptions that wait for the peer to read.
  var behind: [Subscription] = []

  /// Messages that are not answered in full, in the order received.
  private var exchanges = Queue<Exchange>()
  /// Calls that wait for those before them.
  private var waiting = Queue<WaitingCall>()
  var writesUnderWay = 0
  /// A long read, or work on a thread of its own, which hold up what follows.
  var isHeldUp = false
  /// Of calls that wait.
  private var waitingDescriptors = 0
  private var unanswered = 0
  private var heldBytes = 0
  private var isPaused = false
  private var inputHasEnded = false
  private(set) var isClosed = false
  /// The caller's own database in the default container, once it was used.
  var ownDatabase: Database?

  /// Called when `acceptsInput` becomes true again.
  public var inputDidResume: (() -> Void)?

  private struct WaitingCall {
    let call: Call
    let exchange: Exchange
    let index: Int
    let descriptor: OwnedDescriptor?
  }

  init(service: Service, caller: Caller, outbound: any Outbound, refusal: RecordError?) {
    self.service = service
    self.caller = caller
    self.outbound = outbound
    self.refusal = refusal
  }

  /// False while the peer should not be read from: too much of what it sent is unanswered, or it doesn't
  /// read its answers.
  public var acceptsInput: Bool { !isPaused && !isClosed }

  /// Whether requests are unanswered.
  public var hasPendingWork: Bool { unanswered > 0 }

  // MARK: What the connection tells

  /// What came in, and what came with it.
  public func receive(_ event: MessageFramer.Event, descriptor: OwnedDescriptor? = nil) {
    switch event {
    case .message(let bytes):
      receive(message: bytes, descriptor: descriptor)
    case .malformed(let reason):
      accept([.invalid(.null, .parseError(reason))], isBatch: false, messageBytes: 0)
    case .tooLarge(let limit):
      let error = RecordError.limit(
        "maximumMessageBytes", limit, actual: nil, "a message may have \(limit) bytes at most")
      accept([.invalid(.null, RPCError(error))], isBatch: false, messageBytes: 0)
    case .unrecoverable(let reason):
      accept([.invalid(.null, .parseError(reason))], isBatch: false, messageBytes: 0)
      removeAllSubscriptions()
      finishInput()
    }
  }

  /// One whole message. A batch takes no descriptor.
  public func receive(message: [UInt8], descriptor: OwnedDescriptor? = nil) {
    let limit = service.limits.maximumBatchCalls
    let incoming = Incoming(
      message: message, maximumDepth: service.limits.maximumDepth, maximumBatchCalls: limit)
    switch incoming {
    case .call(let call):
      accept([call], isBatch: false, messageBytes: message.count, descriptor: descriptor)
    case .batch(let calls):
      accept(calls, isBatch: true, messageBytes: message.count)
    case .batchTooLong(let count):
      let error = RecordError.limit(
        "maximumBatchCalls", limit, actual: count, "a batch may hold \(limit) calls at most")
      accept([.invalid(.null, RPCError(error))], isBatch: false, messageBytes: 0)
    }
  }

  /// The peer sends no more. What it sent is answered, its subscriptions go on; then the connection ends.
  public func finishInput() {
    inputHasEnded = true
    endIfFinished()
  }

  /// The peer took what was queued for it.
  public func outboundDidDrain() {
    guard !isClosed, isPaused || !behind.isEmpty || !waiting.isEmpty else { return }
    let subscriptions = behind
    behind = []
    for subscription in subscriptions { service.feed(subscription) }
    advance()
  }

  /// The connection is gone. What was accepted still takes effect; nobody hears of it.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    removeAllSubscriptions()
    while let call = waiting.popFirst() { settle(call.exchange, call.index, nil) }
    service.forget(self)
  }

  // MARK: Calls

  private func accept(
    _ calls: [Call], isBatch: Bool, messageBytes: Int, descriptor: OwnedDescriptor? = nil
  ) {
    guard !isClosed else { return }
    if let refusal { return refuse(calls, refusal) }
    let canStart = exchanges.isEmpty && hasRoom
    if !isBatch, canStart {
      return answerAtOnce(calls[0], messageBytes: messageBytes, descriptor: descriptor)
    }
    let exchange = Exchange(calls: calls.count, isBatch: isBatch, messageBytes: messageBytes)
    exchanges.append(exchange)
    count(calls.count)
    heldBytes += messageBytes
    for (index, call) in calls.enumerated() {
      waiting.append(WaitingCall(call: call, exchange: exchange, index: index, descriptor: descriptor))
    }
    if descriptor != nil { waitingDescriptors += 1 }
    advance()
  }

  /// The usual road: nothing is under way before the call, and mostly nothing has to be kept.
  private func answerAtOnce(_ call: Call, messageBytes: Int, descriptor: OwnedDescriptor?) {
    switch perform(call, with: descriptor) {
    case .answered(let reply, let subscription, let descriptor):
      if let reply { outbound.send(reply, with: descriptor) }
      if let subscription { service.feed(subscription) }
    case .underWay(let start):
      let exchange = Exchange(calls: 1, isBatch: false, messageBytes: messageBytes)
      exchanges.append(exchange)
      count(1)
      heldBytes += messageBytes
      start(exchange, 0)
      updateFlow()
    }
  }

  /// Starts what waits, as far as order allows.
  func advance() {
    while let next = waiting.first, mayStart(next.call) {
      _ = waiting.popFirst()
      if next.descriptor != nil { waitingDescriptors -= 1 }
      switch next.exchange.replyBytes > service.limits.maximumReplyBytes
        ? refuseForLength(next.call) : perform(next.call, with: next.descriptor)
      {
      case .answered(let reply, let subscription, let descriptor):
        if let subscription { next.exchange.subscriptions.append(subscription) }
        settle(next.exchange, next.index, reply, with: descriptor)
      case .underWay(let start):
        start(next.exchange, next.index)
      }
    }
    updateFlow()
    endIfFinished()
  }

  private func mayStart(_ call: Call) -> Bool {
    guard !isHeldUp, hasRoom else { return false }
    guard case .request(let request) = call, let method = MethodTable.method(named: request.method) else {
      return true
    }
    return method.kind != .read || writesUnderWay == 0
  }

  private func refuse(_ calls: [Call], _ refusal: RecordError) {
    guard !inputHasEnded else { return }
    var id: RequestID? = .null
    if case .request(let request) = calls[0] { id = request.id }
    if let id { outbound.send(Reply.error(id: id, RPCError(refusal))) }
    inputHasEnded = true
    outbound.end(reason: refusal.message)
  }

  // MARK: Outcomes

  func settle(
    _ exchange: Exchange, _ index: Int, _ reply: [UInt8]?, with descriptor: OwnedDescriptor? = nil
  ) {
    exchange.settle(index, reply)
    exchange.descriptor = descriptor
    count(-1)
    while let first = exchanges.first, first.outstanding == 0 {
      _ = exchanges.popFirst()
      heldBytes -= first.messageBytes
      if isClosed { continue }
      let answers = first.answers
      if !first.isBatch {
        if let answer = answers.first { outbound.send(answer, with: first.descriptor) }
      } else if let batch = Reply.batch(answers) {
        outbound.send(batch)
      }
      for subscription in first.subscriptions { service.feed(subscription) }
    }
  }

  private func count(_ difference: Int) {
    unanswered += difference
    service.unanswered += difference
  }

  private func updateFlow() {
    let limits = service.limits
    let isFull =
      unanswered >= limits.maximumRequestsInFlight || heldBytes > limits.maximumMessageBytes
      || !hasRoom || waitingDescriptors > 0
    guard isFull != isPaused else { return }
    isPaused = isFull
    if !isFull, !isClosed { inputDidResume?() }
  }

  private func endIfFinished() {
    if inputHasEnded, unanswered == 0, subscriptions.isEmpty, !isClosed {
      outbound.end(reason: "the client has finished")
    }
  }
}
