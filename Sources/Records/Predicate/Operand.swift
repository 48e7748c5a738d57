import JSONRPC

/// One side of a comparison, as it is for a certain record.
enum Operand: Sendable {
  /// Not a list; nil is null.
  case single(FieldValue?)
  /// The members of a list, null ones included: JSON objects may hold such.
  case list([FieldValue?])

  init(_ value: FieldValue?) {
    if case .list(let elements)? = value { self = .list(elements) } else { self = .single(value) }
  }

  init(_ json: JSON?) {
    guard let json else {
      self = .single(nil)
      return
    }
    if json.kind == .array {
      self = .list(json.elements.map(FieldValue.init(stored:)))
    } else {
      self = .single(FieldValue(stored: json))
    }
  }

  /// What a quantifier goes through: null is as an empty list, a single value as a list of one.
  var elements: [FieldValue?] {
    switch self {
    case .single(nil): []
    case .single(let value): [value]
    case .list(let elements): elements
    }
  }

  var text: String? {
    if case .single(.string(let text)) = self { text } else { nil }
  }

  func equals(_ other: Operand, folding: TextFolding, inZone zoneName: String) -> Bool {
    switch (self, other) {
    case (.single(let left), .single(let right)): Self.equal(left, right, folding, zoneName)
    case (.list(let left), .list(let right)):
      left.elementsEqual(right) { Self.equal($0, $1, folding, zoneName) }
    default: false
    }
  }

  private static func equal(
    _ left: FieldValue?, _ right: FieldValue?, _ folding: TextFolding, _ zoneName: String
  ) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left.equals(right, folding: folding, inZone: zoneName)
  }

  func order(to other: Operand, folding: TextFolding) -> Order? {
    guard case .single(let left?) = self, case .single(let right?) = other else { return nil }
    return left.order(to: right, folding: folding)
  }
}
