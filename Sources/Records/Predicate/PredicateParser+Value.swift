extension PredicateParser {
  /// A key path, a literal, a list (but not in one), an argument or a variable, also in parentheses.
  /// `expected` names what should stand here.
  mutating func value(
    expected: String, isInList: Bool = false
  ) throws(PredicateSyntaxError) -> Predicate.Expression {
    var parentheses = 0
    while take(.openParenthesis) { parentheses += 1 }
    let offset = token.offset
    if isInList, token.kind == .sign(.openBrace) { throw Self.listInList(at: offset) }
    let value = try bareValue(expected: expected)
    if isInList, case .list = value { throw Self.listInList(at: offset) }
    while parentheses > 0 {
      try refuseArithmetic()
      guard take(.closeParenthesis) else { throw .init(at: token.offset, expected: ")") }
      parentheses -= 1
    }
    try refuseArithmetic()
    return value
  }

  private static func listInList(at offset: Int) -> PredicateSyntaxError {
    .init(at: offset, expected: "a single value", problem: "a list can't be in a list")
  }

  private func refuseArithmetic() throws(PredicateSyntaxError) {
    if case .sign(let sign) = token.kind, sign.isArithmetic {
      throw .init(
        at: token.offset, expected: "an operator that compares",
        problem: "arithmetic is not supported yet (a name with '-' in it is written in backquotes)")
    }
  }

  private mutating func bareValue(expected: String) throws(PredicateSyntaxError) -> Predicate.Expression {
    let offset = token.offset
    switch token.kind {
    case .text(let text):
      position += 1
      return .value(.string(text))
    case .number(let digits):
      position += 1
      return .value(try Self.number(digits, at: offset))
    case .sign(.minus):
      position += 1
      guard case .number(let digits) = token.kind else { throw .init(at: token.offset, expected: "a number") }
      position += 1
      return .value(try Self.number("-" + digits, at: offset))
    case .sign(.openBrace):
      position += 1
      return try list()
    case .argument(.keyPath):
      position += 1
      return .path(try rest(of: arguments.nextKeyPath(at: offset)))
    case .argument(let conversion):
      position += 1
      return try arguments.next(conversion, at: offset)
    case .variable(let name):
      position += 1
      return try arguments.variable(name, at: offset)
    case .name(let name):
      position += 1
      return .path(try rest(of: [name]))
    case .word(let word):
      let keyword = token.keyword
      position += 1
      return try meaning(of: word, keyword, at: offset, expected: expected)
    case .collectionOperator:
      throw .init(at: offset, expected: "a key path before the @")
    case .sign, .end:
      throw .init(at: offset, expected: expected)
    }
  }

  private static func number(_ digits: String, at offset: Int) throws(PredicateSyntaxError) -> FieldValue {
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
    case "SELF":
      guard take(.point) else {
        throw .init(
          at: offset, expected: "a key path",
          problem: "SELF by itself, for the text of all fields, is not supported yet")
      }
      return .path(try rest(of: [try component()]))
    case _ where PredicateText.reservedWords.contains(keyword):
      throw .init(
        at: offset, expected: expected,
        problem: "\(word) is a word of the language (a field of that name is written `\(word)`)")
    default:
      guard token.kind != .sign(.openParenthesis) else {
        throw .init(at: offset, expected: expected, problem: "the function \(word) is not supported yet")
      }
      return .path(try rest(of: [word]))
    }
  }

  // MARK: Lists

  /// Behind the opening brace.
  private mutating func list() throws(PredicateSyntaxError) -> Predicate.Expression {
    var elements: [Predicate.Expression] = []
    if take(.closeBrace) { return .list(elements) }
    repeat {
      elements.append(try value(expected: "a value", isInList: true))
    } while take(.comma)
    guard take(.closeBrace) else { throw .init(at: token.offset, expected: ", or }") }
    return .list(elements)
  }

  // MARK: Key paths

  /// Behind the first names of a path: the others.
  private mutating func rest(of names: [String]) throws(PredicateSyntaxError) -> FieldPath {
    var names = names
    var countsElements = names.last == "@count"
    if countsElements { names.removeLast() }
    while !countsElements, take(.point) {
      if case .collectionOperator(let name) = token.kind {
        guard name == "count" else {
          throw .init(at: token.offset, expected: "@count", problem: "@\(name) is not supported yet")
        }
        position += 1
        countsElements = true
      } else {
        names.append(try component())
      }
    }
    if token.kind == .sign(.openBracket) {
      throw .init(
        at: token.offset, expected: "an operator", problem: "an index into a list is not supported yet")
    }
    guard let path = FieldPath(names, countsElements: countsElements) else {
      throw .init(at: token.offset, expected: "a key path")
    }
    return path
  }

  private mutating func component() throws(PredicateSyntaxError) -> String {
    let offset = token.offset
    switch token.kind {
    case .word(let name), .name(let name):
      position += 1
      return name
    default: throw .init(at: offset, expected: "a name")
    }
  }
}
