/// How two values of a field are settled that two clients made of the same one.
public enum MergePolicy: String, Sendable, CaseIterable {
  /// The one that was saved first.
  case server
  /// The one that is being saved.
  case client
  /// The greater one, as values are sorted; a missing one is the least.
  case max
  /// The smaller one.
  case min
  /// The server's list, then what else is in the client's.
  case union
  /// Both changes of a number together; a missing one counts as zero.
  case sum

  /// Whether it means something for fields of this type.
  public func fits(_ type: FieldType) -> Bool {
    switch self {
    case .server, .client: true
    case .max, .min: !type.isList && [.boolean, .int64, .double, .date, .string].contains(type.element)
    case .union: type.isList
    case .sum: !type.isList && [.int64, .double].contains(type.element)
    }
  }

  /// What became of two values.
  public enum Settlement: Sendable, Equatable {
    /// Nil: the field is missing.
    case value(FieldValue?)
    /// They don't go together: a sum that is too large, or values of a type that the field had once.
    case none
  }

  /// Settles the values that `ancestor` became on both sides; nil is a missing one.
  public func settle(server: FieldValue?, client: FieldValue?, ancestor: FieldValue?) -> Settlement {
    switch self {
    case .server: .value(server)
    case .client: .value(client)
    case .max: .value(Self.isSorted(server, before: client) ? client : server)
    case .min: .value(Self.isSorted(client, before: server) ? client : server)
    case .union: Self.union(server, client)
    case .sum: Self.sum(server, client, ancestor)
    }
  }

  private static func isSorted(_ left: FieldValue?, before right: FieldValue?) -> Bool {
    var keys: ([UInt8], [UInt8]) = ([], [])
    SortKey.append(left, to: &keys.0)
    SortKey.append(right, to: &keys.1)
    return keys.0.lexicographicallyPrecedes(keys.1)
  }

  private static func union(_ server: FieldValue?, _ client: FieldValue?) -> Settlement {
    guard case .list(var elements) = server ?? .list([]), case .list(let added) = client ?? .list([]),
      elements.isEmpty || added.isEmpty || elements.first?.element == added.first?.element
    else { return .none }
    var present = DistinctValues(elements)
    for value in added where present.insert(value) { elements.append(value) }
    return .value(.list(elements))
  }

  private static func sum(_ server: FieldValue?, _ client: FieldValue?, _ ancestor: FieldValue?) -> Settlement
  {
    switch server ?? client ?? ancestor {
    case .int64:
      guard case .int64(let server) = server ?? .int64(0), case .int64(let client) = client ?? .int64(0),
        case .int64(let ancestor) = ancestor ?? .int64(0)
      else { return .none }
      // In 128 bits: the difference may leave 64 where the sum does not.
      return Int64(exactly: Int128(server) + Int128(client) - Int128(ancestor)).map { .value(.int64($0)) }
        ?? .none
    case .double:
      guard case .double(let server) = server ?? .double(0), case .double(let client) = client ?? .double(0),
        case .double(let ancestor) = ancestor ?? .double(0)
      else { return .none }
      let sum = server + (client - ancestor)
      return sum.isFinite ? .value(.double(sum)) : .none
    default: return .none
    }
  }
}
