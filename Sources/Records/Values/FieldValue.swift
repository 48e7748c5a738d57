public import JSONRPC

/// The value of a field. A field that is missing or null has none: `FieldValue?` is nil.
public enum FieldValue: Sendable {
  case string(String)
  case int64(Int64)
  /// Always finite.
  case double(Double)
  case boolean(Bool)
  /// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted; years 1 to 9999.
  case date(Int64)
  case bytes([UInt8])
  case location(Location)
  case reference(Reference)
  case asset(Asset)
  /// Values of one type, none of them a list. (Only the list of a predicate may mix types.)
  case list([FieldValue])
  /// A JSON object without white space between its tokens, none of whose members starts with `$`.
  case object(JSON)
}

extension FieldValue {
  /// The type that a field gets by this value; nil for an empty list, which fits every list field.
  public var type: FieldType? {
    switch self {
    case .list(let elements): elements.first.flatMap(\.element).map { FieldType($0, isList: true) }
    default: element.map { FieldType($0) }
    }
  }

  /// The type of a single value; nil for a list.
  var element: FieldType.Element? {
    switch self {
    case .string: .string
    case .int64: .int64
    case .double: .double
    case .boolean: .boolean
    case .date: .date
    case .bytes: .bytes
    case .location: .location
    case .reference: .reference
    case .asset: .asset
    case .object: .object
    case .list: nil
    }
  }
}

/// The same stored value: the same type, and the same bytes of text. What a predicate calls equal is wider
/// (``equals(_:folding:)``).
extension FieldValue: Equatable {
  public static func == (left: FieldValue, right: FieldValue) -> Bool {
    switch (left, right) {
    case (.string(let left), .string(let right)): left.hasSameUTF8(as: right)
    case (.int64(let left), .int64(let right)): left == right
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    case (.boolean(let left), .boolean(let right)): left == right
    case (.date(let left), .date(let right)): left == right
    case (.bytes(let left), .bytes(let right)): left == right
    case (.location(let left), .location(let right)): left == right
    case (.reference(let left), .reference(let right)): left == right
    case (.asset(let left), .asset(let right)): left == right
    case (.list(let left), .list(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }
}

extension String {
  /// Whether the UTF-8 is the same, byte for byte. Names of fields, records and zones are told apart so,
  /// where `==` would take composed and decomposed characters for one.
  public func hasSameUTF8(as other: String) -> Bool {
    utf8.span.isEqual(to: other.utf8.span)
  }
}
