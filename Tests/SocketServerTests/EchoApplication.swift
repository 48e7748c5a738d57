import Files
import Glibc
import JSONRPC
import ServiceFixture
import SocketServer

/// Sends every message back. Messages that contain `later` are answered when the test says so.
final class EchoApplication: SocketApplication {
  var isIdle = true
  var saturatesAt = Int.max
  /// Answers what it withheld whenever a peer has taken what was queued for it.
  var answersWhenDrained = false
  var withheld: [(handler: EchoHandler, message: [UInt8])] = []
  var openHandlers: [EchoHandler] = []
  var drained = 0
  var closed = 0

  func open(_ peer: Peer, outbound: any Outbound) -> any ConnectionHandler {
    let handler = EchoHandler(application: self, outbound: outbound)
    openHandlers.append(handler)
    return handler
  }

  func answerWithheld() {
    let answers = withheld
    withheld = []
    for (handler, message) in answers {
      handler.owed -= 1
      handler.outbound.send(message)
      handler.endIfDone()
    }
  }
}

final class EchoHandler: ConnectionHandler {
  let application: EchoApplication
  let outbound: any Outbound
  var owed = 0
  var isSubscribed = false
  var inputHasEnded = false
  var received = 0

  init(application: EchoApplication, outbound: any Outbound) {
    self.application = application
    self.outbound = outbound
  }

  var hasPendingWork: Bool { owed > 0 }
  var acceptsInput: Bool { owed < application.saturatesAt }

  func receive(_ event: MessageFramer.Event, descriptor: OwnedDescriptor?) {
    guard case .message(let message) = event else {
      outbound.send(Array("{\"fault\":\"\(event)\"}".utf8))
      return
    }
    received += 1
    guard descriptor == nil else {
      outbound.send(message, with: descriptor)
      return
    }
    let text = String(decoding: message.prefix(200), as: UTF8.self)
    if text.contains("subscribe") { isSubscribed = true }
    if text.contains("later") {
      owed += 1
      application.withheld.append((self, message))
    } else {
      outbound.send(message)
    }
  }

  func inputDidEnd() {
    inputHasEnded = true
    endIfDone()
  }

  func endIfDone() {
    if inputHasEnded, owed == 0, !isSubscribed { outbound.end(reason: "done") }
  }

  func outboundDidDrain() {
    application.drained += 1
    if application.answersWhenDrained { application.answerWithheld() }
  }

  func close() {
    application.closed += 1
    application.openHandlers.removeAll { $0 === self }
  }
}

/// An echo server on a thread and a socket of its own, gone when the value goes.
final class EchoServer: Sendable {
  let folder: TemporaryFolder
  let server: Server<EchoApplication>
  let socket: OwnedSocket
  private let thread: pthread_t
  var path: String { socket.path }

  init(
    limits: ConnectionLimits = ConnectionLimits(),
    set: @escaping @Sendable (EchoApplication) -> Void = { _ in }
  )
    throws
  {
    folder = try TemporaryFolder()
    socket = try OwnedSocket(at: "\(folder.path)/socket")
    let loop = try EventLoop()
    server = Server(loop: loop, limits: limits, journal: Journal(identifier: "echo"))
    let listener = socket.listener
    server.assumeIsolated { server in
      let application = EchoApplication()
      set(application)
      server.start(application, on: [listener])
    }
    let argument = Unmanaged.passRetained(loop).toOpaque()
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, argument)
    self.thread = thread
  }

  deinit {
    server.loop.stop()
    pthread_join(thread, nil)
    socket.removeName()
    socket.release()
  }

  func connect() throws -> LineConnection { try LineConnection(to: path) }

  /// What `body` says on the loop's thread.
  func ask<Answer: Sendable>(_ body: @escaping @Sendable (EchoApplication) -> Answer) async -> Answer {
    await withCheckedContinuation { continuation in
      server.perform { continuation.resume(returning: body($0)) }
    }
  }

  /// Returns once `condition` holds on the loop's thread, looking anew in every turn.
  func waitUntil(_ condition: @escaping @Sendable (EchoApplication) -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while await !ask(condition) {
      guard ContinuousClock.now < deadline else { throw FixtureError("it did not happen within 20 s") }
    }
  }
}
