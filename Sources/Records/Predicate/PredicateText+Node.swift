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
    text += " " + (operation == .containsWords ? "CONTAINS" : operation.rawValue)
    if !folding.isEmpty || matchesPrefixes {
      text += "["
      if folding.contains(.caseInsensitive) { text += "c" }
      if folding.contains(.diacriticInsensitive) { text += "d" }
      if matchesPrefixes { text += "p" }
      text += "]"
    }
    text += " "
    right.write(to: &text)
  }
}
