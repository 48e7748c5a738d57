/// Key paths and the brackets behind them.
extension PredicateParser {
  /// Behind the first names of a path (of which the last may be `@count`): the others.
  mutating func path(
    after names: [String], isCounting: Bool = false
  ) throws(PredicateSyntaxError) -> Predicate.Expression {
    var names = names
    var countsElements = isCounting
    if names.last == "@count" {
      names.removeLast()
      countsElements = true
    }
    if !countsElements { countsElements = try components(into: &names) }
    var bracket: (list: FieldPath, position: Predicate.ListPosition)?
    while token.kind == .sign(.openBracket), !countsElements {
      let offset = token.offset
      switch try subscripting() {
      case .member(let name): names.append(name)
      case .size: countsElements = true
      case .position(let position):
        guard bracket == nil else {
          throw .init(at: offset, expected: "an operator", problem: "a path takes one position in a list")
        }
        bracket = (try fieldPath(names), position)
        names = []
      }
      if !countsElements { countsElements = try components(into: &names) }
    }
    if token.kind == .sign(.openBracket) {
      throw .init(at: token.offset, expected: "an operator", problem: "a count has no elements")
    }
    guard let bracket else { return .path(try fieldPath(names, countsElements: countsElements)) }
    return .element(
      Predicate.ElementPath(bracket.list, bracket.position, rest: names, countsElements: countsElements))
  }

  private func fieldPath(
    _ names: [String], countsElements: Bool = false
  ) throws(PredicateSyntaxError) -> FieldPath {
    guard let path = FieldPath(names, countsElements: countsElements) else {
      throw .init(at: token.offset, expected: "a key path")
    }
    return path
  }

  /// Names behind points; whether `@count` ended them.
  private mutating func components(into names: inout [String]) throws(PredicateSyntaxError) -> Bool {
    while take(.point) {
      guard case .collectionOperator(let name) = token.kind else {
        names.append(try component())
        continue
      }
      guard name == "count" else {
        throw .init(at: token.offset, expected: "@count", problem: "@\(name) is not supported")
      }
      position += 1
      return true
    }
    return false
  }

  mutating func component() throws(PredicateSyntaxError) -> String {
    let offset = token.offset
    switch token.kind {
    case .word(let name), .name(let name):
      position += 1
      return name
    default: throw .init(at: offset, expected: "a name")
    }
  }

  // MARK: Brackets

  private enum Subscript {
    case position(Predicate.ListPosition)
    case size
    /// `object['name']`
    case member(String)
  }

  private mutating func subscripting() throws(PredicateSyntaxError) -> Subscript {
    position += 1
    let offset = token.offset
    let result: Subscript
    if take("FIRST") {
      result = .position(.first)
    } else if take("LAST") {
      result = .position(.last)
    } else if take("SIZE") {
      result = .size
    } else {
      // No path is constant, so none in brackets needs brackets of its own.
      if isInBrackets { throw .init(at: offset, expected: Self.expectedInBrackets) }
      isInBrackets = true
      let expression = try value(expected: Self.expectedInBrackets)
      isInBrackets = false
      switch expression {
      case .value(.int64(let index)) where index >= 0:
        result = .position(.index(Int(index)))
      case .value(.string(let name)) where !name.isEmpty: result = .member(name)
      default: throw .init(at: offset, expected: Self.expectedInBrackets)
      }
    }
    guard take(.closeBracket) else { throw .init(at: token.offset, expected: "]") }
    return result
  }

  private static let expectedInBrackets = "a position from 0, FIRST, LAST, SIZE or the name of a member"
}
