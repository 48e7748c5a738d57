public import Files

/// Where a session's messages go: the sending half of a connection, or a test.
///
/// Used from one isolation only, the one that owns the session.
public protocol Outbound: AnyObject {
  /// Queues one message: one JSON text, not framed. Never blocks, never fails.
  ///
  /// `descriptor` goes with the message's first byte. One that the system has no room for is left out.
  func send(_ message: [UInt8], with descriptor: OwnedDescriptor?)

  /// Bytes queued that the peer has not taken yet. A descriptor counts as many.
  var queuedBytes: Int { get }

  /// Sends what is queued, then closes. `reason` is for the log.
  func end(reason: String)
}

extension Outbound {
  /// Queues one message: one JSON text, not framed. Never blocks, never fails.
  public func send(_ message: [UInt8]) { send(message, with: nil) }
}
