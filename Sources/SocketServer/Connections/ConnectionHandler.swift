public import JSONRPC

/// What a server does with its connections. Called on the loop's thread, inside the server's isolation.
public protocol SocketApplication: AnyObject, SendableMetatype {
  /// A connection was accepted. `outbound` is its sending half, good until the handler's `close()`.
  func open(_ peer: Peer, outbound: any Outbound) -> any ConnectionHandler

  /// A connection too many. The handler should answer its first message with the reason and end it.
  func refuse(_ peer: Peer, because reason: RefusalReason, outbound: any Outbound) -> any ConnectionHandler

  /// Nothing is being worked on, so that an end of the process would lose nothing.
  var isIdle: Bool { get }
}

/// Why a connection is not served.
public enum RefusalReason: Sendable, Equatable {
  /// The user has as many connections as allowed.
  case tooManyConnections(limit: Int)
}

/// What was received instead of a message.
public enum InputFault: Sendable, Equatable {
  case malformed(reason: String)
  /// More bytes in one message than allowed. The rest of it is passed over.
  case tooLarge(limit: Int)
  /// A large message was begun and not finished while others waited for its room. The connection is
  /// about to be ended.
  case stalled
}

/// The receiving side of one connection. Called on the loop's thread, inside the server's isolation.
public protocol ConnectionHandler: AnyObject {
  /// One message, in the order received. May send at once or later.
  func receive(message: [UInt8])

  /// Something that is no message. May send one error.
  func receive(fault: InputFault)

  /// Replies are still owed. Once the peer has ended its input, the connection lives until they are sent.
  var hasPendingWork: Bool { get }

  /// Nothing more is to be handed over for now. Looked at after every message and at the end of turns.
  var isSaturated: Bool { get }

  /// More may be sent without being asked for, so that a peer that ended its input keeps listening.
  var isSubscribed: Bool { get }

  /// The peer has taken everything that was queued for it, after it had not for a while.
  func outboundDidDrain()

  /// The connection is gone; nothing that is sent from now on arrives. Called once.
  func close()
}
