import JSONRPC

/// Reads a predicate from tokens.
///
/// AND, OR, NOT and parentheses are worked off on a stack of its own, so that no text can exhaust the
/// thread's; what stands between them is read by ``comparison()``.
struct PredicateParser {
  let text: [Unicode.Scalar]
  let tokens: [PredicateToken]
  /// Of the next token.
  var position = 0
  var arguments: PredicateArguments
  /// What `now()` stands for.
  let now: Int64
  /// Parentheses, braces and functions around the place reached inside of an expression.
  var nesting = 0
  /// Whether the place reached is in the brackets of a key path.
  var isInBrackets = false
  /// Patterns of MATCHES and searches for words so far.
  var searches = 0
  /// Code points of the patterns of MATCHES so far.
  var patternScalars = 0

  /// For each opening parenthesis the token behind its closing one.
  private let ends: [Int: Int]

  /// The token behind the parenthesis that closes the one here; nil when none does.
  func end(ofParenthesisAt position: Int) -> Int? { ends[position] }

  /// The open parentheses from outside in, the first for the text itself.
  private var groups = [Group()]
  /// Parentheses and NOTs around the place reached.
  private var depth = 0

  /// What was read of the inside of a parenthesis.
  private struct Group {
    /// The alternatives that are complete.
    var disjuncts: [Predicate.Node] = []
    /// The parts of the alternative being read.
    var conjuncts: [Predicate.Node] = []
    /// NOTs in front of the part that comes next.
    var negations = 0
  }

  static func parse(
    _ text: String, arguments: [JSON], variables: JSON?, now: Int64
  ) throws(RecordError) -> Predicate.Node {
    let scalars = Array(text.unicodeScalars)
    do {
      var lexer = PredicateLexer(scalars)
      var parser = PredicateParser(
        scalars, try lexer.tokens(), PredicateArguments(arguments, variables), now: now)
      return try parser.predicate()
    } catch {
      throw error.recordError(in: scalars)
    }
  }

  private init(
    _ text: [Unicode.Scalar], _ tokens: [PredicateToken], _ arguments: PredicateArguments, now: Int64
  ) {
    self.text = text
    self.tokens = tokens
    self.now = now
    self.arguments = arguments
    var open: [Int] = []
    var ends: [Int: Int] = [:]
    for (index, token) in tokens.enumerated() {
      if token.kind == .sign(.openParenthesis) { open.append(index) }
      if token.kind == .sign(.closeParenthesis), let start = open.popLast() { ends[start] = index + 1 }
    }
    self.ends = ends
  }

  var token: PredicateToken { tokens[position] }

  mutating func take(_ sign: PredicateToken.Sign) -> Bool {
    guard token.kind == .sign(sign) else { return false }
    position += 1
    return true
  }

  /// Takes a word whatever its case.
  mutating func take(_ word: String) -> Bool {
    guard token.keyword == word else { return false }
    position += 1
    return true
  }

  private mutating func predicate() throws(PredicateSyntaxError) -> Predicate.Node {
    while true {
      if let node = try operand(), let whole = try complete(node) { return whole }
    }
  }

  /// Reads up to the next part that is complete by itself; nil when it only got deeper.
  private mutating func operand() throws(PredicateSyntaxError) -> Predicate.Node? {
    if token.kind == .sign(.openParenthesis), !startsParenthesizedValue() {
      try deepen()
      position += 1
      groups.append(Group())
      return nil
    }
    if token.kind == .sign(.not) || token.keyword == "NOT" {
      try deepen()
      position += 1
      groups[groups.count - 1].negations += 1
      return nil
    }
    if take("TRUEPREDICATE") { return .constant(true) }
    if take("FALSEPREDICATE") { return .constant(false) }
    return .comparison(try comparison())
  }

  private mutating func deepen() throws(PredicateSyntaxError) {
    depth += 1
    if depth > Predicate.maximumDepth {
      throw .init(
        at: token.offset, expected: "a simpler predicate",
        problem: "more than \(Predicate.maximumDepth) levels of parentheses and NOT")
    }
  }

  /// Puts a part where it belongs and reads the connective behind it, and the parentheses that close there.
  /// The whole predicate at the end of the text, else nil.
  private mutating func complete(_ node: Predicate.Node) throws(PredicateSyntaxError) -> Predicate.Node? {
    var node = node
    while true {
      node = negated(node)
      groups[groups.count - 1].conjuncts.append(node)
      if take("AND") || take(.and) { return nil }
      if take("OR") || take(.or) {
        closeAlternative()
        return nil
      }
      let isOutermost = groups.count == 1
      guard isOutermost ? token.kind == .end : token.kind == .sign(.closeParenthesis) else {
        throw .init(at: token.offset, expected: isOutermost ? "AND, OR or the end" : "AND, OR or )")
      }
      node = closeGroup()
      if isOutermost {
        try arguments.checkAllUsed(at: token.offset)
        return node
      }
      depth -= 1
      position += 1
    }
  }

  private mutating func negated(_ node: Predicate.Node) -> Predicate.Node {
    var node = node
    for _ in 0..<groups[groups.count - 1].negations { node = .not(node) }
    depth -= groups[groups.count - 1].negations
    groups[groups.count - 1].negations = 0
    return node
  }

  private mutating func closeAlternative() {
    var parts: [Predicate.Node] = []
    for part in groups[groups.count - 1].conjuncts {
      if case .and(let inner) = part { parts += inner } else { parts.append(part) }
    }
    groups[groups.count - 1].conjuncts = []
    groups[groups.count - 1].disjuncts.append(parts.count == 1 ? parts[0] : .and(parts))
  }

  private mutating func closeGroup() -> Predicate.Node {
    closeAlternative()
    var alternatives: [Predicate.Node] = []
    for alternative in groups.removeLast().disjuncts {
      if case .or(let inner) = alternative { alternatives += inner } else { alternatives.append(alternative) }
    }
    return alternatives.count == 1 ? alternatives[0] : .or(alternatives)
  }

  /// Whether the parenthesis here is one around a value, `(quantity) > 3`, and not around a predicate: what
  /// stands behind it decides.
  private func startsParenthesizedValue() -> Bool {
    guard let end = ends[position] else { return false }
    switch tokens[end].kind {
    case .sign(let sign):
      switch sign {
      case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .point, .openBracket:
        return true
      default: return sign.arithmetic != nil
      }
    case .word:
      return Self.operators[tokens[end].keyword] != nil
    default: return false
    }
  }
}
