extension Predicate.Expression {
  /// What this is for a record. Boxes, polygons and the record's whole text are no values: the
  /// comparison looks at them itself.
  func operand(in view: RecordView) -> Operand {
    switch self {
    case .value(let value): Operand(value)
    case .path(let path): view.record.operand(at: path, in: view.field(of: path), resolver: view.resolver)
    case .list(let elements): .list(elements.map { $0.value(in: view) })
    case .element(let path):
      view.record.operand(at: path, in: view.field(of: path.list), resolver: view.resolver)
    case .arithmetic, .distance, .cast: .single(value(in: view))
    case .box, .polygon, .allText: .single(nil)
    }
  }

  /// The single value that this is; nil for null and for a list.
  private func value(in view: RecordView) -> FieldValue? {
    switch self {
    case .arithmetic(let operation, let left, let right):
      operation.result(left.value(in: view), right.value(in: view))
    case .distance(let from, let to): Self.distance(from.value(in: view), to.value(in: view))
    case .cast(let inner, let type): type.cast(inner.value(in: view))
    case .value, .path, .element, .list, .box, .polygon, .allText:
      if case .single(let value) = operand(in: view) { value } else { nil }
    }
  }

  /// Metres; nil when one is no place.
  static func distance(_ from: FieldValue?, _ to: FieldValue?) -> FieldValue? {
    guard case .location(let from)? = from, case .location(let to)? = to else { return nil }
    return .double(from.distance(to: to))
  }

  /// What this is for every record; nil when records differ.
  var constantOperand: Operand? {
    switch self {
    case .value(let value): Operand(value)
    case .list(let elements) where isConstant:
      .list(elements.map { if case .value(let value) = $0 { value } else { nil } })
    default: nil
    }
  }
}
