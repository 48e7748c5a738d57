extension RegularExpressionParser {
  /// What a pair of brackets stands for while it is read.
  private struct Bracket {
    var set = ScalarSet()
    /// What is in it besides the set. Put in all at once: a class may have thousands of members.
    var added: [ClosedRange<UInt32>] = []
    /// Single characters that folding makes several of (`ß` under `[c]`); they are alternatives to the set.
    var texts: [[UInt32]] = []
  }

  /// `[…]`, behind the bracket.
  mutating func bracketed(at start: Int) throws(SyntaxError) -> Node {
    let bracket = try bracket(at: start)
    let set = Node.one(of: bracket.set)
    if bracket.texts.isEmpty { return set }
    return .alternatives((bracket.set.isEmpty ? [] : [set]) + bracket.texts.map { .text($0) })
  }

  /// Members one after another are a union; `&&` is the intersection and `--` the difference of what stands
  /// on its sides, worked out from the left.
  private mutating func bracket(at start: Int) throws(SyntaxError) -> Bracket {
    try enter(at: start)
    let isNegated = take("^")
    var total: Bracket?
    var operation = Operation.union
    var part = Bracket()
    var isFirst = true
    while true {
      guard let scalar = peek() else {
        throw SyntaxError(at: position, expected: "]", problem: "the bracket of a class isn't closed")
      }
      if scalar == "]", !isQuoted, !isFirst {
        position += 1
        break
      }
      if let next = setOperation(scalar) {
        position += 2
        total = Self.combine(total, operation, whole(part))
        operation = next
        part = Bracket()
      } else if !isFirst, let next = bracketOperation(scalar) {
        position += 2
        part = Self.combine(whole(part), next, try nested(at: position - 1))
      } else {
        try member(of: &part)
      }
      isFirst = false
    }
    depth -= 1
    var result = Self.combine(total, operation, whole(part))
    if isNegated { result = Bracket(set: result.set.complement) }
    return result
  }

  private func whole(_ bracket: Bracket) -> Bracket {
    guard !bracket.added.isEmpty else { return bracket }
    return Bracket(set: bracket.set.union(folded(ScalarSet(bracket.added))), texts: bracket.texts)
  }

  private enum Operation { case union, intersection, difference }

  private static func combine(_ left: Bracket?, _ operation: Operation, _ right: Bracket) -> Bracket {
    guard let left else { return right }
    switch operation {
    case .union: return Bracket(set: left.set.union(right.set), texts: left.texts + right.texts)
    case .intersection:
      return Bracket(
        set: left.set.intersection(right.set), texts: left.texts.filter { right.texts.contains($0) })
    case .difference:
      return Bracket(
        set: left.set.subtracting(right.set), texts: left.texts.filter { !right.texts.contains($0) })
    }
  }

  private func setOperation(_ scalar: Unicode.Scalar) -> Operation? {
    guard !isQuoted, position + 1 < text.count, text[position + 1] == scalar else { return nil }
    return scalar == "&" ? .intersection : scalar == "-" ? .difference : nil
  }

  /// `-` or `&` right before another pair of brackets: worked out with what stands before it at once.
  private func bracketOperation(_ scalar: Unicode.Scalar) -> Operation? {
    guard !isQuoted, position + 1 < text.count, text[position + 1] == "[" else { return nil }
    return scalar == "&" ? .intersection : scalar == "-" ? .difference : nil
  }

  /// Behind a bracket within another.
  private mutating func nested(at start: Int) throws(SyntaxError) -> Bracket {
    if let set = try posixClass(at: start) { return Bracket(set: set) }
    return try bracket(at: start)
  }

  /// A character, a range, a class or another pair of brackets.
  private mutating func member(of bracket: inout Bracket) throws(SyntaxError) {
    let start = position
    guard let scalar = peek() else { return }
    if scalar == "[", !isQuoted {
      position += 1
      let inner = try nested(at: start)
      bracket.set = bracket.set.union(inner.set)
      bracket.texts += inner.texts
      return
    }
    switch try element() {
    case .set(let set): bracket.set = bracket.set.union(set)
    case .character(let low):
      guard let high = try rangeEnd() else { return add(low, to: &bracket) }
      guard low.value <= high.value else {
        throw SyntaxError(
          at: start, expected: "a range from the lower to the higher code point",
          problem: "the range is the wrong way round")
      }
      bracket.added.append(low.value...high.value)
    }
  }

  private func add(_ scalar: Unicode.Scalar, to bracket: inout Bracket) {
    let folded = FoldedScalars.fold(scalar, folding)
    if folded.count == 1 {
      bracket.added.append(folded[0]...folded[0])
    } else if !folded.isEmpty {
      bracket.texts.append(folded)
    }
  }

  private enum Element {
    case character(Unicode.Scalar)
    case set(ScalarSet)
  }

  private mutating func element() throws(SyntaxError) -> Element {
    let start = position
    let scalar = text[position]
    position += 1
    guard scalar == "\\", !isQuoted else { return .character(scalar) }
    guard position < text.count else { throw Self.nothingEscaped(at: position) }
    let escaped = text[position]
    position += 1
    if escaped == "b" { return .character("\u{08}") }
    if let set = try classEscape(escaped, at: start) { return .set(set) }
    return .character(try characterEscape(escaped, at: start))
  }

  /// The other end, if a hyphen and a character follow. A hyphen before the closing bracket, a class or
  /// another pair of brackets is itself.
  private mutating func rangeEnd() throws(SyntaxError) -> Unicode.Scalar? {
    guard peek() == "-", !isQuoted, position + 1 < text.count, text[position + 1] != "-" else { return nil }
    let hyphen = position
    position += 1
    guard let scalar = peek(), isQuoted || scalar != "]" && scalar != "[" else {
      position = hyphen
      return nil
    }
    let wasQuoted = isQuoted
    if case .character(let end) = try element() { return end }
    position = hyphen
    isQuoted = wasQuoted
    return nil
  }

  /// `[:name:]` or `[:^name:]`, behind the inner bracket; nil when there is none.
  private mutating func posixClass(at start: Int) throws(SyntaxError) -> ScalarSet? {
    guard position < text.count, text[position] == ":" else { return nil }
    var end = position + 1
    var name = String.UnicodeScalarView()
    while end + 1 < text.count, text[end] != ":" || text[end + 1] != "]" {
      if text[end] == "]" || text[end] == "[" { return nil }
      name.append(text[end])
      end += 1
    }
    guard end + 1 < text.count else { return nil }
    let isNegated = name.first == "^"
    if isNegated { name.removeFirst() }
    guard let set = foldedProperty(String(name)) else {
      throw SyntaxError(
        at: start, expected: "a class such as [:alpha:]", problem: "the class \(String(name)) is not known")
    }
    position = end + 2
    return isNegated ? set.complement : set
  }
}
