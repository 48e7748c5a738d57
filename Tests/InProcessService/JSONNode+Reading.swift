public import JSONRPC

/// Short ways into a message for those who check it.
extension JSONNode {
  /// In source order; none when this is no object.
  public var membersOrNone: [(String, JSONNode)] {
    if case .object(let members) = self { return members }
    return []
  }

  /// Nil when this is no list.
  public var array: [JSONNode]? {
    if case .array(let elements) = self { return elements }
    return nil
  }

  /// The elements of a list, or the value alone.
  public var elements: [JSONNode] { array ?? [self] }

  /// Nil when this is no string.
  public var string: String? {
    if case .string(let text) = self { return text }
    return nil
  }

  /// Empty when this is no string.
  public var text: String { string ?? "" }

  /// Nil when this is no number.
  public var number: Double? {
    switch self {
    case .int(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  /// 0 when this is no number.
  public var count: Int { Int(number ?? 0) }
}
