import JSONRPC

/// The text on the right of LIKE, MATCHES and the operations on words, made ready to be looked for.
enum PreparedPattern: Sendable {
  case like(LikePattern)
  case regularExpression(RegularExpression)
  case words(WordQuery)

  /// Nil for other operations, and for a text that can't be looked for: it is found nowhere.
  init?(_ text: String, of comparison: Predicate.Comparison) {
    switch comparison.operation {
    case .like:
      guard let pattern = LikePattern(text, folding: comparison.folding) else { return nil }
      self = .like(pattern)
    case .matches:
      // The parser has read it before.
      guard let expression = try? RegularExpression(text, folding: comparison.folding) else { return nil }
      self = .regularExpression(expression)
    case .containsWords, .matchesWords:
      guard
        let query = WordQuery(
          text, mode: comparison.operation == .containsWords ? .anyTerm : .allTerms,
          matchesPrefixes: comparison.matchesPrefixes)
      else { return nil }
      self = .words(query)
    default: return nil
    }
  }

  /// Of a constant on the right.
  init?(_ comparison: Predicate.Comparison) {
    guard case .value(.string(let text)?) = comparison.right else { return nil }
    self.init(text, of: comparison)
  }

  /// Whether the left side is as this asks. `isAllText`: it stands for the record's whole text.
  func matches(_ left: Operand, isAllText: Bool, folding: TextFolding, of record: StoredRecord) -> Bool {
    switch self {
    case .like(let pattern):
      return left.text.map { pattern.matches(folding.folded($0).span) } ?? false
    case .regularExpression(let expression):
      return left.text.map { expression.matches(folding.folded($0).span) } ?? false
    case .words(let query):
      if isAllText { return query.matches(record) }
      return query.matches(
        left.elements.compactMap { if case .string(let text)? = $0 { text } else { nil } })
    }
  }

  /// The same for the JSON of a value.
  func matches(_ json: JSON, folding: TextFolding) -> Bool {
    switch self {
    case .like(let pattern):
      json.kind == .string && withFoldedText(of: json, folding: folding) { pattern.matches($0) }
    case .regularExpression(let expression):
      json.kind == .string && withFoldedText(of: json, folding: folding) { expression.matches($0) }
    case .words(let query): query.matches(json)
    }
  }
}
