import CLinux
import Files
import Glibc
import JSONRPC

/// One accepted socket: bytes in, messages to its handler, messages of its handler out.
///
/// Confined to the server that made it. It does nothing by itself: the server calls `receive` when there
/// is input and `settle` at the end of each turn in which it was touched, and that is where it writes, at
/// most once a turn.
final class Connection: Outbound {
  /// What the kernel is asked to tell; nil when not even a hang-up may be told (it would be told for ever).
  struct Interest: Equatable {
    var input = false
    var output = false

    var events: UInt32 { (input ? EPOLLIN.rawValue : 0) | (output ? EPOLLOUT.rawValue : 0) }
  }

  private enum Input {
    case open
    /// The peer sends no more, and the handler is yet to be told.
    case ended
    /// The same, and the handler knows.
    case endIsTold
    /// The server takes no more.
    case stopped
  }

  let number: UInt64
  let peer: Peer
  let descriptor: Int32
  // What follows up to `isWaiting` is set by the server. The handler needs the connection to be made.
  var handler: (any ConnectionHandler)?
  var watch: EventLoop.Watch?
  var interest: Interest?
  /// This connection may hold a large message.
  var holdsRoom = false
  /// It was told to end, and will be closed if it doesn't.
  var endIsTimed = false
  /// Is looked at in every turn.
  var isWaiting = false
  /// Is in the server's list of those to settle.
  fileprivate var isTouched = false
  private(set) var isClosed = false
  private(set) var isEnding = false
  private(set) var endReason: String?

  private let limits: ConnectionLimits
  private unowned let touched: TouchedConnections
  private var framer: MessageFramer
  private var passed = PassedDescriptors()
  private var output = OutputBuffer()
  private var isBlocked = false
  private var input = Input.open
  /// The peer can't receive any more. What it sent before is still worked on.
  private var peerIsGone = false
  /// What was queued is dropped, and the handler, which may wait for room, is yet to be told.
  private var owesDrain = false
  /// The framer may hold whole messages that were not handed over yet.
  private var hasMessages = false

  init(
    number: UInt64, descriptor: Int32, peer: Peer, limits: ConnectionLimits, touched: TouchedConnections
  ) {
    self.number = number
    self.descriptor = descriptor
    self.peer = peer
    self.limits = limits
    self.touched = touched
    framer = MessageFramer(maximumMessageBytes: limits.maximumMessageBytes)
  }

  // MARK: Outbound

  var queuedBytes: Int { output.weight }

  func send(_ message: [UInt8], with descriptor: OwnedDescriptor?) {
    if isClosed || peerIsGone { return }
    let framing = framer.framing ?? .stream
    output.append(with: descriptor) { framing.frame(message, into: &$0) }
    touched.insert(self)
  }

  func end(reason: String) {
    if isEnding || isClosed { return }
    isEnding = true
    endReason = reason
    touched.insert(self)
  }

  // MARK: Input

  /// Bytes of unfinished or waiting messages.
  var bufferedBytes: Int { framer.bufferedBytes }

  /// Holds more than it may without asking for room.
  var needsRoom: Bool { framer.bufferedBytes >= limits.freeInputBytes }

  /// The peer may send more and it would be handed over.
  var wantsInput: Bool { input == .open && !hasMessages && mayHandOver }

  /// It goes on when its handler has got on with its work, which no event of the socket tells.
  var awaitsHandler: Bool {
    guard let handler, !isEnding else { return false }
    if input != .open && handler.hasPendingWork { return true }
    return (hasMessages || input == .open) && !handler.acceptsInput
  }

  private var mayHandOver: Bool {
    guard let handler, !isEnding, !isClosed else { return false }
    return output.weight <= limits.unsentBytesBeforePause && handler.acceptsInput
  }

  /// Reads what there is, up to a few buffers so that one busy peer doesn't hold up the others, and hands
  /// over every whole message.
  func receive(_ events: UInt32, using buffer: UnsafeMutableRawBufferPointer) {
    touched.insert(self)
    if events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { loseOutput() }
    if events & EPOLLOUT.rawValue != 0 { isBlocked = false }
    guard events & (EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 else { return }
    var reads = 0
    while reads < 4, wantsInput, read(using: buffer) { reads += 1 }
  }

  /// Reads and hands over everything that the peer has sent so far, and nothing after it.
  func receiveLast(using buffer: UnsafeMutableRawBufferPointer) {
    touched.insert(self)
    var bound = limits.maximumMessageBytes
    while wantsInput, bound > 0, read(using: buffer) { bound -= buffer.count }
    if input == .open { input = .stopped }
  }

  /// One read; false when there is no more for now.
  private func read(using buffer: UnsafeMutableRawBufferPointer) -> Bool {
    var passed: Int32 = -1
    let count = clinux_receive(descriptor, buffer.baseAddress, buffer.count, &passed)
    if passed >= 0 { self.passed.append(OwnedDescriptor(passed, isForeign: true)) }
    if count > 0 {
      framer.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      handOver()
      // A short read has emptied the socket: the next one would only say so. One with descriptors ends
      // behind them.
      return (count == buffer.count || passed != -1) && !(needsRoom && !holdsRoom)
    }
    if count < 0 {
      if errno == EINTR { return true }
      if errno == EAGAIN { return false }
      loseOutput()
    }
    input = .ended
    handOver()
    return false
  }

  private func handOver() {
    hasMessages = true
    while mayHandOver {
      guard let event = framer.next() ?? (input == .ended ? framer.finish() : nil) else {
        hasMessages = false
        passed.messagesDidEnd(isUnfinished: framer.isInsideMessage, isAtRest: framer.isAtRest())
        break
      }
      let descriptor = passed.next(isLast: framer.isAtRest())
      handler?.receive(event, descriptor: descriptor)
      if case .unrecoverable = event { input = .stopped }
    }
    if isEnding { hasMessages = false }
    if input == .ended, !hasMessages, !isEnding {
      input = .endIsTold
      handler?.inputDidEnd()
    }
  }

  /// Ends it for a fault of what it sent, which the handler answers.
  func giveUp(reason: String) {
    input = .stopped
    handler?.receive(.unrecoverable(reason: reason), descriptor: nil)
    touched.insert(self)
  }

  // MARK: Turns

  /// Writes what is queued and goes on with messages that were held back; then `isFinished` and
  /// `nextInterest` say what is to be done with the connection.
  func settle() {
    if isClosed { return }
    write()
    if owesDrain {
      owesDrain = false
      handler?.outboundDidDrain()
    }
    if hasMessages, mayHandOver {
      handOver()
      touched.insert(self)
    }
  }

  private func write() {
    if isBlocked || output.isEmpty { return }
    switch output.write(to: descriptor) {
    case .drained: handler?.outboundDidDrain()
    case .blocked: isBlocked = true
    case .broken: loseOutput()
    }
  }

  private func loseOutput() {
    peerIsGone = true
    isBlocked = false
    if !output.isEmpty { owesDrain = true }
    output.removeAll()
  }

  /// Nothing is left to be done for it.
  var isFinished: Bool {
    if !output.isEmpty { return false }
    if isEnding { return true }
    guard input != .open, !hasMessages, let handler else { return false }
    return !handler.hasPendingWork && (peerIsGone || input == .stopped)
  }

  var nextInterest: Interest? {
    let input = wantsInput && (!needsRoom || holdsRoom)
    if peerIsGone && !input { return nil }
    return Interest(input: input, output: isBlocked)
  }

  /// Drops what is queued; `settle` has then nothing left to wait for.
  func abandonOutput() {
    touched.insert(self)
    loseOutput()
  }

  /// Closes the socket. The server has stopped watching it before.
  func close() {
    if isClosed { return }
    isClosed = true
    Glibc.close(descriptor)
    passed.removeAll()
    output.removeAll()
    handler?.close()
    handler = nil
  }
}

/// The connections that something happened to in this turn, each once.
final class TouchedConnections {
  private var connections: [Connection] = []
  private var drained: [Connection] = []

  var isEmpty: Bool { connections.isEmpty }

  func insert(_ connection: Connection) {
    if connection.isTouched { return }
    connection.isTouched = true
    connections.append(connection)
  }

  /// Takes all out and calls `body` with each; those touched by it are for the next time.
  func drain(_ body: (Connection) -> Void) {
    swap(&connections, &drained)
    for connection in drained { connection.isTouched = false }
    for connection in drained { body(connection) }
    drained.removeAll(keepingCapacity: drained.capacity <= 1024)
  }
}
