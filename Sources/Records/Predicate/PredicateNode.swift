extension Predicate {
  /// A part of the condition. Never deeper than ``maximumDepth``, so that it can be walked by recursion.
  public indirect enum Node: Sendable, Equatable {
    case constant(Bool)
    /// At least two; none of them is an `and` itself.
    case and([Node])
    /// At least two; none of them is an `or` itself.
    case or([Node])
    case not(Node)
    case comparison(Comparison)
  }

  /// Levels of parentheses and `NOT` that are accepted.
  public static let maximumDepth = 1000

  /// `left operation right`, or, with a quantifier, that for the elements of the list on the left.
  public struct Comparison: Sendable, Equatable {
    public var left: Expression
    public var operation: Operation
    public var right: Expression
    /// Of texts; empty for the operations on words, which always ignore case and marks.
    public var folding: TextFolding
    /// Whether words that only begin as the sought ones count too; for the operations on words.
    public var matchesPrefixes: Bool
    /// Nil: the left side is compared whole.
    public var quantifier: Quantifier?

    public init(
      _ left: Expression, _ operation: Operation, _ right: Expression, folding: TextFolding = [],
      matchesPrefixes: Bool = false, quantifier: Quantifier? = nil
    ) {
      self.left = left
      self.operation = operation
      self.right = right
      self.folding = folding
      self.matchesPrefixes = matchesPrefixes
      self.quantifier = quantifier
    }
  }

  public enum Operation: String, Sendable, CaseIterable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    /// The right side is a list of the two bounds, both inclusive.
    case between = "BETWEEN"
    /// The right side is a list of values, or a text that the left side is looked for in.
    case `in` = "IN"
    /// The left side is a list of values, or a text that the right side is looked for in.
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    /// The right side is a pattern: `*` any text, `?` one code point, `\*` `\?` `\\` themselves.
    case like = "LIKE"
    /// The right side is a regular expression, a constant text, for the whole text on the left.
    case matches = "MATCHES"
    /// The left side is ``Expression/allText``, the right side a constant text with terms, one of which must
    /// be there: `SELF CONTAINS 'one two'`.
    case containsWords = "CONTAINS WORDS"
    /// The left side is ``Expression/allText`` or a text or a list of them, the right side a constant text
    /// with terms, all of which must be there.
    case matchesWords = "TOKENMATCHES"
    /// The right side is a box or a polygon.
    case within = "WITHIN"
  }

  public enum Quantifier: String, Sendable, CaseIterable {
    /// At least one element. False for an empty list.
    case anyElement = "ANY"
    /// No element that does not. True for an empty list.
    case allElements = "ALL"
    /// Not ``anyElement``. True for an empty list.
    case noElement = "NONE"
  }
}

extension Predicate.Operation {
  /// Whether it looks for words, and not for text.
  public var isOfWords: Bool { self == .containsWords || self == .matchesWords }
}
