public import Files
public import JSONRPC

/// What a server does with its connections. Called on the loop's thread, inside the server's isolation.
public protocol SocketApplication: AnyObject, SendableMetatype {
  /// A connection was accepted. `outbound` is its sending half, good until the handler's `close()`.
  ///
  /// A connection that may not come in should get an error and be ended. One that is more than
  /// `ConnectionLimits.connectionsPerUser` is ended by the server if the application doesn't.
  func open(_ peer: Peer, outbound: any Outbound) -> any ConnectionHandler

  /// Nothing is being worked on, so that an end of the process would lose nothing.
  var isIdle: Bool { get }
}

/// The receiving side of one connection. Called on the loop's thread, inside the server's isolation.
public protocol ConnectionHandler: AnyObject {
  /// What came in, in the order received. May send at once or later. After `unrecoverable` nothing comes
  /// any more, and the connection ends when no work is pending.
  ///
  /// `descriptor` came with it. Nothing is known of it: it may be of any kind, and change at any time.
  func receive(_ event: MessageFramer.Event, descriptor: OwnedDescriptor?)

  /// The peer sends no more and everything was handed over. Whoever has nothing more to send ends the
  /// outbound, now or later.
  func inputDidEnd()

  /// Replies are still owed.
  var hasPendingWork: Bool { get }

  /// False while nothing more is to be handed over. Looked at after every message and at the end of turns.
  var acceptsInput: Bool { get }

  /// The peer has taken everything that was queued for it.
  func outboundDidDrain()

  /// The connection is gone; nothing that is sent from now on arrives. Called once.
  func close()
}
