public import JSONRPC

/// Why a call, or a subscription, came to nothing.
public enum ClientError: Error, Sendable {
  /// No connection: nothing was sent.
  case unreachable(Unreachable)
  /// The service answered with an error.
  case rejected(ServiceError)
  /// The connection ended before the reply came: the request may have taken effect, or not.
  case connectionLost(reason: String)
  /// The reply (or push) is longer than this client takes. Only this call is concerned.
  case replyTooLarge(limit: Int)
  /// The service ended the subscription: `attachedElsewhere` (another connection attached to the saved
  /// subscription), `deleted` (the saved subscription was deleted, or is now to something else),
  /// `databaseRestored` (a backup was put in the place of the database), `containerDeleted`.
  case subscriptionEnded(reason: String)
  /// The reply is not what the protocol says.
  case malformedReply(String)
  /// A file of this side can't be read or written.
  case file(reason: String)
  /// The calling task was cancelled. The request may have taken effect, or not.
  case cancelled

  /// No service behind the address, or one that is not to be trusted.
  public struct Unreachable: Error, Sendable, Equatable {
    /// What was tried, or nil when there was nothing to try.
    public var path: String?
    /// What went wrong, as a sentence without its full stop.
    public var reason: String
    /// What the user can do about it.
    public var advice: String

    public init(path: String?, reason: String, advice: String) {
      self.path = path
      self.reason = reason
      self.advice = advice
    }
  }

  /// The error object of a reply.
  public struct ServiceError: Error, Sendable {
    /// JSON-RPC's number.
    public var code: Int
    /// One sentence for a person.
    public var message: String
    /// What a program needs to recover; `Protocol/README.md` lists its members.
    public var data: JSON?

    public init(code: Int, message: String, data: JSON? = nil) {
      self.code = code
      self.message = message
      self.data = data
    }

    /// Reads an error object, such as one of a batch's results; nil is read as an error without a reason.
    public init(error: JSON?) {
      self.init(
        code: error?["code"]?.int64Value.map { Int(truncatingIfNeeded: $0) } ?? 0,
        message: error?["message"]?.stringValue ?? "The service gave no reason.", data: error?["data"])
    }

    /// The change token can't be gone on from.
    var isExpiry: Bool { errorCode == "changeTokenExpired" }
    /// The failure's name, such as `unknownItem`; tell failures apart by it.
    public var errorCode: String { data?["errorCode"]?.stringValue ?? "" }
    /// Seconds after which the same request may succeed.
    public var retryAfter: Double? { data?["retryAfter"]?.doubleValue }
  }
}

extension ClientError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unreachable(let problem): "\(problem.reason). \(problem.advice)"
    case .rejected(let error): error.message
    case .connectionLost(let reason): "the connection to the service was lost: \(reason)"
    case .replyTooLarge(let limit): "too large: the reply is longer than the \(limit) bytes that are accepted"
    case .subscriptionEnded("attachedElsewhere"): "another connection has attached to the saved subscription"
    case .subscriptionEnded("deleted"): "the saved subscription was deleted, or is now to something else"
    case .subscriptionEnded("databaseRestored"): "a backup was put in the place of the database"
    case .subscriptionEnded("containerDeleted"): "the container was deleted"
    case .subscriptionEnded(let reason): "the service ended the subscription: \(reason)"
    case .malformedReply(let reason): "the service's reply can't be understood: \(reason)"
    case .file(let reason): "the file \(reason)"
    case .cancelled: "cancelled"
    }
  }
}
