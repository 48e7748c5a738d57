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

extension Call {
  /// Reads the envelope. Its members are `jsonrpc`, `id`, `method` and `params`; one that occurs twice, or
  /// another one, makes the call invalid, because guessing what was meant would be worse.
  init(_ json: JSON) {
    guard json.kind == .object else {
      self = .invalid(.null, .invalidRequest("expected an object"))
      return
    }
    var envelope = Envelope()
    if let fault = envelope.fill(from: json) {
      self = .invalid(envelope.returnableID, fault)
    } else {
      self = envelope.call
    }
  }
}

/// The members of a call as they were found.
private struct Envelope {
  var version: JSON?
  var id: JSON?
  var method: JSON?
  var params: JSON?
  var repeatsID = false

  /// Returns the first fault of the members' names; takes in all of them all the same, for the id.
  mutating func fill(from json: JSON) -> RPCError? {
    var fault: RPCError?
    for member in json.members {
      let isRepeated: Bool
      if member.isNamed("id") {
        isRepeated = id != nil
        repeatsID = repeatsID || isRepeated
        id = member.value
      } else if member.isNamed("method") {
        isRepeated = method != nil
        method = member.value
      } else if member.isNamed("params") {
        isRepeated = params != nil
        params = member.value
      } else if member.isNamed("jsonrpc") {
        isRepeated = version != nil
        version = member.value
      } else {
        fault = fault ?? .invalidRequest("unknown member \(RPCError.quoted(member.name))")
        continue
      }
      if isRepeated {
        fault = fault ?? .invalidRequest("member \(RPCError.quoted(member.name)) occurs twice")
      }
    }
    return fault
  }

  var returnableID: RequestID {
    guard let id, !repeatsID else { return .null }
    return RequestID(id) ?? .null
  }

  var call: Call {
    var requestID: RequestID?
    if let id {
      requestID = RequestID(id)
      if requestID == nil {
        return .invalid(.null, .invalidRequest("id must be a string, a finite number or null"))
      }
    }
    func invalid(_ reason: String) -> Call {
      .invalid(requestID ?? .null, .invalidRequest(reason))
    }
    guard let version, version.isString("2.0") else { return invalid("jsonrpc must be \"2.0\"") }
    guard let name = method?.stringValue else { return invalid("method must be a string") }
    switch params?.kind {
    case .object, .array: return .request(Request(id: requestID, method: name, params: params))
    case .null, nil: return .request(Request(id: requestID, method: name, params: nil))
    default: return invalid("params must be an object or an array")
    }
  }
}
