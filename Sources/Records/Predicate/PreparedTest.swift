import JSONRPC

/// A comparison of one value of the record with a constant, prepared so that it is answered from the record's
/// JSON without building values.
///
/// Only a short cut: what it doesn't know it leaves to ``Predicate/Comparison/holds(_:_:in:pattern:)``.
///
/// An object, as what it holds would cost more to copy than the test.
final class PreparedTest: Sendable {
  private enum Constant: Sendable {
    case null
    case text(PreparedText)
    case pattern(PreparedPattern)
    case box(LocationBox)
    case polygon(LocationPolygon)
    /// A number, a boolean or a date.
    case plain(FieldValue)
    case reference(Reference)
    /// Of IN.
    case members(PreparedMembers)
    /// Of BETWEEN: not below the one, not above the other.
    case bounds(PreparedTest, PreparedTest)
  }

  private let operation: Predicate.Operation
  private let quantifier: Predicate.Quantifier?
  private let folding: TextFolding
  private let constant: Constant

  /// Nil when there is no short cut for the comparison.
  init?(_ comparison: Predicate.Comparison) {
    operation = comparison.operation
    quantifier = comparison.quantifier
    folding = comparison.folding
    if let pattern = PreparedPattern(comparison) {
      constant = .pattern(pattern)
      return
    }
    switch (comparison.operation, comparison.right) {
    case (.in, .list(let elements)):
      guard let members = PreparedMembers(elements, folding: comparison.folding) else { return nil }
      constant = .members(members)
    case (.between, .list(let bounds)) where bounds.count == 2:
      guard let low = PreparedTest(.greaterOrEqual, bounds[0], comparison),
        let high = PreparedTest(.lessOrEqual, bounds[1], comparison)
      else { return nil }
      constant = .bounds(low, high)
    case (.within, .box(let box)): constant = .box(box)
    case (.within, .polygon(let polygon)): constant = .polygon(polygon)
    case (.like, .value(.string)), (.matches, .value(.string)), (.containsWords, .value(.string)),
      (.matchesWords, .value(.string)):
      return nil
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

  /// One of the two comparisons that BETWEEN is.
  private convenience init?(
    _ operation: Predicate.Operation, _ bound: Predicate.Expression, _ between: Predicate.Comparison
  ) {
    self.init(Predicate.Comparison(between.left, operation, bound, folding: between.folding))
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
    case .pattern(let pattern): return json.map { pattern.matches($0, folding: folding) } ?? false
    case .box(let box): return json?.locationValue.map(box.contains) ?? false
    case .polygon(let polygon): return json?.locationValue.map(polygon.contains) ?? false
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
