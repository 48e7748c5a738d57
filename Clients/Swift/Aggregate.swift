public import JSONRPC
public import Records

/// What `aggregateRecords` works out of each group.
public struct Aggregate: Sendable, Equatable {
  public enum Function: String, Sendable, CaseIterable {
    case count, sum, avg, min, max
  }

  public var function: Function
  /// Nil for a count of the records themselves.
  public var key: String?
  /// What it is called in a group's values.
  public var name: String

  /// - Parameter name: Nil: the function, with the key in parentheses behind it.
  public init(_ function: Function, of key: String? = nil, name: String? = nil) {
    self.function = function
    self.key = key
    self.name = name ?? key.map { "\(function.rawValue)(\($0))" } ?? function.rawValue
  }

  /// How many records there are.
  public static let count = Aggregate(.count)

  public static func sum(of key: String) -> Aggregate { Aggregate(.sum, of: key) }
  public static func average(of key: String) -> Aggregate { Aggregate(.avg, of: key) }
  public static func minimum(of key: String) -> Aggregate { Aggregate(.min, of: key) }
  public static func maximum(of key: String) -> Aggregate { Aggregate(.max, of: key) }

  var node: JSONNode {
    var members: [(String, JSONNode)] = [("function", .string(function.rawValue)), ("name", .string(name))]
    if let key { members.append(("key", .string(key))) }
    return .object(members)
  }
}

/// The groups of `aggregateRecords`, in the order of their keys.
public struct AggregateResult: Sendable {
  /// The reply's `result`, as received.
  public let json: JSON

  /// The records with the same values under the grouping keys.
  public struct Group: Sendable {
    let json: JSON

    /// The group's value under a grouping key; nil for the records without one.
    public func key(_ key: String) -> FieldValue? { json["group"]?[key].flatMap { FieldValue(reply: $0) } }

    /// What was worked out, by its name; nil where there was nothing to work it out of.
    public subscript(_ name: String) -> FieldValue? {
      json["values"]?[name].flatMap { FieldValue(reply: $0) }
    }
  }

  public var groups: [Group] { (json["groups"]?.elements).map { $0.map { Group(json: $0) } } ?? [] }
  public var changeToken: String { json["changeToken"]?.stringValue ?? "" }
  public var plan: QueryExplanation? { json["plan"].map(QueryExplanation.init) }
}

/// A page of `distinctValues`, in sort order.
public struct DistinctValues: Sendable {
  /// The reply's `result`, as received.
  public let json: JSON

  /// Nil stands for the records without a value.
  public var values: [(value: FieldValue?, count: Int)] {
    (json["values"]?.elements).map { entries in
      entries.map { ($0["value"].flatMap { FieldValue(reply: $0) }, Int($0["count"]?.int64Value ?? 0)) }
    } ?? []
  }
  public var cursor: String? { json["cursor"]?.stringValue }
  public var changeToken: String { json["changeToken"]?.stringValue ?? "" }
  public var plan: QueryExplanation? { json["plan"].map(QueryExplanation.init) }
}

extension FieldValue {
  /// A value of a reply; nil for null, and for what is no value of a field.
  fileprivate init?(reply: JSON) {
    guard let value = try? FieldValue(json: reply) else { return nil }
    self = value
  }
}
