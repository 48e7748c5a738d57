/// Expressions: arithmetic and what stands between its signs.
///
/// Read by recursion, which ``Predicate/maximumExpressionDepth`` bounds.
extension PredicateParser {
  /// An expression as far as it was read.
  struct Term {
    var expression: Predicate.Expression
    /// Levels of operators and functions; a value or a path has none.
    var depth = 0
    /// Where it begins.
    let offset: Int
  }

  /// A key path, a literal, a list, an argument or a variable, what is worked out of such, also in
  /// parentheses. `expected` names what should stand here.
  mutating func value(expected: String) throws(PredicateSyntaxError) -> Predicate.Expression {
    try term(expected: expected).expression
  }

  /// `binding`: how tightly the signs must bind that still belong to it.
  mutating func term(expected: String, binding: Int = 0) throws(PredicateSyntaxError) -> Term {
    var left = try signedTerm(expected: expected)
    while case .sign(let sign) = token.kind, let operation = sign.arithmetic, operation.binding >= binding {
      position += 1
      let right = try term(expected: "a number or a date", binding: operation.binding + 1)
      left = try combined(operation, left, right)
    }
    return left
  }

  /// With the minuses in front, which bind more tightly than any other sign.
  private mutating func signedTerm(expected: String) throws(PredicateSyntaxError) -> Term {
    let negations = try takeMinuses()
    if negations == 0 { return try simpleTerm(expected: expected) }
    if case .number = token.kind { return try negated(try negativeNumber(), times: negations - 1) }
    return try negated(try simpleTerm(expected: "a number"), times: negations)
  }

  /// Bounded before constants too, which have no depth.
  private mutating func takeMinuses() throws(PredicateSyntaxError) -> Int {
    let start = position
    while token.kind == .sign(.minus) {
      if position - start == Predicate.maximumExpressionDepth { throw Self.tooDeep(at: token.offset) }
      position += 1
    }
    return position - start
  }

  /// The number that is the next token, with the minus before it: the smallest integer has no positive one.
  private mutating func negativeNumber() throws(PredicateSyntaxError) -> Term {
    let offset = tokens[position - 1].offset
    guard case .number(let digits) = token.kind else { throw .init(at: offset, expected: "a number") }
    position += 1
    return Term(expression: .value(try Self.number("-" + digits, at: offset)), offset: offset)
  }

  private func negated(_ term: Term, times count: Int) throws(PredicateSyntaxError) -> Term {
    var term = term
    for _ in 0..<count {
      term = try combined(.subtract, Term(expression: .value(.int64(0)), offset: term.offset), term)
    }
    return term
  }

  func combined(
    _ operation: Predicate.ArithmeticOperation, _ left: Term, _ right: Term
  ) throws(PredicateSyntaxError) -> Term {
    for side in [left, right] {
      switch side.expression {
      case .value(.int64), .value(.double), .value(.date), .value(nil), .path, .element, .arithmetic,
        .distance, .cast:
        continue
      case .value, .list, .box, .polygon, .allText:
        throw .init(
          at: side.offset, expected: "a number or a date", problem: "this can't be calculated with")
      }
    }
    if case .value(let leftValue) = left.expression, case .value(let rightValue) = right.expression {
      return Term(expression: .value(operation.result(leftValue, rightValue)), offset: left.offset)
    }
    return try nested(
      .arithmetic(operation, left.expression, right.expression), left, right, at: left.offset)
  }

  /// An expression around others.
  func nested(
    _ expression: Predicate.Expression, _ parts: Term..., at offset: Int
  ) throws(PredicateSyntaxError) -> Term {
    let depth = 1 + (parts.map(\.depth).max() ?? 0)
    if depth > Predicate.maximumExpressionDepth { throw Self.tooDeep(at: offset) }
    return Term(expression: expression, depth: depth, offset: offset)
  }

  static func tooDeep(at offset: Int) -> PredicateSyntaxError {
    .init(
      at: offset, expected: "a simpler expression",
      problem: "more than \(Predicate.maximumExpressionDepth) levels of parentheses, functions and operators"
    )
  }

  // MARK: Between the signs

  /// What goes deeper is told from what doesn't here, so that the stack that a level takes stays small.
  private mutating func simpleTerm(expected: String) throws(PredicateSyntaxError) -> Term {
    switch token.kind {
    case .sign(.openParenthesis): return try parenthesized(expected: expected)
    case .sign(.openBrace): return try list()
    case .function: return try namedFunction()
    case .word where isCast: return try cast()
    default: return try leaf(expected: expected)
    }
  }

  private mutating func parenthesized(expected: String) throws(PredicateSyntaxError) -> Term {
    let offset = token.offset
    try enter()
    return try closed(try term(expected: expected), at: offset)
  }

  /// Behind what stands in parentheses.
  private mutating func closed(_ inner: Term, at offset: Int) throws(PredicateSyntaxError) -> Term {
    try leave()
    var expression = inner.expression
    if case .path(let path) = expression, token.kind == .sign(.openBracket) {
      expression = try self.path(after: path.components, isCounting: path.countsElements)
    }
    return Term(expression: expression, depth: inner.depth, offset: offset)
  }

  /// A term without others in it.
  mutating func leaf(expected: String) throws(PredicateSyntaxError) -> Term {
    let offset = token.offset
    let expression: Predicate.Expression
    switch token.kind {
    case .collectionOperator: throw .init(at: offset, expected: "a key path before the @")
    case .sign, .end, .function: throw .init(at: offset, expected: expected)
    default: position += 1
    }
    switch tokens[position - 1].kind {
    case .text(let text): expression = .value(.string(text))
    case .number(let digits): expression = .value(try Self.number(digits, at: offset))
    case .argument(.keyPath): expression = try path(after: arguments.nextKeyPath(at: offset))
    case .argument(let conversion): expression = try arguments.next(conversion, at: offset)
    case .variable(let name): expression = try arguments.variable(name, at: offset)
    case .name(let name): expression = try path(after: [name])
    case .word(let word):
      expression = try meaning(of: word, tokens[position - 1].keyword, at: offset, expected: expected)
    case .collectionOperator, .sign, .end, .function: throw .init(at: offset, expected: expected)
    }
    return Term(expression: expression, offset: offset)
  }

  /// Goes into a parenthesis or a brace, which is the next token.
  mutating func enter() throws(PredicateSyntaxError) {
    nesting += 1
    if nesting > Predicate.maximumExpressionDepth { throw Self.tooDeep(at: token.offset) }
    position += 1
  }

  /// Out of a parenthesis.
  mutating func leave() throws(PredicateSyntaxError) {
    guard take(.closeParenthesis) else { throw .init(at: token.offset, expected: ")") }
    nesting -= 1
  }

  static func number(_ digits: String, at offset: Int) throws(PredicateSyntaxError) -> FieldValue {
    if let integer = Int64(digits) { return .int64(integer) }
    let isInteger = digits.utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0 &- UInt8(ascii: "0") < 10 }
    guard let double = Double(digits), double.isFinite, !isInteger || double.hasShortestDigits(of: digits)
    else {
      throw .init(at: offset, expected: "a number that fits 64 bits")
    }
    return .double(double)
  }

  private mutating func meaning(
    of word: String, _ keyword: String, at offset: Int, expected: String
  ) throws(PredicateSyntaxError) -> Predicate.Expression {
    switch keyword {
    case "TRUE", "YES": return .value(.boolean(true))
    case "FALSE", "NO": return .value(.boolean(false))
    case "NULL", "NIL": return .value(nil)
    case "SELF": return take(.point) ? try path(after: [try component()]) : .allText
    case "ALLTOKENS": return .allText
    case _ where PredicateText.reservedWords.contains(keyword):
      throw .init(
        at: offset, expected: expected,
        problem: "\(word) is a word of the language (a field of that name is written `\(word)`)")
    default:
      if token.kind == .sign(.openParenthesis) { return try simpleFunction(word, keyword, at: offset) }
      return try path(after: [word])
    }
  }

  // MARK: Lists

  private mutating func list() throws(PredicateSyntaxError) -> Term {
    let offset = token.offset
    try enter()
    var elements: [Predicate.Expression] = []
    var depth = 0
    if token.kind != .sign(.closeBrace) {
      repeat {
        if token.kind == .sign(.openBrace) { throw Self.listInList(at: token.offset) }
        try Self.add(try term(expected: "a value"), to: &elements, &depth)
      } while take(.comma)
    }
    guard take(.closeBrace) else { throw .init(at: token.offset, expected: ", or }") }
    nesting -= 1
    return Term(expression: .list(elements), depth: depth, offset: offset)
  }

  private static func add(
    _ element: Term, to elements: inout [Predicate.Expression], _ depth: inout Int
  ) throws(PredicateSyntaxError) {
    switch element.expression {
    case .list: throw listInList(at: element.offset)
    case .allText: throw allTextElsewhere(at: element.offset)
    default: break
    }
    elements.append(element.expression)
    depth = max(depth, element.depth)
  }

  private static func listInList(at offset: Int) -> PredicateSyntaxError {
    .init(at: offset, expected: "a single value", problem: "a list can't be in a list")
  }

  static func allTextElsewhere(at offset: Int) -> PredicateSyntaxError {
    .init(
      at: offset, expected: "a key path or a value",
      problem: "the text of the whole record stands only on the left of CONTAINS and TOKENMATCHES")
  }
}

extension Predicate.ArithmeticOperation {
  /// How tightly its sign binds.
  var binding: Int {
    switch self {
    case .add, .subtract: 1
    case .multiply, .divide, .remainder: 2
    case .power: 3
    }
  }
}
