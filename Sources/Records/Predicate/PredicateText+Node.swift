import JSONRPC

extension Predicate: CustomStringConvertible {
  /// The condition in one spelling, arguments filled in: the same for predicates that were written
  /// differently and have the same tree. A value for which the language has no literal is shown as `%@` and
  /// its JSON.
  public var text: String {
    var text = ""
    root.write(to: &text)
    return text
  }

  public var description: String { text }
}

extension Predicate.Node {
  fileprivate func write(to text: inout String) {
    switch self {
    case .constant(let truth): text += truth ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .comparison(let comparison): comparison.write(to: &text)
    case .not(let inner):
      text += "NOT "
      inner.writePart(to: &text)
    case .and(let parts): Self.write(parts, " AND ", to: &text)
    case .or(let parts): Self.write(parts, " OR ", to: &text)
    }
  }

  private static func write(_ parts: [Predicate.Node], _ connective: String, to text: inout String) {
    for (index, part) in parts.enumerated() {
      if index > 0 { text += connective }
      part.writePart(to: &text)
    }
  }

  private func writePart(to text: inout String) {
    switch self {
    case .and, .or:
      text += "("
      write(to: &text)
      text += ")"
    default: write(to: &text)
    }
  }
}

extension Predicate.Comparison {
  fileprivate func write(to text: inout String) {
    if let quantifier { text += quantifier.rawValue + " " }
    left.write(to: &text)
    text += " " + operation.rawValue
    if !folding.isEmpty {
      text += "["
      if folding.contains(.caseInsensitive) { text += "c" }
      if folding.contains(.diacriticInsensitive) { text += "d" }
      text += "]"
    }
    text += " "
    right.write(to: &text)
  }
}

extension Predicate.Expression {
  fileprivate func write(to text: inout String) {
    switch self {
    case .path(let path): text += path.description
    case .value(let value): Self.write(value, to: &text)
    case .list(let elements):
      text += "{"
      for (index, element) in elements.enumerated() {
        if index > 0 { text += ", " }
        element.write(to: &text)
      }
      text += "}"
    case .box(let box):
      text += "BOX(\(box.southwest.latitude), \(box.southwest.longitude), "
      text += "\(box.northeast.latitude), \(box.northeast.longitude))"
    }
  }

  private static func write(_ value: FieldValue?, to text: inout String) {
    switch value {
    case nil: text += "NULL"
    case .boolean(let truth): text += truth ? "TRUE" : "FALSE"
    case .int64(let integer): text += "\(integer)"
    case .double(let double): text += "\(double)"
    case .string(let string):
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
    case .some(let other): text += "%@" + other.json.text
    }
  }
}
