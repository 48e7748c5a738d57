import JSONRPC

/// A comparison of the distance between a field and a place with a number, prepared so that most places that
/// are too far away are told without measuring.
final class PreparedDistance: Sendable {
  /// Where the other place is.
  let path: FieldPath
  private let center: Location
  private let operation: Predicate.Operation
  private let bound: FieldValue
  /// Holds every place that is not farther than the bound; nil when none could be made.
  private let box: LocationBox?

  /// Nil when there is no short cut for the comparison.
  init?(_ comparison: Predicate.Comparison) {
    guard comparison.quantifier == nil, case .distance(let from, let to) = comparison.left,
      case .value(let bound?) = comparison.right
    else { return nil }
    switch (from, to) {
    case (.path(let path), .value(.location(let center)?)), (.value(.location(let center)?), .path(let path)):
      guard path.systemKey == nil, path.components.count == 1, !path.countsElements else { return nil }
      self.path = path
      self.center = center
    default: return nil
    }
    switch bound {
    case .int64(let metres): box = LocationBox(around: center, radius: Double(metres).nextUp)
    case .double(let metres): box = LocationBox(around: center, radius: metres)
    default: return nil
    }
    switch comparison.operation {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: operation = comparison.operation
    default: return nil
    }
    self.bound = bound
  }

  /// `json` is the field's, nil when it is missing.
  func holds(_ json: JSON?) -> Bool {
    guard let location = json?.locationValue else { return operation == .notEqual }
    if let box, !box.contains(location) {
      return operation == .greater || operation == .greaterOrEqual || operation == .notEqual
    }
    let order = FieldValue.double(center.distance(to: location)).order(to: bound)
    switch operation {
    case .equal: return order == .same
    case .notEqual: return order != .same
    default: return operation.accepts(order)
    }
  }
}
