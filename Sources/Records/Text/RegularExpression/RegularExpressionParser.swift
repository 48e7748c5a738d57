/// Reads a pattern: alternatives of sequences of atoms with quantifiers.
struct RegularExpressionParser {
  typealias Node = RegularExpressionNode
  typealias SyntaxError = RegularExpression.SyntaxError

  struct Flags: OptionSet {
    let rawValue: UInt8

    /// `(?i)`; of no use where the text is folded anyway.
    static let anyCase = Flags(rawValue: 1)
    /// `(?m)`: `^` and `$` at every line.
    static let linewise = Flags(rawValue: 2)
    /// `(?s)`: `.` is also a line terminator.
    static let dotIsAll = Flags(rawValue: 4)
    /// `(?x)`: white space and `#` comments don't count.
    static let spaced = Flags(rawValue: 8)
  }

  /// A part of a sequence. Plain characters are kept apart until the sequence is known, to be folded in one.
  enum Part {
    case character(Unicode.Scalar)
    case node(Node)
  }

  let text: [Unicode.Scalar]
  let folding: TextFolding
  var position = 0
  var flags: Flags = []
  var depth = 0
  /// Within `\Q…\E`.
  var isQuoted = false
  /// The sets of properties that the pattern has named, folded: a pattern may name one often.
  var properties: [String: ScalarSet] = [:]

  init(_ pattern: String, folding: TextFolding) throws(SyntaxError) {
    text = Array(pattern.unicodeScalars.prefix(RegularExpression.maximumLength + 1))
    self.folding = folding
    if text.count > RegularExpression.maximumLength {
      throw SyntaxError(
        at: RegularExpression.maximumLength, expected: "a shorter pattern",
        problem: "the pattern has more than \(RegularExpression.maximumLength) code points")
    }
  }

  mutating func parse() throws(SyntaxError) -> Node {
    let node = try alternatives()
    if peek() != nil {
      throw SyntaxError(
        at: position, expected: "the end of the pattern", problem: "this parenthesis closes no group")
    }
    // The last instruction says that the pattern is at its end.
    try checkSize(node.size + 1, at: text.count)
    try checkClasses(of: node)
    return node
  }

  // MARK: Scalars

  /// The next scalar of the pattern; white space, comments and the marks of quoting are passed over.
  mutating func peek() -> Unicode.Scalar? {
    while position < text.count {
      let scalar = text[position]
      let next = position + 1 < text.count ? text[position + 1] : nil
      if isQuoted {
        guard scalar == "\\", next == "E" else { return scalar }
        isQuoted = false
        position += 2
      } else if scalar == "\\", next == "Q" {
        isQuoted = true
        position += 2
      } else if flags.contains(.spaced), scalar.properties.isWhitespace {
        position += 1
      } else if flags.contains(.spaced), scalar == "#" {
        while position < text.count, !ScalarProperties.isLineTerminator(text[position]) { position += 1 }
      } else {
        return scalar
      }
    }
    return nil
  }

  /// Whether the next scalar is this one as a sign of the language; then it is passed.
  mutating func take(_ sign: Unicode.Scalar) -> Bool {
    guard peek() == sign, !isQuoted else { return false }
    position += 1
    return true
  }

  func checkSize(_ size: Int, at offset: Int) throws(SyntaxError) {
    if size > RegularExpression.maximumInstructions {
      throw SyntaxError(
        at: offset, expected: "a smaller pattern",
        problem: "written out, the pattern has more than \(RegularExpression.maximumInstructions) steps")
    }
  }

  private func checkClasses(of node: Node) throws(SyntaxError) {
    var alphabet = Alphabet()
    alphabet.collect(node)
    // One is left for the word characters of `\b`.
    let ranges = alphabet.sets.reduce(0) { $0 + $1.ranges.count }
    if alphabet.sets.count >= ScalarClasses.maximumSets || ranges > ScalarClasses.maximumRanges {
      throw SyntaxError(
        at: text.count, expected: "fewer different classes",
        problem:
          "the pattern has more than \(ScalarClasses.maximumSets - 1) different classes of characters, "
          + "or too large ones")
    }
  }

  mutating func enter(at offset: Int) throws(SyntaxError) {
    depth += 1
    if depth > RegularExpression.maximumDepth {
      throw SyntaxError(
        at: offset, expected: "fewer levels",
        problem: "groups and brackets are nested more than \(RegularExpression.maximumDepth) deep")
    }
  }

  // MARK: Alternatives and sequences

  /// To the end of the pattern or the parenthesis that closes the group.
  mutating func alternatives() throws(SyntaxError) -> Node {
    var found = [try sequence()]
    while take("|") { found.append(try sequence()) }
    return found.count == 1 ? found[0] : .alternatives(found)
  }

  private mutating func sequence() throws(SyntaxError) -> Node {
    var nodes: [Node] = []
    var characters: [Unicode.Scalar] = []
    func append(_ node: Node) {
      if node != .empty { nodes.append(node) }
    }
    while let next = peek(), isQuoted || next != "|" && next != ")" {
      let flagsBefore = flags
      let part = try atom()
      let isQuantified = peek().map { !isQuoted && "*+?{".unicodeScalars.contains($0) } ?? false
      if flags != flagsBefore || isQuantified {
        append(literal(characters, flagsBefore))
        characters = []
      }
      switch part {
      case .character(let scalar) where !isQuantified: characters.append(scalar)
      case .character(let scalar): append(try quantified(literal([scalar], flags)))
      case .node(let node):
        append(literal(characters, flagsBefore))
        characters = []
        append(try quantified(node))
      }
    }
    append(literal(characters, flags))
    return nodes.isEmpty ? .empty : nodes.count == 1 ? nodes[0] : .sequence(nodes)
  }

  /// The characters as they are in a folded text.
  func literal(_ scalars: [Unicode.Scalar], _ flags: Flags) -> Node {
    guard !scalars.isEmpty else { return .empty }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    let folded = String(decoding: folding.folded(String(text)), as: UTF8.self).unicodeScalars.map(\.value)
    if folded.isEmpty { return .empty }
    guard flags.contains(.anyCase), !folding.contains(.caseInsensitive) else { return .text(folded) }
    let nodes = folded.map { (scalar) -> Node in
      let variants = CaseVariants.closure(of: ScalarSet([scalar]))
      return variants.single == nil ? .one(of: variants) : .text([scalar])
    }
    return nodes.count == 1 ? nodes[0] : .sequence(nodes)
  }

  // MARK: Quantifiers

  /// The node with the quantifier that follows it, if there is one.
  private mutating func quantified(_ node: Node) throws(SyntaxError) -> Node {
    let offset = position
    let range: (minimum: Int, maximum: Int?)
    if take("*") {
      range = (0, nil)
    } else if take("+") {
      range = (1, nil)
    } else if take("?") {
      range = (0, 1)
    } else if take("{") {
      range = try counts()
    } else {
      return node
    }
    // As few as possible or as many: for a whole text it makes no difference.
    if !take("?"), peek() == "+", !isQuoted {
      throw SyntaxError(
        at: position, expected: "no possessive quantifier",
        problem: "what a possessive quantifier takes depends on the order of trying, which isn't kept here")
    }
    if let next = peek(), !isQuoted, "*+?{".unicodeScalars.contains(next) {
      throw SyntaxError(
        at: position, expected: "a character or a group", problem: "a quantifier follows another")
    }
    let size = Node.size(ofRepeated: node.size, minimum: range.minimum, maximum: range.maximum)
    try checkSize(size, at: offset)
    // What can only be the empty text is as good once; it must not be written out a million times.
    if size == 0 { return .empty }
    return .repeated(node, minimum: range.minimum, maximum: range.maximum)
  }

  /// Behind the opening brace.
  private mutating func counts() throws(SyntaxError) -> (minimum: Int, maximum: Int?) {
    let minimum = try count()
    guard take(",") else {
      guard take("}") else { throw SyntaxError(at: position, expected: ", or }") }
      return (minimum, minimum)
    }
    if take("}") { return (minimum, nil) }
    let offset = position
    let maximum = try count()
    guard minimum <= maximum else {
      throw SyntaxError(
        at: offset, expected: "a maximum that is not below the minimum",
        problem: "the maximum is below the minimum")
    }
    guard take("}") else { throw SyntaxError(at: position, expected: "}") }
    return (minimum, maximum)
  }

  private mutating func count() throws(SyntaxError) -> Int {
    var value: Int?
    while let scalar = peek(), ("0"..."9").contains(scalar) {
      // More is too large in any case.
      value = min((value ?? 0) * 10 + Int(scalar.value - 0x30), 1_000_000_000)
      position += 1
    }
    guard let value else {
      throw SyntaxError(at: position, expected: "a number of repetitions (a brace itself is written \\{)")
    }
    return value
  }
}

extension ScalarProperties {
  static func isLineTerminator(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }
}
