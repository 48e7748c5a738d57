import JSONRPC

/// A comparison of one value of the record with a constant, prepared so that it is answered from the record's
/// JSON without building values.
///
/// Only a short cut: what it doesn't know it leaves to ``Predicate/Comparison/holds(_:_:inZone:)``.
struct PreparedTest: Sendable {
  private enum Constant: Sendable {
    case null
    case text(PreparedText)
    case pattern(LikePattern)
    /// A number, a boolean or a date.
    case plain(FieldValue)
    case reference(Reference)
    /// Of IN.
    case members(PreparedMembers)
    /// Of BETWEEN: not below the one, not above the other.
    indirect case bounds(PreparedTest, PreparedTest)
  }

  private let operation: Predicate.Operation
  private let quantifier: Predicate.Quantifier?
  private let folding: TextFolding
  private let constant: Constant

  /// Nil when there is no short cut for the comparison.
  init?(_ comparison: Predicate.Comparison) {
    self.init(
      comparison.operation, comparison.right, folding: comparison.folding, quantifier: comparison.quantifier)
  }

  private init?(
    _ operation: Predicate.Operation, _ right: Predicate.Expression, folding: TextFolding,
    quantifier: Predicate.Quantifier? = nil
  ) {
    self.operation = operation
    self.quantifier = quantifier
    self.folding = folding
    switch (operation, right) {
    case (.in, .list(let elements)):
      guard let members = PreparedMembers(elements, folding: folding) else { return nil }
      constant = .members(members)
    case (.between, .list(let bounds)) where bounds.count == 2:
      guard let low = PreparedTest(.greaterOrEqual, bounds[0], folding: folding),
        let high = PreparedTest(.lessOrEqual, bounds[1], folding: folding)
      else { return nil }
      constant = .bounds(low, high)
    case (.like, .value(.string(let pattern)?)):
      guard let pattern = LikePattern(pattern, folding: folding) else { return nil }
      constant = .pattern(pattern)
    case (_, .value(nil)): constant = .null
    case (_, .value(.string(let text)?)): constant = .text(PreparedText(text, folding: folding))
    case (_, .value(.reference(let reference)?)): constant = .reference(reference)
    case (_, .value(let value?)):
      switch value {
      case .int64, .double, .boolean, .date: constant = .plain(value)
      default: return nil
      }
    default: return nil
    }
  }

  /// Whether the comparison holds for a value, given as its JSON (nil or null when it is missing), of a
  /// record. Nil when this test doesn't know.
  func holds(_ json: JSON?, of record: StoredRecord) -> Bool? {
    let json = json.flatMap { $0.isNull ? nil : $0 }
    guard let quantifier else { return holdsForOne(json, record) }
    // ALL looks for an element that does not hold, ANY and NONE for one that does.
    let sought = quantifier != .allElements
    var isFound = false
    if let json, json.kind == .array {
      for element in json.elements where !isFound {
        guard let holds = holdsForOne(element.isNull ? nil : element, record) else { return nil }
        isFound = holds == sought
      }
    } else if let json {
      guard let holds = holdsForOne(json, record) else { return nil }
      isFound = holds == sought
    }
    return quantifier == .anyElement ? isFound : !isFound
  }

  /// `json` is nil for null.
  private func holdsForOne(_ json: JSON?, _ record: StoredRecord) -> Bool? {
    switch constant {
    case .members(let members): return members.contains(json, of: record)
    case .bounds(let low, let high):
      guard let isAbove = low.holdsForOne(json, record), let isBelow = high.holdsForOne(json, record) else {
        return nil
      }
      return isAbove && isBelow
    case .null:
      guard let json else { return operation == .equal }
      if operation == .contains, json.kind == .array { return json.elements.contains(where: \.isNull) }
      return operation == .notEqual
    default:
      guard let json else { return operation == .notEqual }
      return holds(json, record)
    }
  }

  /// For a value and a constant that are not null.
  private func holds(_ json: JSON, _ record: StoredRecord) -> Bool {
    switch (json.kind, constant) {
    case (.array, _):
      // A list equals no single value; but it may contain it.
      guard operation == .contains else { return operation == .notEqual }
      return json.elements.contains { $0.kind != .array && isEqual($0, record) }
    case (.string, .text(let text)): return text.holds(operation, json)
    case (.string, .pattern(let pattern)):
      return withFoldedText(of: json, folding: folding) { pattern.matches($0) }
    case (_, .reference):
      return operation == .equal && isEqual(json, record) || operation == .notEqual && !isEqual(json, record)
    case (_, .plain(let value)):
      let order = json.plainValue?.order(to: value)
      switch operation {
      case .equal: return order == .same
      case .notEqual: return order != .same
      default: return operation.accepts(order)
      }
    default: return operation == .notEqual
    }
  }

  private func isEqual(_ json: JSON, _ record: StoredRecord) -> Bool {
    switch (json.kind, constant) {
    case (.string, .text(let text)): return text.holds(.equal, json)
    case (.object, .reference(let reference)): return json.isReference(to: reference, from: record)
    case (_, .plain(let value)): return json.plainValue?.order(to: value) == .same
    default: return false
    }
  }
}
