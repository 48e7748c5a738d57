/// Cuts a predicate's text into tokens. Works on Unicode scalars, so that a mark behind a quote doesn't hide
/// it.
struct PredicateLexer {
  private let text: [Unicode.Scalar]
  private var position = 0

  init(_ text: [Unicode.Scalar]) { self.text = text }

  /// The tokens in order, ``PredicateToken/Kind/end`` last.
  mutating func tokens() throws(PredicateSyntaxError) -> [PredicateToken] {
    var tokens: [PredicateToken] = []
    while true {
      while let scalar = peek(), scalar == " " || scalar.properties.isWhitespace { position += 1 }
      let start = position
      let kind = try next()
      tokens.append(PredicateToken(kind: kind, offset: start))
      if kind == .end { return tokens }
    }
  }

  private func peek(_ ahead: Int = 0) -> Unicode.Scalar? {
    position + ahead < text.count ? text[position + ahead] : nil
  }

  private mutating func next() throws(PredicateSyntaxError) -> PredicateToken.Kind {
    guard let scalar = peek() else { return .end }
    switch scalar {
    case "'", "\"": return .text(try quoted(by: scalar))
    case "`": return .name(try backquoted())
    case "0"..."9": return .number(try number())
    case "%": return try placeholder()
    case "$": return .variable(try prefixedWord("the name of a variable"))
    case "@": return .collectionOperator(try prefixedWord("count"))
    case "#": return .name(try prefixedWord("a name"))
    case _ where scalar.startsName:
      let word = word()
      return selector(startingWith: word).map { .function($0) } ?? .word(word)
    default: return .sign(try sign())
    }
  }

  private mutating func word() -> String {
    var word = String.UnicodeScalarView()
    while let scalar = peek(), scalar.continuesName {
      word.append(scalar)
      position += 1
    }
    return String(word)
  }

  /// The name of a function, each of whose words has a colon behind it; nil, and nothing is read, when the
  /// word is not the first of such.
  private mutating func selector(startingWith word: String) -> String? {
    guard peek() == ":" else { return nil }
    let start = position
    var name = word
    var next = word
    while !next.isEmpty {
      guard peek() == ":" else {
        position = start
        return nil
      }
      position += 1
      next = peek()?.startsName == true ? self.word() : ""
      name += ":" + next
    }
    return name
  }

  private mutating func prefixedWord(_ expected: String) throws(PredicateSyntaxError) -> String {
    position += 1
    guard peek()?.startsName == true else { throw .init(at: position, expected: expected) }
    return word()
  }

  // MARK: Literals

  private mutating func number() throws(PredicateSyntaxError) -> String {
    let start = position
    digits()
    if peek() == ".", let next = peek(1), ("0"..."9").contains(next) {
      position += 1
      digits()
    }
    if peek() == "e" || peek() == "E" {
      let sign = peek(1) == "+" || peek(1) == "-" ? 1 : 0
      if let next = peek(1 + sign), ("0"..."9").contains(next) {
        position += 1 + sign
        digits()
      }
    }
    if peek()?.continuesName == true { throw .init(at: position, expected: "the end of the number") }
    var number = String.UnicodeScalarView()
    number.append(contentsOf: text[start..<position])
    return String(number)
  }

  private mutating func digits() {
    while let scalar = peek(), ("0"..."9").contains(scalar) { position += 1 }
  }

  private mutating func backquoted() throws(PredicateSyntaxError) -> String {
    let start = position
    var name = String.UnicodeScalarView()
    position += 1
    while let scalar = peek() {
      position += 1
      if scalar == "`" {
        guard peek() == "`" else {
          guard !name.isEmpty else { throw .init(at: start, expected: "a name between the backquotes") }
          return String(name)
        }
        position += 1
      }
      name.append(scalar)
    }
    throw .init(at: position, expected: "` to end the name")
  }

  private mutating func quoted(by quote: Unicode.Scalar) throws(PredicateSyntaxError) -> String {
    var result = String.UnicodeScalarView()
    position += 1
    while let scalar = peek() {
      if scalar == quote {
        position += 1
        return String(result)
      }
      if scalar == "\\" {
        result.append(try escape())
      } else {
        result.append(scalar)
        position += 1
      }
    }
    throw .init(at: position, expected: "\(quote) to end the text")
  }

  /// Where the scalar of a text stands that a quote at `start` begins. The text has been read before.
  static func offset(of index: Int, inLiteralAt start: Int, of text: [Unicode.Scalar]) -> Int {
    var lexer = PredicateLexer(text)
    lexer.position = start + 1
    for _ in 0..<index {
      if lexer.peek() == "\\" { _ = try? lexer.escape() } else { lexer.position += 1 }
    }
    return min(lexer.position, text.count)
  }

  private mutating func escape() throws(PredicateSyntaxError) -> Unicode.Scalar {
    let start = position
    let letter = peek(1)
    position += 2
    switch letter {
    case "\\", "'", "\"", "/": return letter ?? "\\"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u":
      var unit = try hexadecimalUnit()
      if unit & 0xFC00 == 0xD800, peek() == "\\", peek(1) == "u" {
        position += 2
        let low = try hexadecimalUnit()
        guard low & 0xFC00 == 0xDC00 else {
          throw .init(at: start, expected: "a code point", problem: "this is half a surrogate pair")
        }
        unit = 0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF
      }
      guard let scalar = Unicode.Scalar(unit) else {
        throw .init(at: start, expected: "a code point", problem: "this is half a surrogate pair")
      }
      return scalar
    default:
      throw .init(
        at: start, expected: #"one of \\ \' \" \/ \n \r \t \uXXXX"#,
        problem: #"this escape is unknown (a backslash itself is written \\, also in a pattern: '\\d+'; "#
          + "an argument for %@ needs no escapes)")
    }
  }

  private mutating func hexadecimalUnit() throws(PredicateSyntaxError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let scalar = peek(), scalar.isASCII, let digit = Character(scalar).hexDigitValue else {
        throw .init(at: position, expected: "four hexadecimal digits")
      }
      unit = unit << 4 | UInt32(digit)
      position += 1
    }
    return unit
  }

  private mutating func placeholder() throws(PredicateSyntaxError) -> PredicateToken.Kind {
    let start = position
    position += 1
    if peek() == "%" {
      position += 1
      return .sign(.remainder)
    }
    while let scalar = peek(), "lhqz".unicodeScalars.contains(scalar) { position += 1 }
    let isPlain = position == start + 1
    let conversion = peek()
    position += 1
    switch conversion {
    case "@" where isPlain: return .argument(.value)
    case "K" where isPlain: return .argument(.keyPath)
    case "d", "i", "u", "D", "U": return .argument(.integer)
    case "f", "g", "e", "F", "G", "E": return .argument(.number)
    default: throw .init(at: start, expected: "one of %@ %K %d %i %u %ld %f")
    }
  }

  // MARK: Signs

  private mutating func sign() throws(PredicateSyntaxError) -> PredicateToken.Sign {
    if let first = peek(), let second = peek(1), let sign = Self.sign(first, second) {
      position += 2
      return sign
    }
    guard let first = peek(), let sign = Self.sign(first) else {
      throw .init(at: position, expected: "a name, a value, an operator or a bracket")
    }
    position += 1
    return sign
  }

  private static func sign(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> PredicateToken.Sign? {
    switch (first, second) {
    case ("=", "="): .equal
    case ("!", "="), ("<", ">"): .notEqual
    case ("<", "="), ("=", "<"): .lessOrEqual
    case (">", "="), ("=", ">"): .greaterOrEqual
    case ("&", "&"): .and
    case ("|", "|"): .or
    case ("*", "*"): .power
    default: nil
    }
  }

  private static func sign(_ scalar: Unicode.Scalar) -> PredicateToken.Sign? {
    scalar == "=" ? .equal : PredicateToken.Sign(rawValue: String(Character(scalar)))
  }
}

extension Unicode.Scalar {
  /// Whether a name may begin so outside backquotes.
  var startsName: Bool {
    isASCII ? isASCIILetter || self == "_" : properties.isXIDStart
  }

  /// Whether a name may go on so outside backquotes.
  var continuesName: Bool {
    isASCII ? isASCIILetter || self == "_" || ("0"..."9").contains(self) : properties.isXIDContinue
  }

  private var isASCIILetter: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }
}
