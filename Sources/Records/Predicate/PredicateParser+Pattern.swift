/// Texts that are looked for as patterns or words.
extension PredicateParser {
  static func checkLikePattern(_ pattern: String, at offset: Int) throws(PredicateSyntaxError) {
    if pattern.unicodeScalars.count > LikePattern.maximumLength {
      throw .init(
        at: offset, expected: "a shorter pattern",
        problem: "the pattern has more than \(LikePattern.maximumLength) code points")
    }
  }

  /// `start`: the token with which the right side begins.
  mutating func checkRegularExpression(
    _ pattern: String, folding: TextFolding, startingAt start: Int
  ) throws(PredicateSyntaxError) {
    let token = tokens[start]
    try countSearch(at: token.offset)
    patternScalars += pattern.unicodeScalars.count
    if patternScalars > Predicate.maximumPatternScalars {
      throw .init(
        at: token.offset, expected: "shorter regular expressions",
        problem: "together they have more than \(Predicate.maximumPatternScalars) code points")
    }
    do throws(RegularExpression.SyntaxError) {
      _ = try RegularExpression(pattern, folding: folding)
    } catch {
      // Of a literal the place in it is told, of any other text the place where that stands.
      let isLiteral = if case .text = token.kind { position == start + 1 } else { false }
      throw PredicateSyntaxError(
        at: isLiteral
          ? PredicateLexer.offset(of: error.offset, inLiteralAt: token.offset, of: text) : token.offset,
        expected: error.expected, problem: error.problem ?? "the regular expression can't be read")
    }
  }

  mutating func checkWords(_ text: String, at offset: Int) throws(PredicateSyntaxError) {
    try countSearch(at: offset)
    if text.unicodeScalars.allSatisfy(\.properties.isWhitespace) {
      throw .init(at: offset, expected: "a text with words", problem: "there is nothing to look for")
    }
    if WordQuery(text, mode: .allTerms) == nil {
      throw .init(
        at: offset, expected: "fewer words", problem: "there are more than \(WordQuery.maximumWords)")
    }
  }

  private mutating func countSearch(at offset: Int) throws(PredicateSyntaxError) {
    searches += 1
    if searches > Predicate.maximumSearches {
      throw .init(
        at: offset, expected: "a simpler predicate",
        problem: "more than \(Predicate.maximumSearches) regular expressions and searches for words")
    }
  }
}
