/// Functions. Their names are words only in front of a parenthesis, which is the next token here.
extension PredicateParser {
  /// `now()`, `CAST(value, 'type')`
  mutating func function(
    _ name: String, _ keyword: String, at offset: Int
  ) throws(PredicateSyntaxError) -> Term {
    switch keyword {
    case "NOW":
      position += 1
      guard take(.closeParenthesis) else { throw .init(at: token.offset, expected: ")") }
      return Term(expression: .value(.date(now)), offset: offset)
    case "CAST": return try cast(at: offset)
    default: throw Self.unknownFunction(name, at: offset)
    }
  }

  /// The functions whose names have colons, each in front of an argument.
  mutating func function(_ name: String, at offset: Int) throws(PredicateSyntaxError) -> Term {
    position += 1
    let operation = Self.arithmeticFunctions[name]
    guard operation != nil || name == "distanceToLocation:fromLocation:" else {
      throw Self.unknownFunction(name, at: offset)
    }
    let expected = operation == nil ? "a location" : "a number or a date"
    guard token.kind == .sign(.openParenthesis) else {
      throw .init(at: token.offset, expected: "( and two values")
    }
    try enter()
    let first = try term(expected: expected)
    guard take(.comma) else { throw .init(at: token.offset, expected: ", and the second value") }
    let second = try term(expected: expected)
    guard take(.closeParenthesis) else { throw .init(at: token.offset, expected: ")") }
    nesting -= 1
    guard let operation else { return try distance(first, second, at: offset) }
    let result = try combined(operation, first, second)
    return Term(expression: result.expression, depth: result.depth, offset: offset)
  }

  private func distance(_ from: Term, _ to: Term, at offset: Int) throws(PredicateSyntaxError) -> Term {
    for side in [from, to] {
      switch side.expression {
      case .path, .element, .value(.location), .value(nil): continue
      default: throw .init(at: side.offset, expected: "a location or the key path of one")
      }
    }
    if case .value(let fromValue) = from.expression, case .value(let toValue) = to.expression {
      return Term(expression: .value(Predicate.Expression.distance(fromValue, toValue)), offset: offset)
    }
    return try nested(.distance(from.expression, to.expression), from, to, at: offset)
  }

  /// The names by which NSExpression knows the signs.
  private static let arithmeticFunctions: [String: Predicate.ArithmeticOperation] = [
    "add:to:": .add, "from:subtract:": .subtract, "multiply:by:": .multiply, "divide:by:": .divide,
    "modulus:by:": .remainder, "raise:toPower:": .power,
  ]

  private static func unknownFunction(_ name: String, at offset: Int) -> PredicateSyntaxError {
    .init(
      at: offset,
      expected: "a key path, a value, now(), CAST(value, type) or distanceToLocation:fromLocation:(a, b)",
      problem: "the function \(name) is not supported")
  }

  private mutating func cast(at offset: Int) throws(PredicateSyntaxError) -> Term {
    try enter()
    let inner = try term(expected: "a value")
    switch inner.expression {
    case .list, .box, .polygon, .allText: throw .init(at: inner.offset, expected: "a single value")
    default: break
    }
    guard take(.comma) else { throw .init(at: token.offset, expected: ", and the type") }
    let typeOffset = token.offset
    guard case .value(.string(let name)) = try value(expected: Self.expectedTypes),
      let type = Predicate.CastType(rawValue: name)
    else { throw .init(at: typeOffset, expected: Self.expectedTypes) }
    guard take(.closeParenthesis) else { throw .init(at: token.offset, expected: ")") }
    nesting -= 1
    guard case .value(let value) = inner.expression else {
      return try nested(.cast(inner.expression, type), inner, at: offset)
    }
    let result = type.cast(value)
    if value != nil, result == nil { throw Self.unreadable(type, at: inner.offset) }
    return Term(expression: .value(result), offset: offset)
  }

  private static let expectedTypes = "'NSDate', 'NSNumber' or 'NSString'"

  private static func unreadable(_ type: Predicate.CastType, at offset: Int) -> PredicateSyntaxError {
    switch type {
    case .date:
      .init(at: offset, expected: "a date such as '2026-12-01T09:30:00Z'", problem: "this is no date")
    case .number: .init(at: offset, expected: "a number such as '1.5'", problem: "this is no number")
    case .text: .init(at: offset, expected: "a text, number or date", problem: "this can't be a text")
    }
  }
}
