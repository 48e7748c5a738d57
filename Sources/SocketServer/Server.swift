import CLinux
import Glibc

/// Accepts connections on one event loop and owns them, with the application that serves them.
///
/// Its executor is the loop: everything it does runs on the loop's thread, entered with `assumeIsolated`
/// from the loop's callbacks. In every turn it reads what came in, hands over each whole message, and at
/// the end writes each connection's output once.
public actor Server<Application: SocketApplication> {
  public nonisolated let loop: EventLoop
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  let journal: Journal
  private(set) var limits: ConnectionLimits
  public private(set) var application: Application?
  var connections: [UInt64: Connection] = [:]
  let touched = TouchedConnections()
  var listeners: [(listener: Listener, watch: EventLoop.Watch?)] = []
  var idleWatch = IdleWatch()
  var stopping: Stopping?

  private var connectionsOfUser: [UInt32: Int] = [:]
  private var accepted: UInt64 = 0
  private var room: LargeMessageRoom
  private var roomIsWatched = false
  /// Looked at in every turn, because they wait for their handlers.
  private var waiting: [UInt64: Connection] = [:]
  private let readBuffer = ReadBuffer(byteCount: 64 << 10)

  /// Makes a server that accepts nothing yet. On the loop's thread.
  public init(loop: EventLoop, limits: ConnectionLimits = ConnectionLimits(), journal: Journal) {
    self.loop = loop
    self.limits = limits
    self.journal = journal
    room = LargeMessageRoom(capacity: limits.largeMessagesAtATime)
  }

  public var connectionCount: Int { connections.count }

  /// Starts to accept. `application` belongs to the server from here on.
  public func start(_ application: sending Application, on listeners: [Listener]) {
    self.application = application
    self.listeners = listeners.map { ($0, nil) }
    loop.atEndOfEveryTurn { [weak self] in
      self?.assumeIsolated { $0.settleTouched() }
    }
    resumeAccepting()
  }

  /// Runs `work` with the application on the loop's thread. Any thread; in the order called.
  public nonisolated func perform(_ work: @escaping @Sendable (Application) -> Void) {
    loop.perform { [weak self] in
      self?.assumeIsolated { server in
        if let application = server.application { work(application) }
      }
    }
  }

  /// Changes the limits for what comes from now on; the message limit concerns new connections only, and
  /// `largeMessagesAtATime` is fixed at the start.
  public func setLimits(_ limits: ConnectionLimits) {
    self.limits = limits
  }

  // MARK: Accepting

  func resumeAccepting() {
    for index in listeners.indices where listeners[index].watch == nil {
      let descriptor = listeners[index].listener.descriptor
      do throws(SystemError) {
        listeners[index].watch = try loop.watch(descriptor, for: EPOLLIN.rawValue) { [weak self] _ in
          self?.assumeIsolated { _ = $0.accept(on: descriptor) }
        }
      } catch {
        journal.write(.error, "can't listen on \(listeners[index].listener.name): \(error)")
      }
    }
  }

  func pauseAccepting() {
    for index in listeners.indices {
      if let watch = listeners[index].watch { loop.remove(watch) }
      listeners[index].watch = nil
    }
  }

  /// Accepts what is in the queue, up to a bound for the sake of those connected; how many there were.
  func accept(on listener: Int32) -> Int {
    for count in 0..<64 {
      let descriptor = clinux_accept(listener)
      if descriptor >= 0 {
        admit(descriptor)
        continue
      }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EAGAIN: return count
      default:
        // Out of descriptors or memory: the queue keeps them until some are free again.
        journal.write(.warning, "can't accept a connection: \(SystemError("accept"))")
        pauseAccepting()
        loop.schedule(after: .milliseconds(200)) { [weak self] in
          self?.assumeIsolated { if $0.stopping == nil { $0.resumeAccepting() } }
        }
        return count
      }
    }
    return 64
  }

  private func admit(_ descriptor: Int32) {
    guard let application, let peer = try? Peer(of: descriptor) else {
      close(descriptor)
      return
    }
    let count = connectionsOfUser[peer.userID, default: 0]
    // One too many may hear why, which costs a descriptor until then, so that these are limited too.
    let isTooMany = count >= limits.connectionsPerUser
    if count >= limits.connectionsPerUser + 32 {
      close(descriptor)
      return
    }
    connectionsOfUser[peer.userID] = count + 1
    accepted += 1
    let connection = Connection(
      number: accepted, descriptor: descriptor, peer: peer, limits: limits, touched: touched)
    connections[accepted] = connection
    connection.handler = application.open(peer, outbound: connection)
    if isTooMany { endSoon(connection) }
    // The first request is usually there already: this saves waiting for it.
    connection.receive(EPOLLIN.rawValue, using: readBuffer.bytes)
  }

  // MARK: Turns

  func receiveLast(on connection: Connection) {
    connection.receiveLast(using: readBuffer.bytes)
  }

  private func ready(_ number: UInt64, _ events: UInt32) {
    connections[number]?.receive(events, using: readBuffer.bytes)
  }

  private func settleTouched() {
    for connection in waiting.values { touched.insert(connection) }
    if touched.isEmpty { return }
    touched.drain { settle($0) }
    // What settling brought about is for the next turn, which must not wait for an event.
    if !touched.isEmpty { loop.perform {} }
    finishStoppingIfDone()
  }

  private func settle(_ connection: Connection) {
    connection.settle()
    if connection.isFinished {
      remove(connection)
      return
    }
    manageRoom(for: connection)
    updateInterest(of: connection)
    if connection.awaitsHandler != connection.isWaiting {
      connection.isWaiting.toggle()
      waiting[connection.number] = connection.isWaiting ? connection : nil
    }
    if connection.isEnding && !connection.endIsTimed { endSoon(connection) }
  }

  private func updateInterest(of connection: Connection) {
    let next = connection.nextInterest
    if next == connection.interest { return }
    switch (connection.watch, next) {
    case (let watch?, let next?):
      loop.change(watch, to: next.events)
    case (let watch?, nil):
      loop.remove(watch)
      connection.watch = nil
    case (nil, let next?):
      let number = connection.number
      do throws(SystemError) {
        connection.watch = try loop.watch(connection.descriptor, for: next.events) { [weak self] events in
          self?.assumeIsolated { $0.ready(number, events) }
        }
      } catch {
        journal.write(.warning, "can't watch a connection: \(error)")
        remove(connection)
        return
      }
    case (nil, nil): break
    }
    connection.interest = next
  }

  private func remove(_ connection: Connection) {
    if let reason = connection.endReason {
      journal.write(
        .debug, "connection ended: \(reason)", [.init("LISTS_UID", "\(connection.peer.userID)")])
    }
    if let watch = connection.watch { loop.remove(watch) }
    connection.watch = nil
    leaveRoom(connection)
    waiting[connection.number] = nil
    connections[connection.number] = nil
    let user = connection.peer.userID
    if let count = connectionsOfUser[user], count > 1 {
      connectionsOfUser[user] = count - 1
    } else {
      connectionsOfUser[user] = nil
    }
    connection.close()
    if connections.isEmpty { becameUnconnected() }
  }

  /// Closes it when its last bytes don't leave in time.
  private func endSoon(_ connection: Connection) {
    connection.endIsTimed = true
    let number = connection.number
    loop.schedule(after: limits.endPatience) { [weak self] in
      self?.assumeIsolated { server in
        guard let connection = server.connections[number] else { return }
        connection.end(reason: "it did not take its last bytes in time")
        connection.abandonOutput()
      }
    }
  }

  // MARK: Large messages

  private func manageRoom(for connection: Connection) {
    guard connection.needsRoom, !connection.isEnding else {
      if !room.isUnused { leaveRoom(connection) }
      return
    }
    connection.holdsRoom = room.enter(connection.number, at: EventLoop.now())
    if room.hasWaiters && !roomIsWatched { watchRoom() }
  }

  private func leaveRoom(_ connection: Connection) {
    connection.holdsRoom = false
    if let next = room.leave(connection.number), let connection = connections[next] {
      touched.insert(connection)
      loop.perform {}
    }
  }

  /// While some wait for room: whoever has had it for too long is sent away.
  private func watchRoom() {
    roomIsWatched = true
    loop.schedule(after: limits.largeMessagePatience / 4) { [weak self] in
      self?.assumeIsolated { server in
        server.roomIsWatched = false
        guard server.room.hasWaiters else { return }
        server.endStalled()
        server.watchRoom()
      }
    }
  }

  private func endStalled() {
    let patience = limits.largeMessagePatience.components
    let bound = UInt64(patience.seconds) * 1_000_000_000 + UInt64(patience.attoseconds / 1_000_000_000)
    guard let oldest = room.oldestHolder, EventLoop.now() - oldest.since > bound,
      let connection = connections[oldest.connection]
    else { return }
    connection.giveUp(reason: "a large message did not arrive in time while others waited")
  }
}

/// Where every connection reads into before its framer keeps what is needed.
private final class ReadBuffer {
  let bytes: UnsafeMutableRawBufferPointer

  init(byteCount: Int) {
    bytes = .allocate(byteCount: byteCount, alignment: 16)
  }

  deinit { bytes.deallocate() }
}
