/// What a client received in one message.
///
/// Read more leniently than a request: members that are not known are passed over, so that a newer
/// server's messages can be understood.
public enum ServerMessage: Sendable {
  case reply(id: RequestID, result: Result<JSON, RPCError>)
  /// The replies to a batch, in any order, as the server sent them. Never empty.
  case batch([ServerMessage])
  case notification(method: String, params: JSON?)
  /// Not a message of a JSON-RPC server. `reason` is for a person.
  case malformed(reason: String)

  public init(message: [UInt8], maximumDepth: Int = JSON.maximumDepth) {
    let json: JSON
    do throws(JSONSyntaxError) {
      json = try JSON(parsing: message, maximumDepth: maximumDepth)
    } catch {
      self = .malformed(reason: error.message)
      return
    }
    guard json.kind == .array else {
      self.init(json)
      return
    }
    let messages = json.elements.map { ServerMessage($0) }
    self = messages.isEmpty ? .malformed(reason: "empty batch") : .batch(messages)
  }

  private init(_ json: JSON) {
    guard json.kind == .object, let version = json["jsonrpc"], version.isString("2.0") else {
      self = .malformed(reason: "expected an object with \"jsonrpc\":\"2.0\"")
      return
    }
    let id = json["id"]
    if let method = json["method"] {
      self = Self.notification(method, params: json["params"], id: id)
      return
    }
    guard let id = id.flatMap({ RequestID($0) }) else {
      self = .malformed(reason: "a reply needs an id")
      return
    }
    switch (json["result"], json["error"]) {
    case (let result?, nil): self = .reply(id: id, result: .success(result))
    case (nil, let error?):
      guard let error = RPCError(error) else {
        self = .malformed(reason: "an error needs a code and a message")
        return
      }
      self = .reply(id: id, result: .failure(error))
    default: self = .malformed(reason: "a reply needs either a result or an error")
    }
  }

  private static func notification(_ method: JSON, params: JSON?, id: JSON?) -> ServerMessage {
    guard let name = method.stringValue else { return .malformed(reason: "method must be a string") }
    guard id == nil else { return .malformed(reason: "a server's call must not have an id") }
    return .notification(method: name, params: params?.isNull == true ? nil : params)
  }
}

extension RPCError {
  /// Reads an error object; nil unless it has an integer `code` and a `message`.
  public init?(_ json: JSON) {
    guard let number = json["code"]?.int64Value, let message = json["message"]?.stringValue else {
      return nil
    }
    self.init(code: Int(number), message: message, data: json["data"].map { Array($0.bytes) })
  }
}
