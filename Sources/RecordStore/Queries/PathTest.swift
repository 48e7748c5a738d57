internal import Records

/// A comparison of the value at a path with a constant, turned so that the path is on the left.
struct PathTest {
  let comparison: Predicate.Comparison
  let path: FieldPath
  let operation: Predicate.Operation
  let constant: Predicate.Expression

  /// Nil when it is none.
  init?(_ comparison: Predicate.Comparison) {
    self.comparison = comparison
    if case .path(let path) = comparison.left, comparison.right.isConstant {
      self.path = path
      operation = comparison.operation
      constant = comparison.right
    } else if case .path(let path) = comparison.right, comparison.left.isConstant,
      comparison.quantifier == nil, let operation = comparison.operation.mirrored
    {
      self.path = path
      self.operation = operation
      constant = comparison.left
    } else {
      return nil
    }
  }

  var demand: KeyDemand? { comparison.demand(operation, constant) }

  /// Whether it compares texts without regard to case or marks.
  var isFoldingText: Bool {
    guard !comparison.folding.isEmpty else { return false }
    switch constant {
    case .value(let value): return value.isText
    case .list(let elements):
      return elements.contains { if case .value(let value) = $0 { value.isText } else { false } }
    default: return false
    }
  }
}

/// A comparison of the distance between the place at a path and a constant one with a constant, which only
/// places nearer than `metres` meet.
struct DistanceTest {
  let path: FieldPath
  let center: Location
  let metres: Double

  /// Nil when it is none.
  init?(_ comparison: Predicate.Comparison) {
    let distance: Predicate.Expression
    let bound: Predicate.Expression
    let operation: Predicate.Operation
    if case .distance = comparison.left {
      (distance, operation, bound) = (comparison.left, comparison.operation, comparison.right)
    } else if case .distance = comparison.right, let mirrored = comparison.operation.mirrored {
      (distance, operation, bound) = (comparison.right, mirrored, comparison.left)
    } else {
      return nil
    }
    guard case .distance(let one, let other) = distance, let metres = Self.metres(operation, bound) else {
      return nil
    }
    switch (one, other) {
    case (.path(let path), .value(.location(let center)?)), (.value(.location(let center)?), .path(let path)):
      self.path = path
      self.center = center
      self.metres = metres
    default: return nil
    }
  }

  private static func metres(
    _ operation: Predicate.Operation, _ bound: Predicate.Expression
  ) -> Double? {
    switch (operation, bound) {
    case (.less, .value(let value)), (.lessOrEqual, .value(let value)), (.equal, .value(let value)):
      number(value)
    case (.between, .list(let bounds)) where bounds.count == 2:
      if case .value(let value) = bounds[1] { number(value) } else { nil }
    default: nil
    }
  }

  private static func number(_ value: FieldValue?) -> Double? {
    switch value {
    case .int64(let integer)?: Double(integer)
    case .double(let double)?: double
    default: nil
    }
  }
}

extension Predicate.Operation {
  /// The operation that says the same with its sides exchanged.
  var mirrored: Predicate.Operation? {
    switch self {
    case .equal: .equal
    case .notEqual: .notEqual
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    case .in: .contains
    case .contains: .in
    default: nil
    }
  }
}

/// Why a comparison is of no use to an index, in words.
enum Obstacle {
  static func of(_ test: PathTest) -> String {
    if test.isFoldingText {
      let option =
        switch test.comparison.folding {
        case .caseInsensitive: "[c]"
        case .diacriticInsensitive: "[d]"
        default: "[cd]"
        }
      return "\(option) compares folded text, which no index has"
    }
    switch test.operation {
    case .endsWith: return "what texts end with is in no index"
    case .contains, .in: return "parts of texts are in no index"
    default: return "\(test.operation.rawValue) on \(test.path) does not tell where in an index to look"
    }
  }

  static func ofSides(_ comparison: Predicate.Comparison) -> String {
    "no side of \(comparison.operation.rawValue) is a key with a constant on the other"
  }

  static func unknownField(_ path: FieldPath) -> String { "no record has a field '\(path.root)'" }
}
