/// What a server received in one message.
public enum Incoming: Sendable {
  /// One call, or a message that as a whole deserves one error.
  case call(Call)
  /// A batch, never empty: each element decided by itself, in the order sent (JSON-RPC 2.0, section 6).
  case batch([Call])
  /// A batch of more calls than were to be taken: none of them is kept.
  case batchTooLong(count: Int)

  /// Never fails: what is not JSON, and the empty batch, become one invalid call with id `null`.
  ///
  /// - Parameter maximumBatchCalls: a longer batch is only counted, so that it takes no memory.
  public init(
    message: [UInt8], maximumDepth: Int = JSON.maximumDepth, maximumBatchCalls: Int = .max
  ) {
    do throws(JSONSyntaxError) {
      self = try Self.scan(message, JSONScanner(maximumDepth: maximumDepth), maximumBatchCalls)
    } catch {
      self = .call(.invalid(.null, .parseError(error)))
    }
  }

  private static func scan(
    _ message: [UInt8], _ initialScanner: JSONScanner, _ maximumBatchCalls: Int
  ) throws(JSONSyntaxError) -> Incoming {
    var scanner = initialScanner
    guard try scanner.peekValue(message.span) == Byte.openBracket else {
      let call = try Call(message, scanner: &scanner)
      try scanner.finish(message.span)
      return .call(call)
    }
    try scanner.enterContainer(message.span)
    var calls: [Call] = []
    var count = 0
    while try scanner.enterElement(message.span, isFirst: count == 0) {
      count += 1
      if count <= maximumBatchCalls {
        calls.append(try Call(message, scanner: &scanner))
      } else {
        _ = try scanner.scanValue(message.span)
      }
    }
    try scanner.finish(message.span)
    if count > maximumBatchCalls { return .batchTooLong(count: count) }
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
