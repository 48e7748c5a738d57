/// A word, sign or literal of a predicate's text.
struct PredicateToken: Sendable {
  enum Kind: Sendable, Equatable {
    /// A name or a reserved word, as it was written.
    case word(String)
    /// A name in backquotes, or behind `#`: never a reserved word.
    case name(String)
    /// A name with colons in it, of a function: `modulus:by:`.
    case function(String)
    case text(String)
    /// Digits, with point and exponent where there are some; no sign.
    case number(String)
    /// `$name`
    case variable(String)
    /// `%@` and the like.
    case argument(Conversion)
    /// `@count` and the like, without the `@`.
    case collectionOperator(String)
    case sign(Sign)
    /// Behind the last token.
    case end
  }

  enum Conversion: String, Sendable {
    /// `%@`
    case value
    /// `%K`
    case keyPath
    /// `%d`, `%i`, `%u`, `%ld`, …
    case integer
    /// `%f`, `%g`, …
    case number
  }

  enum Sign: String, Sendable {
    case openParenthesis = "("
    case closeParenthesis = ")"
    case openBrace = "{"
    case closeBrace = "}"
    case openBracket = "["
    case closeBracket = "]"
    case comma = ","
    case point = "."
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case and = "&&"
    case or = "||"
    case not = "!"
    case plus = "+"
    case minus = "-"
    case times = "*"
    case divided = "/"
    case power = "**"
    case remainder = "%%"

    var arithmetic: Predicate.ArithmeticOperation? {
      switch self {
      case .plus: .add
      case .minus: .subtract
      case .times: .multiply
      case .divided: .divide
      case .remainder: .remainder
      case .power: .power
      default: nil
      }
    }
  }

  let kind: Kind
  /// In Unicode scalars from the beginning of the text.
  let offset: Int
  /// The word in upper case; empty for other tokens. Reserved words are compared by it.
  let keyword: String

  init(kind: Kind, offset: Int) {
    self.kind = kind
    self.offset = offset
    keyword = if case .word(let word) = kind { word.uppercased() } else { "" }
  }
}
