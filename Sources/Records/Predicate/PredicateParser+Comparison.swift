extension PredicateParser {
  /// The operators that are words.
  static let operators: [String: Predicate.Operation] = [
    "BETWEEN": .between, "IN": .in, "CONTAINS": .contains, "BEGINSWITH": .beginsWith,
    "ENDSWITH": .endsWith, "LIKE": .like, "MATCHES": .matches, "TOKENMATCHES": .matchesWords,
    "WITHIN": .within,
  ]

  private static let quantifiers: [String: Predicate.Quantifier] = [
    "ANY": .anyElement, "SOME": .anyElement, "ALL": .allElements, "NONE": .noElement,
  ]

  /// `[quantifier] operand operator [options] operand`
  mutating func comparison() throws(PredicateSyntaxError) -> Predicate.Comparison {
    var quantifier: Predicate.Quantifier?
    if let found = Self.quantifiers[token.keyword] {
      quantifier = found
      position += 1
    }
    let start = token.offset
    let left = try value(expected: quantifier == nil ? "a condition" : "a key path")
    if left == .allText, quantifier != nil { throw .init(at: start, expected: "a key path") }
    let operation = try operation(on: left, at: start)
    let options = try options(of: operation)
    let right = try right(of: operation, folding: options.folding)
    return Predicate.Comparison(
      left, operation, right, folding: operation.isOfWords ? [] : options.folding,
      matchesPrefixes: options.matchesPrefixes, quantifier: quantifier)
  }

  private mutating func operation(
    on left: Predicate.Expression, at start: Int
  ) throws(PredicateSyntaxError) -> Predicate.Operation {
    let operation = try operation()
    guard left == .allText else { return operation }
    switch operation {
    case .contains: return .containsWords
    case .matchesWords: return .matchesWords
    default: throw Self.allTextElsewhere(at: start)
    }
  }

  private mutating func operation() throws(PredicateSyntaxError) -> Predicate.Operation {
    let offset = token.offset
    switch token.kind {
    case .sign(let sign):
      let operation: Predicate.Operation? =
        switch sign {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        default: nil
        }
      if let operation {
        position += 1
        return operation
      }
    case .word:
      let word = token.keyword
      if let operation = Self.operators[word] {
        position += 1
        return operation
      }
      if word == "NOT" {
        throw .init(at: offset, expected: "an operator", problem: "NOT stands before the whole comparison")
      }
    default: break
    }
    if token.keyword == "IS" {
      throw .init(at: offset, expected: "an operator", problem: "IS is none (null is found with = NULL)")
    }
    throw .init(at: offset, expected: "an operator")
  }

  private struct Options {
    var folding: TextFolding = []
    var matchesPrefixes = false
  }

  /// Letters in brackets, in any case and order; nothing is none. `l`, which asks for the rules of a language,
  /// changes nothing: text is compared as Unicode has it.
  private mutating func options(
    of operation: Predicate.Operation
  ) throws(PredicateSyntaxError) -> Options {
    var options = Options()
    let start = token.offset
    guard take(.openBracket) else { return options }
    if operation == .within {
      throw .init(at: start, expected: "BOX or POLYGON", problem: "WITHIN takes no options")
    }
    let expected =
      operation.isOfWords ? "c, d, cd, l or p" : "c, d, cd or l (and p with SELF CONTAINS and TOKENMATCHES)"
    guard case .word(let letters) = token.kind else { throw .init(at: token.offset, expected: expected) }
    for letter in letters.lowercased() {
      switch letter {
      case "c": options.folding.insert(.caseInsensitive)
      case "d": options.folding.insert(.diacriticInsensitive)
      case "l": break
      case "p" where operation.isOfWords: options.matchesPrefixes = true
      default: throw .init(at: token.offset, expected: expected)
      }
    }
    position += 1
    guard take(.closeBracket) else { throw .init(at: token.offset, expected: "]") }
    return options
  }

  /// The right side, of the shape that the operation needs.
  private mutating func right(
    of operation: Predicate.Operation, folding: TextFolding
  ) throws(PredicateSyntaxError) -> Predicate.Expression {
    let start = position
    let offset = token.offset
    if operation == .within { return try region() }
    if operation == .in || operation == .between { try refuseListInParentheses(behind: operation) }
    let right = try value(expected: Self.expectedRight(of: operation))
    switch (operation, right) {
    case (_, .allText): throw Self.allTextElsewhere(at: offset)
    case (.in, .value(.string)), (.in, .list), (.in, .path), (.in, .element), (.in, .cast(_, .text)): break
    case (.in, _): throw .init(at: offset, expected: Self.expectedRight(of: operation))
    case (.between, .list(let bounds)) where bounds.count == 2: break
    case (.between, _): throw .init(at: offset, expected: Self.expectedRight(of: operation))
    case (.containsWords, .value(.string(let text))), (.matchesWords, .value(.string(let text))):
      try checkWords(text, at: offset)
    case (.matches, .value(.string(let pattern))):
      try checkRegularExpression(pattern, folding: folding, startingAt: start)
    case (.containsWords, _), (.matchesWords, _), (.matches, _):
      throw .init(at: offset, expected: Self.expectedRight(of: operation))
    case (.like, .value(.string(let pattern))): try Self.checkLikePattern(pattern, at: offset)
    default: break
    }
    return right
  }

  /// `IN (17, 30)`: what begins as a list would in SQL.
  private func refuseListInParentheses(behind operation: Predicate.Operation) throws(PredicateSyntaxError) {
    guard token.kind == .sign(.openParenthesis), let end = end(ofParenthesisAt: position) else { return }
    var depth = 0
    for token in tokens[position..<end] {
      switch token.kind {
      case .sign(.openParenthesis), .sign(.openBrace): depth += 1
      case .sign(.closeParenthesis), .sign(.closeBrace): depth -= 1
      case .sign(.comma) where depth == 1:
        throw .init(
          at: token.offset, expected: Self.expectedRight(of: operation),
          problem: "a list stands in braces, {…}")
      default: break
      }
    }
  }

  private static func expectedRight(of operation: Predicate.Operation) -> String {
    switch operation {
    case .in: "a list or a text"
    case .between: "two bounds in braces, {low, high}"
    case .containsWords, .matchesWords: "a text with words"
    case .matches: "a text, the regular expression"
    default: "a value or a key path"
    }
  }
}
