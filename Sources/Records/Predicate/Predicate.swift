public import JSONRPC

/// A condition on a record, in NSPredicate's format language (`Protocol/README.md`, "Predicates").
///
/// One value means the same wherever it is asked: it filters a query's rows, the records of a live
/// subscription and a client's own.
public struct Predicate: Sendable {
  /// The condition as a tree, for those who plan by it.
  public let root: Node

  /// Reads `text`. `arguments` stand in for its `%@` and the like, in order; `variables`, an object, for
  /// its `$names`. Both are values and never read as text of the language.
  ///
  /// Throws `invalidArguments` whose details have `column` (1-based, in characters) and `expected`.
  public init(parsing text: String, arguments: [JSON] = [], variables: JSON? = nil) throws(RecordError) {
    throw RecordError(.invalidArguments, "predicates are not read yet")
  }

  /// Every record.
  public static let everything = Predicate(root: .constant(true))

  init(root: Node) {
    self.root = root
  }

  /// Whether the record meets the condition.
  public func matches(_ record: StoredRecord) -> Bool { false }

  /// The condition in one spelling, arguments filled in: equal for predicates that were written differently
  /// and mean the same by their tree. Values for which the language has no literal are shown as JSON.
  public var text: String { "" }
}
