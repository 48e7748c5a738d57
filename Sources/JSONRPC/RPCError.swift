/// The error object of a reply (JSON-RPC 2.0, section 5.1).
public struct RPCError: Error, Sendable, Equatable {
  public var code: Int
  /// For a person.
  public var message: String
  /// For programs: the JSON text of a value; nil to leave the member out.
  public var data: [UInt8]?

  public init(code: Int, message: String, data: [UInt8]? = nil) {
    self.code = code
    self.message = message
    self.data = data
  }

  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("code")
    writer.int(code)
    writer.key("message")
    writer.string(message)
    if let data {
      writer.key("data")
      writer.raw(data)
    }
    writer.endObject()
  }
}

/// The faults that JSON-RPC itself defines. Each has `data.errorCode` like the service's own errors.
extension RPCError {
  /// -32700: what came is not JSON. `data.offset` is where, in bytes.
  public static func parseError(_ error: JSONSyntaxError) -> RPCError {
    RPCError(-32700, "parseError", "Parse error: \(error.message)", offset: error.offset)
  }

  /// -32700: what came is not JSON.
  public static func parseError(_ reason: String) -> RPCError {
    RPCError(-32700, "parseError", "Parse error: \(reason)")
  }

  /// -32600: JSON, but not a request.
  public static func invalidRequest(_ reason: String) -> RPCError {
    RPCError(-32600, "invalidRequest", "Invalid request: \(reason)")
  }

  /// -32601
  public static func methodNotFound(_ method: String) -> RPCError {
    RPCError(-32601, "methodNotFound", "Method not found: \(quoted(method))")
  }

  /// -32602
  public static func invalidParams(_ reason: String) -> RPCError {
    RPCError(-32602, "invalidArguments", "Invalid params: \(reason)")
  }

  /// -32603
  public static func internalError(_ reason: String) -> RPCError {
    RPCError(-32603, "internalError", "Internal error: \(reason)")
  }

  /// A name that a client sent, in double quotes and cut to a length that is fit to be read.
  static func quoted(_ name: String) -> String {
    let limit = 64
    let shown = name.unicodeScalars.prefix(limit)
    return "\"\(String(shown))\(name.unicodeScalars.count > limit ? "…" : "")\""
  }

  private init(_ code: Int, _ errorCode: String, _ message: String, offset: Int? = nil) {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("errorCode")
    writer.string(errorCode)
    if let offset {
      writer.key("offset")
      writer.int(offset)
    }
    writer.endObject()
    self.init(code: code, message: message, data: writer.bytes)
  }
}
