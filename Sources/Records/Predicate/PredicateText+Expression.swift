import JSONRPC

extension Predicate.Expression {
  /// In one spelling, that is read back as the same where the language has a literal for each value.
  func write(to text: inout String) {
    switch self {
    case .path(let path): text += path.description
    case .element(let path): text += path.description
    case .value(let value): Self.write(value, to: &text)
    case .list(let elements): Self.write(elements, "{", "}", to: &text)
    case .box(let box):
      text += "BOX(\(box.southwest.latitude), \(box.southwest.longitude), "
      text += "\(box.northeast.latitude), \(box.northeast.longitude))"
    case .polygon(let polygon):
      text += "POLYGON("
      text += polygon.corners.map { "\($0.latitude), \($0.longitude)" }.joined(separator: ", ")
      text += ")"
    case .allText: text += "SELF"
    case .arithmetic(let operation, let left, let right):
      left.writeSide(binding: operation.binding, to: &text)
      text += " " + operation.rawValue + " "
      right.writeSide(binding: operation.binding + 1, to: &text)
    case .distance(let from, let to):
      text += "distanceToLocation:fromLocation:"
      Self.write([from, to], "(", ")", to: &text)
    case .cast(let inner, let type):
      text += "CAST"
      Self.write([inner, .value(.string(type.rawValue))], "(", ")", to: &text)
    }
  }

  /// As one side of a sign, in parentheses unless it binds at least so tightly.
  private func writeSide(binding: Int, to text: inout String) {
    guard case .arithmetic(let operation, _, _) = self, operation.binding < binding else {
      return write(to: &text)
    }
    text += "("
    write(to: &text)
    text += ")"
  }

  private static func write(
    _ elements: [Predicate.Expression], _ opening: String, _ closing: String, to text: inout String
  ) {
    text += opening
    for (index, element) in elements.enumerated() {
      if index > 0 { text += ", " }
      element.write(to: &text)
    }
    text += closing
  }

  private static func write(_ value: FieldValue?, to text: inout String) {
    switch value {
    case nil: text += "NULL"
    case .boolean(let truth): text += truth ? "TRUE" : "FALSE"
    case .int64(let integer): text += "\(integer)"
    case .double(let double): text += "\(double)"
    case .date(let date): text += "CAST('\(DateText.format(date))', 'NSDate')"
    case .string(let string): write(string, to: &text)
    case .some(let other): text += "%@" + other.json.text
    }
  }

  private static func write(_ string: String, to text: inout String) {
    text += "'"
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\\": text += "\\\\"
      case "'": text += "\\'"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "'"
  }
}

extension Predicate.ElementPath: CustomStringConvertible {
  /// As a predicate spells it.
  public var description: String {
    let position =
      switch position {
      case .index(let index): "\(index)"
      case .first: "FIRST"
      case .last: "LAST"
      }
    let names = rest.map(PredicateText.name) + (countsElements ? ["@count"] : [])
    return "\(list)[\(position)]" + names.map { "." + $0 }.joined()
  }
}
