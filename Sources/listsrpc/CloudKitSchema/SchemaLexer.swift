/// Cuts a text in CloudKit's schema language into its words and signs.
struct SchemaLexer {
  struct Token: Equatable {
    enum Kind: Equatable {
      /// A word of the language, or a name.
      case word(String)
      /// A name in quotes.
      case quoted(String)
      case sign(Unicode.Scalar)
      case end
    }

    let kind: Kind
    let line: Int
    let column: Int

    /// For a person: what stands there.
    var description: String {
      switch kind {
      case .word(let text): "'\(text)'"
      case .quoted(let text): "\"\(text)\""
      case .sign(let sign): "'\(sign)'"
      case .end: "the end of the text"
      }
    }

    func fault(_ message: String) -> SchemaFault { SchemaFault(line: line, column: column, message: message) }
  }

  private var rest: Substring.UnicodeScalarView
  private var line = 1
  private var column = 1

  init(_ text: String) {
    rest = text[...].unicodeScalars
    // Some editors put a byte order mark before the text.
    if rest.first == "\u{FEFF}" { rest.removeFirst() }
  }

  mutating func next() throws(SchemaFault) -> Token {
    try skipSpace()
    let (line, column) = (line, column)
    func token(_ kind: Token.Kind) -> Token { Token(kind: kind, line: line, column: column) }
    guard let first = rest.first else { return token(.end) }
    if first == "\"" { return token(.quoted(try quoted())) }
    if Self.isWord(first) {
      var text = ""
      while let scalar = rest.first, Self.isWord(scalar) { text.unicodeScalars.append(take()) }
      return token(.word(text))
    }
    guard "();,<>".unicodeScalars.contains(first) else {
      throw SchemaFault(line: line, column: column, message: "'\(first)' has no meaning here")
    }
    return token(.sign(take()))
  }

  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
  }

  @discardableResult
  private mutating func take() -> Unicode.Scalar {
    let scalar = rest.removeFirst()
    if scalar == "\n" || (scalar == "\r" && rest.first != "\n") {
      line += 1
      column = 1
    } else {
      column += 1
    }
    return scalar
  }

  private mutating func skipSpace() throws(SchemaFault) {
    while let first = rest.first {
      let second = rest.dropFirst().first
      if first.properties.isWhitespace {
        take()
      } else if (first == "/" && second == "/") || (first == "-" && second == "-") {
        while let scalar = rest.first, scalar != "\n", scalar != "\r" { take() }
      } else if first == "/", second == "*" {
        try skipComment()
      } else {
        return
      }
    }
  }

  private mutating func skipComment() throws(SchemaFault) {
    let (line, column) = (line, column)
    take()
    take()
    while let scalar = rest.first {
      take()
      guard scalar == "*", rest.first == "/" else { continue }
      take()
      return
    }
    throw SchemaFault(line: line, column: column, message: "the comment is not closed: */ is missing")
  }

  /// The name; a doubled quote in it stands for one.
  private mutating func quoted() throws(SchemaFault) -> String {
    let (line, column) = (line, column)
    take()
    var text = ""
    while let scalar = rest.first, scalar != "\n", scalar != "\r" {
      take()
      if scalar == "\"" {
        guard rest.first == "\"" else {
          if text.isEmpty { throw SchemaFault(line: line, column: column, message: "the name is empty") }
          return text
        }
        take()
      }
      text.unicodeScalars.append(scalar)
    }
    throw SchemaFault(line: line, column: column, message: "the quote is not closed on its line")
  }
}
