extension RegularExpressionParser {
  /// One character, class, group or assertion.
  mutating func atom() throws(SyntaxError) -> Part {
    let offset = position
    guard let scalar = peek() else { throw SyntaxError(at: offset, expected: "a character or a group") }
    position += 1
    if isQuoted { return .character(scalar) }
    switch scalar {
    case ".": return .node(.one(of: flags.contains(.dotIsAll) ? .all : Self.notLineTerminators))
    case "^": return .node(.assertion(flags.contains(.linewise) ? .lineStart : .textStart))
    case "$": return .node(.assertion(flags.contains(.linewise) ? .lineEnd : .lastLineEnd))
    case "(": return .node(try group(at: position - 1))
    case "[": return .node(try bracketed(at: position - 1))
    case "\\": return try escape()
    case "*", "+", "?", "{":
      throw SyntaxError(
        at: position - 1, expected: "a character or a group",
        problem: "there is nothing before the quantifier (the sign itself is written \\\(scalar))")
    default: return .character(scalar)
    }
  }

  private static let notLineTerminators = ScalarProperties.lineTerminators.complement

  // MARK: Groups

  /// Behind the opening parenthesis.
  private mutating func group(at start: Int) throws(SyntaxError) -> Node {
    let flagsOutside = flags
    if take("?") {
      let offset = position
      guard let scalar = peek() else { throw Self.unknownGroup(at: offset) }
      position += 1
      switch scalar {
      case ":": break
      case "#": return try comment(from: start)
      case "<": try groupName(at: start)
      case "=", "!": throw Self.lookaround(at: start)
      case ">":
        throw SyntaxError(
          at: start, expected: "no atomic group",
          problem: "what an atomic group takes depends on the order of trying, which isn't kept here")
      default:
        position -= 1
        // Without a colon the flags count to the end of the group around.
        guard try readFlags() else { return .empty }
      }
    }
    try enter(at: start)
    let node = try alternatives()
    guard take(")") else {
      throw SyntaxError(at: position, expected: ")", problem: "a group isn't closed")
    }
    depth -= 1
    flags = flagsOutside
    return node
  }

  private static func unknownGroup(at offset: Int) -> SyntaxError {
    SyntaxError(
      at: offset, expected: "one of : <name> # or the flags i, m, s, x", problem: "this group is not known")
  }

  private static func lookaround(at offset: Int) -> SyntaxError {
    SyntaxError(
      at: offset, expected: "no look-ahead or look-behind",
      problem: "looking ahead or behind could take more time than a text of that length may cost")
  }

  private mutating func comment(from start: Int) throws(SyntaxError) -> Node {
    while position < text.count {
      position += 1
      if text[position - 1] == ")" { return .empty }
    }
    throw SyntaxError(at: position, expected: ")", problem: "a comment isn't closed")
  }

  /// Behind `(?<`. What a group is called has no meaning for a whole match.
  private mutating func groupName(at start: Int) throws(SyntaxError) {
    let first = position
    while let scalar = peek() {
      position += 1
      switch scalar {
      case "=", "!":
        if position == first + 1 { throw Self.lookaround(at: start) }
      case ">" where position > first + 1: return
      case "a"..."z", "A"..."Z": continue
      case "0"..."9" where position > first + 1: continue
      default: break
      }
      throw SyntaxError(
        at: position - 1, expected: "a name of letters and digits, ended by >")
    }
    throw SyntaxError(at: position, expected: "> to end the name of the group")
  }

  /// Whether a group follows.
  private mutating func readFlags() throws(SyntaxError) -> Bool {
    var isOff = false
    var result = flags
    while let scalar = peek() {
      position += 1
      let flag: Flags
      switch scalar {
      case "i": flag = .anyCase
      case "m": flag = .linewise
      case "s": flag = .dotIsAll
      case "x": flag = .spaced
      case "-" where !isOff:
        isOff = true
        continue
      case ":", ")":
        flags = result
        return scalar == ":"
      default: throw Self.unknownGroup(at: position - 1)
      }
      if isOff { result.remove(flag) } else { result.insert(flag) }
    }
    throw SyntaxError(at: position, expected: ")", problem: "a group isn't closed")
  }
}
