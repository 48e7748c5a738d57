import CLinux
import Files
import Glibc
import JSONRPC
import Synchronization

/// The machinery of a connection: calls go in from any thread, one thread of its own reads the socket
/// and sends what could not be sent at once.
final class Channel: Sendable {
  typealias Completion = @Sendable (Result<JSON, ClientError>) -> Void

  let options: Connection.Options
  private let descriptor: Int32
  /// Wakes the thread from poll(2).
  private let wake: Int32
  private let state = Mutex(State())

  private struct State {
    var isOpen = true
    var isClosing = false
    var nextID: Int64 = 1
    /// The newest call that was answered: the service answers in the order in which it was asked.
    var lastAnswered: Int64 = 0
    var pending: [RequestID: Pending] = [:]
    /// What could not be sent at once.
    var outbox = Outbox()
    /// Calls that wait until less is queued.
    var waiting: [CheckedContinuation<Void, Never>] = []
    var subscriptions: [String: ChangeBuffer] = [:]
  }

  private struct Pending {
    let completion: Completion
    /// Where the descriptor goes that comes with the reply.
    let passed: PassedDescriptor?
  }

  /// Takes over the descriptor, also when it throws.
  init(descriptor: Int32, options: Connection.Options) throws(ClientError) {
    self.descriptor = descriptor
    self.options = options
    wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard wake >= 0, clinux_set_nonblocking(descriptor, 1) == 0 else {
      let reason = String(cString: strerror(errno))
      Glibc.close(descriptor)
      if wake >= 0 { Glibc.close(wake) }
      throw .unreachable(
        .init(path: nil, reason: "can't set up the connection: \(reason)", advice: "Close other files"))
    }
  }

  /// Starts the thread, which keeps the channel alive until it is closed.
  func start() throws(ClientError) {
    let unmanaged = Unmanaged.passRetained(self)
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Channel>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, unmanaged.toOpaque())
    guard result == 0 else {
      unmanaged.release()
      Glibc.close(descriptor)
      Glibc.close(wake)
      throw .unreachable(
        .init(path: nil, reason: "can't start a thread", advice: "Raise the limit of processes (ulimit -u)"))
    }
    pthread_detach(thread)
  }

  func close() {
    state.withLock { state in
      guard state.isOpen, !state.isClosing else { return }
      state.isClosing = true
      // Under the lock: the thread closes the descriptor under it when it ends.
      eventfd_write(wake, 1)
    }
  }

  // MARK: Calls

  /// - Parameters:
  ///   - descriptor: Is passed with the request.
  ///   - passed: Gets what comes with the reply, before that is given back.
  func call(
    _ method: String, params: JSON?, with descriptor: OwnedDescriptor? = nil, passed: PassedDescriptor? = nil
  ) async -> Result<JSON, ClientError> {
    await waitForRoom()
    let call = PendingCall()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        call.wait(continuation)
        let id = send(method, params: params, with: descriptor, passed: passed) { call.finish($0) }
        call.onCancel { [self] in forget(id) }
      }
    } onCancel: {
      call.cancel()
    }
  }

  /// Sends a request at once or puts it behind those that wait to be sent. `completion` is called
  /// exactly once unless the call is forgotten: on the channel's thread, or here when it is closed.
  @discardableResult
  func send(
    _ method: String, params: JSON?, with descriptor: OwnedDescriptor? = nil, passed: PassedDescriptor? = nil,
    completion: @escaping Completion
  ) -> RequestID {
    let (id, isOpen): (RequestID, Bool) = state.withLock { state in
      let id = RequestID(state.nextID)
      state.nextID += 1
      guard state.isOpen, !state.isClosing else { return (id, false) }
      state.pending[id] = Pending(completion: completion, passed: passed)
      enqueue(Reply.request(id: id, method: method, params: params.map(Self.oneLine)), descriptor, &state)
      return (id, true)
    }
    if !isOpen { completion(.failure(.connectionLost(reason: "it is closed"))) }
    return id
  }

  /// The text on one line, as every message is. Line ends stand only between JSON's tokens: inside a string
  /// they are escaped.
  private static func oneLine(_ params: JSON) -> [UInt8] {
    params.bytes.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
  }

  private func forget(_ id: RequestID) {
    state.withLock { _ = $0.pending.removeValue(forKey: id) }
  }

  private func waitForRoom() async {
    while state.withLock({ $0.isOpen && $0.outbox.count > options.maximumQueuedBytes }) {
      await withCheckedContinuation { continuation in
        let mustWait = state.withLock { state in
          guard state.isOpen, state.outbox.count > options.maximumQueuedBytes else { return false }
          state.waiting.append(continuation)
          return true
        }
        if !mustWait { continuation.resume() }
      }
    }
  }

  // MARK: Subscriptions

  /// Routes the pushes of a subscription; called on the channel's thread when its reply is there, so
  /// that no push can come before.
  func route(_ subscriptionID: String, to buffer: ChangeBuffer) {
    state.withLock { $0.subscriptions[subscriptionID] = buffer }
  }

  /// Stops routing and tells the service, whose answer nobody waits for.
  func unsubscribe(_ subscriptionID: String) {
    let wasKnown = state.withLock { $0.subscriptions.removeValue(forKey: subscriptionID) != nil }
    guard wasKnown else { return }
    send("unsubscribe", params: JSONNode.object([("subscriptionID", .string(subscriptionID))]).json) { _ in }
  }

  // MARK: The thread

  /// Appends and sends what the socket takes without waiting; the thread sends the rest.
  private func enqueue(_ message: [UInt8], _ passed: OwnedDescriptor?, _ state: inout State) {
    let wasEmpty = state.outbox.isEmpty
    state.outbox.append(with: passed) { Framing.stream.frame(message, into: &$0) }
    guard wasEmpty else { return }
    state.outbox.send(to: descriptor)
    if !state.outbox.isEmpty { eventfd_write(wake, 1) }
  }

  private func run() {
    var lines = LineSplitter(limit: options.maximumMessageBytes)
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    defer { room.deallocate() }
    var reason: String?
    while reason == nil {
      let (mustSend, isClosing) = state.withLock { (!$0.outbox.isEmpty, $0.isClosing) }
      if isClosing {
        reason = "it was closed by this program"
        break
      }
      var polls = [
        pollfd(fd: descriptor, events: Int16(mustSend ? POLLIN | POLLOUT : POLLIN), revents: 0),
        pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&polls, 2, -1) >= 0 || errno == EINTR else {
        reason = String(cString: strerror(errno))
        break
      }
      if polls[1].revents != 0 {
        var value: eventfd_t = 0
        eventfd_read(wake, &value)
      }
      if polls[0].revents & Int16(POLLOUT) != 0 { sendQueued() }
      if polls[0].revents & ~Int16(POLLOUT) != 0 { reason = receive(into: room, &lines) }
    }
    end(reason ?? "")
  }

  private func sendQueued() {
    let resumed = state.withLock { state in
      state.outbox.send(to: descriptor)
      guard state.outbox.count <= options.maximumQueuedBytes else {
        return [CheckedContinuation<Void, Never>]()
      }
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in resumed { continuation.resume() }
  }

  /// Reads once and hands on what is complete. Returns why the connection ended, if it did.
  private func receive(into room: UnsafeMutableRawBufferPointer, _ lines: inout LineSplitter) -> String? {
    var number: Int32 = -1
    let count = clinux_receive(descriptor, room.baseAddress, room.count, &number)
    let passed = number < 0 ? nil : OwnedDescriptor(number)
    if count == 0 { return "the service closed it" }
    if count < 0 {
      return errno == EAGAIN || errno == EINTR ? nil : String(cString: strerror(errno))
    }
    lines.append(UnsafeRawBufferPointer(rebasing: room[..<count]), with: passed)
    while let event = lines.next() {
      switch event {
      case .line(let bytes): handle(bytes, lines.takeDescriptor())
      case .tooLarge(let beginning):
        _ = lines.takeDescriptor()
        handleTooLarge(beginning)
      }
    }
    return nil
  }

  private func end(_ reason: String) {
    let (pending, waiting, subscriptions) = state.withLock { state in
      defer {
        state.isOpen = false
        state.pending = [:]
        state.waiting = []
        state.subscriptions = [:]
        state.outbox = Outbox()
        // Under the lock: `enqueue` and `close` use them under it, and only while the channel is open.
        Glibc.close(descriptor)
        Glibc.close(wake)
      }
      return (state.pending, state.waiting, state.subscriptions)
    }
    for continuation in waiting { continuation.resume() }
    for call in pending.values { call.completion(.failure(.connectionLost(reason: reason))) }
    for buffer in subscriptions.values { buffer.end(.connectionLost(reason: reason)) }
  }
}

// MARK: - Messages

extension Channel {
  /// A push holds a record one level deeper than the request that saved it.
  private static let maximumDepth = JSON.maximumDepth + 16

  fileprivate func handle(_ bytes: [UInt8], _ descriptor: OwnedDescriptor?) {
    switch ServerMessage(message: bytes, maximumDepth: Self.maximumDepth) {
    case .reply(let id, let result): complete(id, result, descriptor)
    case .notification(let method, let params): notify(method, params)
    case .batch: options.log("ignored a batch of replies that nobody asked for")
    case .malformed(let reason): options.log("ignored a message that is no reply: \(reason)")
    }
  }

  private func complete(_ id: RequestID, _ result: Result<JSON, RPCError>, _ descriptor: OwnedDescriptor?) {
    var isError = false
    if case .failure = result { isError = true }
    guard let call = isError && id == .null ? takeOldestPending() : takePending(id) else {
      options.log("ignored a reply with the unknown id \(id)")
      return
    }
    if let descriptor { call.passed?.put(descriptor) }
    switch result {
    case .success(let value): call.completion(.success(value))
    case .failure(let error):
      call.completion(
        .failure(
          .rejected(
            .init(code: error.code, message: error.message, data: error.data.map { JSON(unchecked: $0) }))))
    }
  }

  private func takePending(_ id: RequestID) -> Pending? {
    state.withLock { state in
      if let number = id.number, number < state.nextID {
        state.lastAnswered = max(state.lastAnswered, number)
      }
      return state.pending.removeValue(forKey: id)
    }
  }

  /// The call that an error without an id is for: the service read none, as of a request that is too
  /// large for it. Nil when that call was forgotten.
  private func takeOldestPending() -> Pending? {
    state.withLock { state in
      guard state.lastAnswered + 1 < state.nextID else { return nil }
      state.lastAnswered += 1
      return state.pending.removeValue(forKey: RequestID(state.lastAnswered))
    }
  }

  private func notify(_ method: String, _ params: JSON?) {
    guard let params, let id = params["subscriptionID"]?.stringValue else {
      options.log("ignored the notification \(method)")
      return
    }
    guard let buffer = state.withLock({ $0.subscriptions[id] }) else {
      options.log("ignored \(method) of the unknown subscription \(id)")
      return
    }
    switch method {
    case "recordsChanged":
      buffer.append(params)
    case "subscriptionEnded":
      state.withLock { _ = $0.subscriptions.removeValue(forKey: id) }
      switch params["reason"]?.stringValue {
      case "fired": buffer.endFired()
      case let reason? where params["error"] == nil: buffer.end(.subscriptionEnded(reason: reason))
      default: buffer.end(.rejected(.init(error: params["error"])))
      }
    default:
      options.log("ignored the notification \(method)")
    }
  }

  /// Fails the call, or the subscription, that a discarded message was for. The service writes the id
  /// before the result.
  private func handleTooLarge(_ beginning: [UInt8]) {
    let limit = options.maximumMessageBytes
    let heading = MessageBeginning(beginning)
    if let call = heading.number(after: "id").flatMap({ takePending(RequestID($0)) }) {
      call.completion(.failure(.replyTooLarge(limit: limit)))
    } else if let id = heading.string(after: "subscriptionID"),
      let buffer = state.withLock({ $0.subscriptions.removeValue(forKey: id) })
    {
      buffer.end(.replyTooLarge(limit: limit))
    } else {
      options.log("discarded a message of more than \(limit) bytes")
    }
  }
}
