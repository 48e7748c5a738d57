/// How a query was answered.
public struct QueryPlan: Sendable, Equatable {
  /// What was gone through.
  public enum Access: String, Sendable, CaseIterable {
    /// Records looked up by the names that the predicate gives.
    case names
    /// Stretches of an index, or of several.
    case index
    /// What the full-text index found.
    case fullText
    /// All records of the type.
    case type
    /// All records of all types.
    case everything
    /// Nothing: no record can match.
    case none
  }

  public var access: Access
  /// The keys of the index that was read; nil when none was, or more than one.
  public var index: [String]?
  /// Whether the records came in the query's order, so that a page ends the search.
  public var ordered: Bool
  /// Records that the evaluator looked at.
  public var rowsExamined: Int
  /// Records given, or counted.
  public var rowsReturned: Int
  /// Why it was done so, for a person.
  public var reason: String
  /// Keys of the query that no record of the type has.
  public var unknownKeys: [String]

  public init(
    access: Access, index: [String]? = nil, ordered: Bool, rowsExamined: Int, rowsReturned: Int,
    reason: String, unknownKeys: [String] = []
  ) {
    self.access = access
    self.index = index
    self.ordered = ordered
    self.rowsExamined = rowsExamined
    self.rowsReturned = rowsReturned
    self.reason = reason
    self.unknownKeys = unknownKeys
  }
}
