import Glibc
public import JSONRPC

/// A condition on a record, in NSPredicate's format language (`Protocol/README.md`, "Predicates").
///
/// One value means the same wherever it is asked: it filters a query's rows, the records of a live
/// subscription and a client's own.
public struct Predicate: Sendable {
  /// The condition as a tree, for those who plan by it.
  public let root: Node

  private let program: PredicateProgram

  /// Reads `text`. `arguments` stand in for its `%@` and the like, in order; `variables`, an object, for
  /// its `$names`. Both are values and never read as text of the language. `now` is what `now()` stands for,
  /// in milliseconds since 1970: one moment for all records; nil is the clock's.
  ///
  /// Throws `invalidArguments` whose details have `column` (1-based, in characters) and `expected`.
  public init(
    parsing text: String, arguments: [JSON] = [], variables: JSON? = nil, now: Int64? = nil
  ) throws(RecordError) {
    self.init(
      root: try PredicateParser.parse(
        text, arguments: arguments, variables: variables, now: now ?? Self.currentMoment))
  }

  private static var currentMoment: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Every record.
  public static let everything = Predicate(root: .constant(true))

  /// The caller sees to what ``Node`` says of a tree.
  init(root: Node) {
    self.root = root
    program = PredicateProgram(root)
  }

  /// Whether the record meets the condition. In time linear in the record's size for each comparison.
  ///
  /// Key paths through references go into the records that `resolver` finds; without one they lead nowhere.
  /// Never fails: what can't be worked out is null.
  /// For a long record `isStopped` is asked between two comparisons; once it says so the answer is false, and
  /// means nothing.
  public func matches(
    _ record: StoredRecord, resolver: (any RecordResolver)? = nil, isStopped: (() -> Bool)? = nil
  ) -> Bool {
    program.matches(record, resolver: resolver, isStopped: isStopped)
  }

  /// Comparisons in it, which a record may all have to be put to.
  public var numberOfComparisons: Int { program.numberOfTests }

  /// Whether the record meets the condition, worked out from the tree as it is written down. Slow; for tests.
  func matchesByDefinition(_ record: StoredRecord, resolver: (any RecordResolver)? = nil) -> Bool {
    root.holds(in: RecordView(record, resolver: resolver))
  }
}

extension Predicate: Equatable {
  public static func == (left: Predicate, right: Predicate) -> Bool { left.root == right.root }
}
