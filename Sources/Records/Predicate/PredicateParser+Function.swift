/// Functions. Their names are words only in front of a parenthesis, which is the next token here.
extension PredicateParser {
  /// `now()`
  mutating func simpleFunction(
    _ name: String, _ keyword: String, at offset: Int
  ) throws(PredicateSyntaxError) -> Predicate.Expression {
    guard keyword == "NOW" else { throw Self.unknownFunction(name, at: offset) }
    position += 1
    guard take(.closeParenthesis) else { throw .init(at: token.offset, expected: ")") }
    return .value(.date(now))
  }

  /// The functions whose names have colons, each in front of an argument; the name is the next token.
  mutating func namedFunction() throws(PredicateSyntaxError) -> Term {
    let start = position
    let expected = try enterNamedFunction()
    let first = try term(expected: expected)
    guard take(.comma) else { throw .init(at: token.offset, expected: ", and the second value") }
    return try applied(start, first, try term(expected: expected))
  }

  /// What is expected in its parentheses.
  private mutating func enterNamedFunction() throws(PredicateSyntaxError) -> String {
    guard case .function(let name) = token.kind else { throw .init(at: token.offset, expected: "a function") }
    let isArithmetic = Self.arithmeticFunctions[name] != nil
    guard isArithmetic || name == "distanceToLocation:fromLocation:" else {
      throw Self.unknownFunction(name, at: token.offset)
    }
    position += 1
    guard token.kind == .sign(.openParenthesis) else {
      throw .init(at: token.offset, expected: "( and two values")
    }
    try enter()
    return isArithmetic ? "a number or a date" : "a location"
  }

  private mutating func applied(
    _ start: Int, _ first: Term, _ second: Term
  ) throws(PredicateSyntaxError) -> Term {
    try leave()
    let offset = tokens[start].offset
    guard case .function(let name) = tokens[start].kind, let operation = Self.arithmeticFunctions[name] else {
      return try distance(first, second, at: offset)
    }
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

  /// Whether CAST and its parenthesis come next. The word by itself may be the name of a field.
  var isCast: Bool { token.keyword == "CAST" && tokens[position + 1].kind == .sign(.openParenthesis) }

  mutating func cast() throws(PredicateSyntaxError) -> Term {
    let offset = token.offset
    position += 1
    try enter()
    return try cast(try term(expected: "a value"), at: offset)
  }

  /// Behind the value.
  private mutating func cast(_ inner: Term, at offset: Int) throws(PredicateSyntaxError) -> Term {
    switch inner.expression {
    case .list, .box, .polygon, .allText: throw .init(at: inner.offset, expected: "a single value")
    default: break
    }
    guard take(.comma) else { throw .init(at: token.offset, expected: ", and the type") }
    let type = try castType()
    try leave()
    guard case .value(let value) = inner.expression else {
      return try nested(.cast(inner.expression, type), inner, at: offset)
    }
    let result = type.cast(value)
    if value != nil, result == nil { throw Self.unreadable(type, at: inner.offset) }
    return Term(expression: .value(result), offset: offset)
  }

  private mutating func castType() throws(PredicateSyntaxError) -> Predicate.CastType {
    let offset = token.offset
    guard case .value(.string(let name)) = try leaf(expected: Self.expectedTypes).expression,
      let type = Predicate.CastType(rawValue: name)
    else { throw .init(at: offset, expected: Self.expectedTypes) }
    return type
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
