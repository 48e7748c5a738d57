extension Predicate.Comparison {
  /// Whether the comparison holds for these sides (boxes, polygons and the record's whole text are looked at
  /// here). `pattern` is the right side made ready, if somebody has it.
  ///
  /// This is what the language means. ``PreparedTest`` comes to the same answers faster where it gives one.
  func holds(_ left: Operand, _ right: Operand, in view: RecordView, pattern: PreparedPattern? = nil) -> Bool
  {
    let pattern = pattern ?? right.text.flatMap { PreparedPattern($0, of: self) }
    func holdsForOne(_ left: Operand) -> Bool { self.holdsForOne(left, right, view.record, pattern) }
    return switch quantifier {
    case nil: holdsForOne(left)
    case .anyElement: left.elements.contains { holdsForOne(Operand($0)) }
    case .allElements: left.elements.allSatisfy { holdsForOne(Operand($0)) }
    case .noElement: !left.elements.contains { holdsForOne(Operand($0)) }
    }
  }

  private func holdsForOne(
    _ left: Operand, _ right: Operand, _ record: StoredRecord, _ pattern: PreparedPattern?
  ) -> Bool {
    // References without a zone are into the record's own.
    let zoneName = record.zoneName
    return switch operation {
    case .equal: left.equals(right, folding: folding, inZone: zoneName)
    case .notEqual: !left.equals(right, folding: folding, inZone: zoneName)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      operation.accepts(left.order(to: right, folding: folding))
    case .between: isBetween(left, right)
    case .in: Self.holds(right, contains: left, folding, zoneName)
    case .contains: Self.holds(left, contains: right, folding, zoneName)
    case .beginsWith, .endsWith: holdsForTexts(left, right)
    case .like, .matches, .containsWords, .matchesWords:
      pattern?.matches(left, isAllText: self.left == .allText, folding: folding, of: record) ?? false
    case .within: isInside(left)
    }
  }

  private func isBetween(_ value: Operand, _ bounds: Operand) -> Bool {
    guard case .list(let bounds) = bounds, bounds.count == 2 else { return false }
    return Predicate.Operation.greaterOrEqual.accepts(value.order(to: Operand(bounds[0]), folding: folding))
      && Predicate.Operation.lessOrEqual.accepts(value.order(to: Operand(bounds[1]), folding: folding))
  }

  private static func holds(
    _ whole: Operand, contains part: Operand, _ folding: TextFolding, _ zoneName: String
  ) -> Bool {
    if case .list(let elements) = whole {
      return elements.contains { Operand($0).equals(part, folding: folding, inZone: zoneName) }
    }
    guard let whole = whole.text, let part = part.text else { return false }
    return folding.folded(whole).span.firstOffset(of: folding.folded(part).span) != nil
  }

  private func holdsForTexts(_ left: Operand, _ right: Operand) -> Bool {
    guard let left = left.text, let right = right.text else { return false }
    let text = folding.folded(left)
    return operation == .beginsWith
      ? text.span.hasPrefix(folding.folded(right).span) : text.span.hasSuffix(folding.folded(right).span)
  }

  private func isInside(_ value: Operand) -> Bool {
    guard case .single(.location(let location)) = value else { return false }
    return switch right {
    case .box(let box): box.contains(location)
    case .polygon(let polygon): polygon.contains(location)
    default: false
    }
  }
}

extension Predicate.Operation {
  /// Whether an ordering holds of values that stand so. No ordering holds of values without an order.
  func accepts(_ order: Order?) -> Bool {
    switch (self, order) {
    case (.less, .before), (.lessOrEqual, .before), (.lessOrEqual, .same), (.greater, .after),
      (.greaterOrEqual, .after), (.greaterOrEqual, .same):
      true
    default: false
    }
  }
}
