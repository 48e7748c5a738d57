/// Where a session's messages go: the sending half of a connection, or a test.
///
/// Used from one isolation only, the one that owns the session.
public protocol Outbound: AnyObject {
  /// Queues one message: one JSON text, not framed. Never blocks, never fails.
  func send(_ message: [UInt8])

  /// Bytes queued that the peer has not taken yet.
  var queuedBytes: Int { get }

  /// Sends what is queued, then closes. `reason` is for the log.
  func end(reason: String)
}
