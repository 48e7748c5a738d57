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
    let start = token.offset
    var negations = 0
    while token.kind == .sign(.minus) {
      position += 1
      if case .number(let digits) = token.kind {
        let number = try Self.number("-" + digits, at: tokens[position - 1].offset)
        position += 1
        return try negated(Term(expression: .value(number), offset: start), times: negations)
      }
      negations += 1
    }
    return try negated(try simpleTerm(expected: negations == 0 ? expected : "a number"), times: negations)
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

  private mutating func simpleTerm(expected: String) throws(PredicateSyntaxError) -> Term {
    let offset = token.offset
    switch token.kind {
    case .text(let text):
      position += 1
      return Term(expression: .value(.string(text)), offset: offset)
    case .number(let digits):
      position += 1
      return Term(expression: .value(try Self.number(digits, at: offset)), offset: offset)
    case .argument(.keyPath):
      position += 1
      return Term(expression: try path(after: arguments.nextKeyPath(at: offset)), offset: offset)
    case .argument(let conversion):
      position += 1
      return Term(expression: try arguments.next(conversion, at: offset), offset: offset)
    case .variable(let name):
      position += 1
      return Term(expression: try arguments.variable(name, at: offset), offset: offset)
    case .name(let name):
      position += 1
      return Term(expression: try path(after: [name]), offset: offset)
    case .sign(.openParenthesis):
      try enter()
      var term = try term(expected: expected)
      guard take(.closeParenthesis) else { throw .init(at: token.offset, expected: ")") }
      nesting -= 1
      if case .path(let path) = term.expression, token.kind == .sign(.openBracket) {
        term.expression = try self.path(after: path.components, isCounting: path.countsElements)
      }
      return Term(expression: term.expression, depth: term.depth, offset: offset)
    case .sign(.openBrace): return try list()
    case .function(let name): return try function(name, at: offset)
    case .word(let word): return try self.word(word, token.keyword, at: offset, expected: expected)
    case .collectionOperator:
      throw .init(at: offset, expected: "a key path before the @")
    case .sign, .end:
      throw .init(at: offset, expected: expected)
    }
  }

  /// Goes into a parenthesis or a brace, which is the next token.
  mutating func enter() throws(PredicateSyntaxError) {
    nesting += 1
    if nesting > Predicate.maximumExpressionDepth { throw Self.tooDeep(at: token.offset) }
    position += 1
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

  private mutating func word(
    _ word: String, _ keyword: String, at offset: Int, expected: String
  ) throws(PredicateSyntaxError) -> Term {
    position += 1
    switch keyword {
    case "TRUE", "YES": return Term(expression: .value(.boolean(true)), offset: offset)
    case "FALSE", "NO": return Term(expression: .value(.boolean(false)), offset: offset)
    case "NULL", "NIL": return Term(expression: .value(nil), offset: offset)
    case "SELF":
      guard take(.point) else { return Term(expression: .allText, offset: offset) }
      return Term(expression: try path(after: [try component()]), offset: offset)
    case "ALLTOKENS": return Term(expression: .allText, offset: offset)
    case _ where PredicateText.reservedWords.contains(keyword):
      throw .init(
        at: offset, expected: expected,
        problem: "\(word) is a word of the language (a field of that name is written `\(word)`)")
    default:
      if token.kind == .sign(.openParenthesis) { return try function(word, keyword, at: offset) }
      return Term(expression: try path(after: [word]), offset: offset)
    }
  }

  // MARK: Lists

  private mutating func list() throws(PredicateSyntaxError) -> Term {
    let start = token.offset
    try enter()
    var elements: [Predicate.Expression] = []
    var depth = 0
    if token.kind != .sign(.closeBrace) {
      repeat {
        let offset = token.offset
        if token.kind == .sign(.openBrace) { throw Self.listInList(at: offset) }
        let element = try term(expected: "a value")
        switch element.expression {
        case .list: throw Self.listInList(at: offset)
        case .allText: throw Self.allTextElsewhere(at: offset)
        default: break
        }
        elements.append(element.expression)
        depth = max(depth, element.depth)
      } while take(.comma)
    }
    guard take(.closeBrace) else { throw .init(at: token.offset, expected: ", or }") }
    nesting -= 1
    return try nested(.list(elements), Term(expression: .list([]), depth: depth, offset: start), at: start)
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
