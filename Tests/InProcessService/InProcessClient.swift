public import Files
public import JSONRPC
public import ListsService

/// A client of an ``InProcessService``: sends text, gets the messages that the service sends.
public final class InProcessClient {
  private let service: InProcessService
  public let session: Session
  public let outbound = RecordingOutbound()
  /// Notifications that came while a reply was waited for, oldest first.
  public private(set) var pushes: [JSONNode] = []
  private var lastID = 0

  init(of service: InProcessService, user: UInt32) {
    self.service = service
    session = service.service.openSession(user: user, outbound: outbound)
  }

  deinit { session.close() }

  /// One message, as it is.
  public func send(_ text: String) { session.receive(message: Array(text.utf8)) }

  /// One message that a descriptor comes with.
  public func send(_ message: JSONNode, with descriptor: OwnedDescriptor) {
    session.receive(.message(message.encoded()), descriptor: descriptor)
  }

  /// One message.
  public func send(_ message: JSONNode) { session.receive(message: message.encoded()) }

  /// The next message of any kind, waiting for it.
  public func receive() throws -> JSONNode { JSONNode(try JSON(parsing: try receiveBytes())) }

  public func receiveBytes() throws -> [UInt8] {
    while true {
      if let message = outbound.takeFirst() { return message }
      try service.turn()
    }
  }

  /// Sends a request and waits for its reply, the next message that has an id. What is pushed meanwhile goes
  /// to ``pushes``.
  public func call(
    _ method: String, _ params: JSONNode = [:], with descriptor: OwnedDescriptor? = nil
  ) throws -> JSONNode {
    lastID += 1
    let request: JSONNode = [
      "jsonrpc": "2.0", "id": .int(Int64(lastID)), "method": .string(method), "params": params,
    ]
    if let descriptor { send(request, with: descriptor) } else { send(request) }
    while true {
      let message = try receive()
      guard message["id"] != nil else {
        pushes.append(message)
        continue
      }
      guard message["id"] == .int(Int64(lastID)) else { throw HarnessError("out of order: \(message)") }
      return message
    }
  }

  /// The result of a request that must succeed.
  public func result(_ method: String, _ params: JSONNode = [:]) throws -> JSONNode {
    let reply = try call(method, params)
    guard let result = reply["result"] else { throw HarnessError("\(method) failed: \(reply)") }
    return result
  }

  /// The `data` of the error of a request that must fail, its `errorCode` among it.
  public func failure(_ method: String, _ params: JSONNode = [:]) throws -> JSONNode {
    let reply = try call(method, params)
    guard let data = reply["error"]?["data"] else { throw HarnessError("\(method) succeeded: \(reply)") }
    return data
  }

  /// The pushes that have come and were not taken yet, after what the stores have delivered so far. Every
  /// commit whose reply someone got is among them.
  public func takePushes() throws -> [JSONNode] {
    service.settle()
    pushes += try takeMessages()
    defer { pushes = [] }
    return pushes
  }

  /// The messages that were sent so far and not taken yet. Carries nothing over.
  public func takeMessages() throws -> [JSONNode] {
    var messages: [JSONNode] = []
    while let message = outbound.takeFirst() { messages.append(JSONNode(try JSON(parsing: message))) }
    return messages
  }
}

/// Keeps what a session sends; a peer that reads or, when told so, does not.
public final class RecordingOutbound: Outbound {
  private var messages: [[UInt8]] = []
  /// Why the session ended the connection; nil while it has not.
  public private(set) var endReason: String?
  /// Bytes that the peer has not taken. Grow only while `isStalled`.
  public private(set) var queuedBytes = 0
  /// What came with messages, in the order of their sending.
  public private(set) var descriptors: [OwnedDescriptor] = []
  /// Whether the peer does not read.
  public private(set) var isStalled = false

  public func send(_ message: [UInt8], with descriptor: OwnedDescriptor?) {
    messages.append(message)
    if let descriptor { descriptors.append(descriptor) }
    if isStalled { queuedBytes += message.count }
  }

  public func end(reason: String) { endReason = reason }

  /// From now on the peer reads nothing.
  public func stall() { isStalled = true }

  /// The peer reads again, and has taken what there was.
  public func drain() {
    isStalled = false
    queuedBytes = 0
  }

  /// Whether everything that was sent was taken by the test.
  public var isEmpty: Bool { messages.isEmpty }

  func takeFirst() -> [UInt8]? { messages.isEmpty ? nil : messages.removeFirst() }
}
