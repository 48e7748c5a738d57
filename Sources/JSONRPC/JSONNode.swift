/// A JSON value as a tree, for those who make JSON by hand: tests and clients. The service reads and
/// writes text (``JSON``, ``JSONWriter``).
public enum JSONNode: Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string(String)
  case array([JSONNode])
  case object([(String, JSONNode)])
  /// A text that is kept as it is, a number too big for the other cases for instance.
  case json(JSON)

  /// The tree of a value. Numbers that are neither an `Int64` nor a finite double stay text.
  ///
  /// Recursive, as trees are: for values of the depth that ``JSON`` accepts by default.
  public init(_ json: JSON) {
    switch json.kind {
    case .null: self = .null
    case .boolean: self = .bool(json.boolValue ?? false)
    case .string: self = .string(json.stringValue ?? "")
    case .array: self = .array(json.elements.map { JSONNode($0) })
    case .object: self = .object(json.members.map { ($0.name, JSONNode($0.value)) })
    case .number:
      if let integer = json.int64Value {
        self = .int(integer)
      } else if !json.isIntegerText, let double = json.doubleValue {
        self = .double(double)
      } else {
        self = .json(json)
      }
    }
  }

  public init(parsing text: String) throws(JSONSyntaxError) {
    self.init(try JSON(parsing: text))
  }

  public var json: JSON { JSON(unchecked: encoded()) }

  /// The JSON text, without white space.
  public func encoded() -> [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }

  public func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.null()
    case .bool(let value): writer.bool(value)
    case .int(let value): writer.int(value)
    case .double(let value): writer.double(value)
    case .string(let value): writer.string(value)
    case .json(let value): writer.raw(value)
    case .array(let elements):
      writer.beginArray()
      for element in elements { element.write(to: &writer) }
      writer.endArray()
    case .object(let members):
      writer.beginObject()
      for (name, value) in members {
        writer.key(name)
        value.write(to: &writer)
      }
      writer.endObject()
    }
  }

  /// The value of the first member of that name (compared by bytes); nil when there is none, or this is
  /// not an object.
  public subscript(_ name: String) -> JSONNode? {
    guard case .object(let members) = expanded else { return nil }
    return members.first { $0.0.utf8.elementsEqual(name.utf8) }?.1
  }

  /// The element at that place; nil when there is none, or this is not an array.
  public subscript(_ index: Int) -> JSONNode? {
    guard case .array(let elements) = expanded, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// Kept text as a tree where it has one.
  private var expanded: JSONNode {
    if case .json(let json) = self { JSONNode(json) } else { self }
  }
}

extension JSON {
  /// Whether this number is written without point and exponent.
  fileprivate var isIntegerText: Bool {
    bytes.allSatisfy { Byte.isDigit($0) || $0 == Byte.minus }
  }
}

/// Equal values: members in any order, names and strings by their bytes, `1` apart from `1.0`.
extension JSONNode: Equatable {
  public static func == (left: JSONNode, right: JSONNode) -> Bool {
    switch (left.expanded, right.expanded) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.int(let left), .int(let right)): left == right
    case (.double(let left), .double(let right)): left == right
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.array(let left), .array(let right)): left == right
    case (.json(let left), .json(let right)): left == right
    case (.object(let left), .object(let right)): sameMembers(left, right)
    default: false
    }
  }

  private static func sameMembers(_ left: [(String, JSONNode)], _ right: [(String, JSONNode)]) -> Bool {
    guard left.count == right.count else { return false }
    let order = { (a: (String, JSONNode), b: (String, JSONNode)) in
      a.0.utf8.lexicographicallyPrecedes(b.0.utf8)
    }
    return zip(left.sorted(by: order), right.sorted(by: order)).allSatisfy {
      $0.0.utf8.elementsEqual($1.0.utf8) && $0.1 == $1.1
    }
  }
}

extension JSONNode: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .int(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: JSONNode...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSONNode)...) { self = .object(elements) }
}

extension JSONNode: CustomStringConvertible {
  public var description: String { String(decoding: encoded(), as: UTF8.self) }
}
