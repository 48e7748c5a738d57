/// What a server received in one message.
public enum Incoming: Sendable {
  /// One call, or a message that as a whole deserves one error.
  case call(Call)
  /// A batch, never empty: each element decided by itself, in the order sent (JSON-RPC 2.0, section 6).
  /// How many it may hold is for the service to say.
  case batch([Call])

  /// Never fails: what is not JSON, and the empty batch, become one invalid call with id `null`.
  public init(message: [UInt8], maximumDepth: Int = JSON.maximumDepth) {
    do throws(JSONSyntaxError) {
      self = try Self.scan(message, JSONScanner(maximumDepth: maximumDepth))
    } catch {
      self = .call(.invalid(.null, .parseError(error)))
    }
  }

  private static func scan(
    _ message: [UInt8], _ initialScanner: JSONScanner
  ) throws(JSONSyntaxError) -> Incoming {
    var scanner = initialScanner
    guard try scanner.peekValue(message.span) == Byte.openBracket else {
      let call = try Call(message, scanner: &scanner)
      try scanner.finish(message.span)
      return .call(call)
    }
    try scanner.enterContainer(message.span)
    var calls: [Call] = []
    while try scanner.enterElement(message.span, isFirst: calls.isEmpty) {
      calls.append(try Call(message, scanner: &scanner))
    }
    try scanner.finish(message.span)
    return calls.isEmpty ? .call(.invalid(.null, .invalidRequest("empty batch"))) : .batch(calls)
  }
}

extension Call {
  /// Scans the value that `scanner` stands before.
  fileprivate init(_ message: [UInt8], scanner: inout JSONScanner) throws(JSONSyntaxError) {
    if try scanner.peekValue(message.span) == Byte.openBrace {
      self = try Envelope(message, scanner: &scanner).call
    } else {
      _ = try scanner.scanValue(message.span)
      self = .invalid(.null, .invalidRequest("expected an object"))
    }
  }
}
