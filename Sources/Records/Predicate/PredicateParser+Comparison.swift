extension PredicateParser {
  /// The operators that are words.
  static let operators: [String: Predicate.Operation] = [
    "BETWEEN": .between, "IN": .in, "CONTAINS": .contains, "BEGINSWITH": .beginsWith,
    "ENDSWITH": .endsWith, "LIKE": .like, "WITHIN": .within,
  ]

  /// Operators of the language that can't be worked out yet.
  static let missingOperators: Set<String> = ["MATCHES", "TOKENMATCHES"]

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
    let left = try value(expected: quantifier == nil ? "a condition" : "a key path")
    let operation = try operation()
    let optionsOffset = token.offset
    let folding = try folding()
    if operation == .within, !folding.isEmpty {
      throw .init(at: optionsOffset, expected: "BOX", problem: "WITHIN takes no options")
    }
    let right = try right(of: operation)
    return Predicate.Comparison(left, operation, right, folding: folding, quantifier: quantifier)
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
      if sign.isArithmetic {
        throw .init(
          at: offset, expected: "an operator",
          problem: "arithmetic is not supported yet (a name with '-' in it is written in backquotes)")
      }
    case .word:
      let word = token.keyword
      if let operation = Self.operators[word] {
        position += 1
        return operation
      }
      if Self.missingOperators.contains(word) {
        throw .init(at: offset, expected: "another operator", problem: "\(word) is not supported yet")
      }
      if word == "NOT" {
        throw .init(at: offset, expected: "an operator", problem: "NOT stands before the whole comparison")
      }
    default: break
    }
    throw .init(at: offset, expected: "an operator")
  }

  /// `[c]`, `[d]`, `[cd]`, in any case and order; nothing is none.
  private mutating func folding() throws(PredicateSyntaxError) -> TextFolding {
    guard take(.openBracket) else { return [] }
    guard case .word(let letters) = token.kind else {
      throw .init(at: token.offset, expected: "c, d or cd")
    }
    var folding: TextFolding = []
    for letter in letters.lowercased() {
      switch letter {
      case "c": folding.insert(.caseInsensitive)
      case "d": folding.insert(.diacriticInsensitive)
      default: throw .init(at: token.offset, expected: "c, d or cd")
      }
    }
    position += 1
    guard take(.closeBracket) else { throw .init(at: token.offset, expected: "]") }
    return folding
  }

  /// The right side, of the shape that the operation needs.
  private mutating func right(
    of operation: Predicate.Operation
  ) throws(PredicateSyntaxError) -> Predicate.Expression {
    let offset = token.offset
    if operation == .within { return .box(try box()) }
    let right = try value(expected: Self.expectedRight(of: operation))
    switch (operation, right) {
    case (.in, .value(let value)):
      if case .string? = value { break }
      throw .init(at: offset, expected: Self.expectedRight(of: operation))
    case (.between, .list(let bounds)) where bounds.count == 2: break
    case (.between, _): throw .init(at: offset, expected: Self.expectedRight(of: operation))
    case (.like, .value(.string(let pattern))):
      if pattern.unicodeScalars.count > LikePattern.maximumLength {
        throw .init(
          at: offset, expected: "a shorter pattern",
          problem: "the pattern has more than \(LikePattern.maximumLength) code points")
      }
    default: break
    }
    return right
  }

  private static func expectedRight(of operation: Predicate.Operation) -> String {
    switch operation {
    case .in: "a list or a text"
    case .between: "two bounds in braces, {low, high}"
    default: "a value or a key path"
    }
  }

  /// `BOX(southwest, northeast)` of two locations, or `BOX(south, west, north, east)` in degrees.
  private mutating func box() throws(PredicateSyntaxError) -> LocationBox {
    let start = token.offset
    guard take("BOX"), take(.openParenthesis) else {
      throw .init(at: start, expected: "BOX(southwest, northeast)")
    }
    var corners: [Location] = []
    var degrees: [Double] = []
    repeat {
      let offset = token.offset
      switch try value(expected: "a location") {
      case .value(.location(let corner)) where degrees.isEmpty && corners.count < 2: corners.append(corner)
      case .value(.double(let number)) where corners.isEmpty && degrees.count < 4: degrees.append(number)
      case .value(.int64(let number)) where corners.isEmpty && degrees.count < 4:
        degrees.append(Double(number))
      default:
        throw .init(
          at: offset,
          expected: "two locations, southwest and northeast, or south, west, north, east in degrees")
      }
    } while take(.comma)
    guard take(.closeParenthesis) else { throw .init(at: token.offset, expected: ", or )") }
    if degrees.count == 4 {
      corners = [(0, 1), (2, 3)].compactMap { Location(latitude: degrees[$0], longitude: degrees[$1]) }
    }
    guard corners.count == 2, let box = LocationBox(southwest: corners[0], northeast: corners[1]) else {
      throw .init(
        at: start,
        expected: "a south that is not above the north, latitudes -90 to 90, longitudes -180 to 180",
        problem: "this is no box")
    }
    return box
  }
}
