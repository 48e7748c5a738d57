import JSONRPC

extension Predicate.Node {
  /// Whether the condition holds for the record, by the letter: no short cuts, no order of evaluation.
  func holds(for record: StoredRecord) -> Bool {
    switch self {
    case .constant(let truth): truth
    case .not(let inner): !inner.holds(for: record)
    case .and(let parts): parts.allSatisfy { $0.holds(for: record) }
    case .or(let parts): parts.contains { $0.holds(for: record) }
    case .comparison(let comparison):
      comparison.holds(
        comparison.left.operand(of: record, field: comparison.left.field(of: record)),
        comparison.right.operand(of: record, field: comparison.right.field(of: record)),
        inZone: record.zoneName)
    }
  }
}

extension Predicate.Expression {
  /// What this is for a record; `field` is the JSON of the field that it starts with, if it does with one. A
  /// box is no value: the comparison looks at it itself.
  func operand(of record: StoredRecord, field: JSON?) -> Operand {
    switch self {
    case .value(let value): Operand(value)
    case .path(let path): record.operand(at: path, in: field)
    case .list(let elements): .list(elements.map { $0.element(of: record) })
    case .box: .single(nil)
    }
  }

  private func element(of record: StoredRecord) -> FieldValue? {
    switch self {
    case .value(let value): value
    case .path(let path): record.value(at: path)
    case .list, .box: nil
    }
  }

  fileprivate func field(of record: StoredRecord) -> JSON? {
    if case .path(let path) = self { record.json(ofField: path.root) } else { nil }
  }
}
