/// A call that is well formed: what JSON-RPC 2.0, section 4, calls a request object.
public struct Request: Sendable {
  /// Nil for a notification, which gets no reply.
  public let id: RequestID?
  public let method: String
  /// An object or an array; nil when left out or `null`.
  public let params: JSON?

  public init(id: RequestID?, method: String, params: JSON?) {
    self.id = id
    self.method = method
    self.params = params
  }
}

/// One call of a message, good or bad.
public enum Call: Sendable {
  case request(Request)
  /// To be answered with this error under this id: `null` unless the call had one that can be returned.
  case invalid(RequestID, RPCError)
}
