extension Predicate.Node {
  /// Whether the condition holds for the record, by the letter: no short cuts, no order of evaluation.
  func holds(in view: RecordView) -> Bool {
    switch self {
    case .constant(let truth): truth
    case .not(let inner): !inner.holds(in: view)
    case .and(let parts): parts.allSatisfy { $0.holds(in: view) }
    case .or(let parts): parts.contains { $0.holds(in: view) }
    case .comparison(let comparison):
      comparison.holds(comparison.left.operand(in: view), comparison.right.operand(in: view), in: view)
    }
  }
}
