extension Predicate {
  /// One side of a comparison. Never deeper than ``maximumExpressionDepth``.
  public indirect enum Expression: Sendable, Equatable {
    /// The record's value there; null when it is missing.
    case path(FieldPath)
    /// One element of a list, or what a path finds behind it.
    case element(ElementPath)
    /// A literal, an argument, or what was worked out of such; nil is null.
    case value(FieldValue?)
    /// `{…}` and arguments that are lists.
    case list([Expression])
    case box(LocationBox)
    case polygon(LocationPolygon)
    /// Every text field and list of texts of the record: `SELF`, `allTokens`. Only on the left of the
    /// operations on words.
    case allText
    /// At least one side is not constant.
    case arithmetic(ArithmeticOperation, Expression, Expression)
    /// Metres between two locations, of which at least one is not constant; null when one is none.
    case distance(Expression, Expression)
    /// A value that is not constant, as another type; null where it can't be that.
    case cast(Expression, CastType)
  }

  /// Levels of parentheses, functions and operators inside of expressions that are accepted.
  public static let maximumExpressionDepth = 100

  /// Regular expressions and searches for words that are accepted, since each keeps more memory than its text.
  public static let maximumSearches = 100

  /// Code points of all patterns of MATCHES together.
  public static let maximumPatternScalars = 16_384

  public enum ArithmeticOperation: String, Sendable, CaseIterable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case remainder = "%%"
    case power = "**"
  }

  /// The types of CAST, by the names that they have there.
  public enum CastType: String, Sendable, CaseIterable {
    case date = "NSDate"
    case number = "NSNumber"
    case text = "NSString"
  }

  /// `tags[0]`, `members[FIRST].name`
  public struct ElementPath: Sendable, Hashable {
    /// Where the list is. It does not count elements.
    public var list: FieldPath
    public var position: ListPosition
    /// The names behind the brackets.
    public var rest: [String]
    /// Whether `@count` ends it.
    public var countsElements: Bool

    public init(
      _ list: FieldPath, _ position: ListPosition, rest: [String] = [], countsElements: Bool = false
    ) {
      self.list = list
      self.position = position
      self.rest = rest
      self.countsElements = countsElements
    }
  }

  public enum ListPosition: Sendable, Hashable {
    /// From 0. Nothing is beyond the end.
    case index(Int)
    case first
    case last
  }
}

extension Predicate.Expression {
  /// Whether it is the same for every record. Lists of constants are.
  public var isConstant: Bool {
    switch self {
    case .value, .box, .polygon: true
    case .list(let elements): elements.allSatisfy(\.isConstant)
    case .path, .element, .allText, .arithmetic, .distance, .cast: false
    }
  }
}
