public import JSONRPC

/// One key that records are sorted by.
public struct SortDescriptor: Sendable, Hashable {
  public enum Nulls: String, Sendable, CaseIterable {
    /// First ascending, last descending.
    case `default`
    case first
    case last
  }

  public enum Collation: String, Sendable, CaseIterable {
    /// By code point of the composed text.
    case codePoint
    /// As a person expects of a list of names (``Collator``).
    case localized
  }

  /// A field or a system key, or a path to a value inside one.
  public var path: FieldPath
  public var ascending: Bool
  public var nulls: Nulls
  public var collation: Collation

  public init(
    _ path: FieldPath, ascending: Bool = true, nulls: Nulls = .default, collation: Collation = .codePoint
  ) {
    self.path = path
    self.ascending = ascending
    self.nulls = nulls
    self.collation = collation
  }

  /// The path as it was sent.
  public var key: String { path.components.joined(separator: ".") + (path.countsElements ? ".@count" : "") }

  /// Whether a record without a value comes before those that have one.
  public var nullsComeFirst: Bool {
    switch nulls {
    case .default: ascending
    case .first: true
    case .last: false
    }
  }

  private static let members = ["key", "ascending", "nulls", "collation"]

  /// Reads `{"key", "ascending"?, "nulls"?, "collation"?}`. Throws `invalidArguments` for anything else.
  public init(json: JSON) throws(RecordError) {
    let members = try json.members(
      of: "a sort descriptor", known: ["key", "ascending", "nulls", "collation"])
    guard let path = members[0]?.stringValue.flatMap({ FieldPath($0) }) else {
      throw RecordError(.invalidArguments, "a sort descriptor takes the name of a field for key")
    }
    var ascending = true
    if let json = members[1], !json.isNull {
      guard let value = json.boolValue else {
        throw RecordError(.invalidArguments, "a sort descriptor takes true or false for ascending")
      }
      ascending = value
    }
    self.init(
      path, ascending: ascending,
      nulls: try Self.choice(2, members, default: .default),
      collation: try Self.choice(3, members, default: .codePoint))
  }

  private static func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ index: Int, _ members: [JSON?], default value: Value
  ) throws(RecordError) -> Value {
    guard let json = members[index], !json.isNull else { return value }
    guard let value = json.stringValue.flatMap(Value.init(rawValue:)) else {
      let known = Value.allCases.map(\.rawValue).joined(separator: ", ")
      throw RecordError(
        .invalidArguments, "a sort descriptor takes one of \(known) for \(Self.members[index])")
    }
    return value
  }

  /// Appends the JSON that ``init(json:)`` reads, all members written out.
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("key")
    writer.string(key)
    writer.key("ascending")
    writer.bool(ascending)
    writer.key("nulls")
    writer.string(nulls.rawValue)
    writer.key("collation")
    writer.string(collation.rawValue)
    writer.endObject()
  }
}
