/// Texts that are looked for as patterns or words.
extension PredicateParser {
  static func checkLikePattern(_ pattern: String, at offset: Int) throws(PredicateSyntaxError) {
    if pattern.unicodeScalars.count > LikePattern.maximumLength {
      throw .init(
        at: offset, expected: "a shorter pattern",
        problem: "the pattern has more than \(LikePattern.maximumLength) code points")
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
