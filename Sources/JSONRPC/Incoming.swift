/// What a server received in one message.
public enum Incoming: Sendable {
  /// One call, or a message that as a whole deserves one error.
  case call(Call)
  /// A batch, never empty: each element decided by itself, in the order sent (JSON-RPC 2.0, section 6).
  /// How many it may hold is for the service to say.
  case batch([Call])

  /// Never fails: what is not JSON, and the empty batch, become one invalid call with id `null`.
  public init(message: [UInt8], maximumDepth: Int = JSON.maximumDepth) {
    let json: JSON
    do throws(JSONSyntaxError) {
      json = try JSON(parsing: message, maximumDepth: maximumDepth)
    } catch {
      self = .call(.invalid(.null, .parseError(error)))
      return
    }
    guard json.kind == .array else {
      self = .call(Call(json))
      return
    }
    let calls = json.elements.map { Call($0) }
    self = calls.isEmpty ? .call(.invalid(.null, .invalidRequest("empty batch"))) : .batch(calls)
  }
}
