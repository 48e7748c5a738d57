/// Why a text is no predicate, and where.
struct PredicateSyntaxError: Error, Equatable {
  /// Of the Unicode scalar where the fault was noticed; the length of the text for its end.
  var offset: Int
  /// What should have been there, as a noun: "an operator".
  var expected: String
  /// What is wrong, where it is not simply that something else stands there.
  var problem: String?

  init(at offset: Int, expected: String, problem: String? = nil) {
    self.offset = offset
    self.expected = expected
    self.problem = problem
  }

  /// The error as a client sees it. The column counts characters as a person does, from 1.
  func recordError(in text: [Unicode.Scalar]) -> RecordError {
    var before = String.UnicodeScalarView()
    before.append(contentsOf: text.prefix(offset))
    let column = String(before).count + 1
    let what = problem.map { "\($0); expected \(expected)" } ?? "expected \(expected)\(found(in: text))"
    return RecordError(
      .invalidArguments, "the predicate can't be read at column \(column): \(what)",
      details: [
        .init(name: "column", number: column), .init(name: "expected", text: expected),
      ])
  }

  private func found(in text: [Unicode.Scalar]) -> String {
    guard offset < text.count else { return ", the text ends" }
    var word = String.UnicodeScalarView()
    word.append(contentsOf: text[offset...].prefix(20).prefix { !$0.properties.isWhitespace })
    return word.isEmpty ? "" : ", found \(String(word))"
  }
}
