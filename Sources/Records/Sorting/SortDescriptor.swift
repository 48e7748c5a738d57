public import JSONRPC

/// One key that records are sorted by: the value at a path, or how far the location there is from another.
public struct SortDescriptor: Sendable, Hashable {
  public enum Nulls: String, Sendable, CaseIterable {
    /// First ascending, last descending; always last where distances are sorted by.
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
  /// Not nil: records are sorted by the distance from here of the location at the path, in metres; what is no
  /// location is as null. The collation is of no use then.
  public var relativeLocation: Location?

  public init(
    _ path: FieldPath, ascending: Bool = true, nulls: Nulls = .default, collation: Collation = .codePoint,
    relativeLocation: Location? = nil
  ) {
    self.path = path
    self.ascending = ascending
    self.nulls = nulls
    self.collation = collation
    self.relativeLocation = relativeLocation
  }

  /// The path as it was sent.
  public var key: String { path.components.joined(separator: ".") + (path.countsElements ? ".@count" : "") }

  /// Whether a record without a value comes before those that have one.
  public var nullsComeFirst: Bool {
    switch nulls {
    // Whoever asks for what is near wants no record without a place, from neither end.
    case .default: ascending && relativeLocation == nil
    case .first: true
    case .last: false
    }
  }

  private static let members = ["key", "ascending", "nulls", "collation", "relativeLocation"]

  /// Those of a list that is called `name`. Throws as ``init(json:at:)``, and names the one that is wrong.
  public static func list(_ elements: [JSON], named name: String) throws(RecordError) -> [SortDescriptor] {
    var list: [SortDescriptor] = []
    for json in elements {
      let place = "\(name)[\(list.count)]"
      do throws(RecordError) {
        list.append(try SortDescriptor(json: json, at: place))
      } catch {
        throw RecordError(error.code, error.message, details: [.init(name: "parameter", text: place)])
      }
    }
    return list
  }

  /// Reads `{"key", "ascending"?, "nulls"?, "collation"?, "relativeLocation"?}`, the last as a location value
  /// (`{"$location":…}`). Throws `invalidArguments` for anything else.
  /// `place` is what it is called in the message.
  public init(json: JSON, at place: String = "a sort descriptor") throws(RecordError) {
    let members = try json.members(of: place, known: Self.members)
    guard let key = members[0]?.stringValue, let path = try FieldPath(key: key) else {
      throw RecordError(.invalidArguments, "\(place) takes the name of a field for key")
    }
    var ascending = true
    if let json = members[1], !json.isNull {
      guard let value = json.boolValue else {
        throw RecordError(.invalidArguments, "\(place) takes true or false for ascending")
      }
      ascending = value
    }
    self.init(
      path, ascending: ascending,
      nulls: try Self.choice(2, members, place, default: .default),
      collation: try Self.choice(3, members, place, default: .codePoint),
      relativeLocation: try Self.location(members[4], place))
    if relativeLocation != nil, collation != .codePoint {
      throw RecordError(
        .invalidArguments, "\(place) with relativeLocation sorts by distance and takes no collation")
    }
  }

  private static func location(_ json: JSON?, _ place: String) throws(RecordError) -> Location? {
    guard let json, !json.isNull else { return nil }
    guard case .location(let location)? = try FieldValue(json: json) else {
      throw RecordError(
        .invalidArguments, "\(place) takes {\"$location\": …} for relativeLocation")
    }
    return location
  }

  private static func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ index: Int, _ members: [JSON?], _ place: String, default value: Value
  ) throws(RecordError) -> Value {
    guard let json = members[index], !json.isNull else { return value }
    guard let value = json.stringValue.flatMap(Value.init(rawValue:)) else {
      let known = Value.allCases.map(\.rawValue).joined(separator: ", ")
      throw RecordError(
        .invalidArguments, "\(place) takes one of \(known) for \(Self.members[index])")
    }
    return value
  }

  /// Appends the JSON that ``init(json:)`` reads, all members written out but for a location that is not
  /// there.
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
    if let relativeLocation {
      writer.key("relativeLocation")
      FieldValue.location(relativeLocation).write(to: &writer)
    }
    writer.endObject()
  }
}
