import JSONRPC

extension RecordQuery {
  /// Tells a person at a terminal that nothing matches, and what may be the cause. A script is told by the output.
  @MainActor func sayNothingMatches(_ session: Session) {
    guard session.errors.isTerminal || !session.printsJSON else { return }
    session.errors.say("no record of type '\(recordType)' matches")
    for hint in hintsOnNothing { session.errors.say(hint) }
  }

  private var hintsOnNothing: [String] {
    guard predicate != nil || filterBy != nil, !explains else { return [] }
    var hints = ["--explain tells of keys that no record has, and of values that a field never compares with"]
    let values = arguments + variables.map(\.1)
    if values.contains(where: { if case .string = $0 { true } else { false } }) {
      hints.insert(
        "--arg and --var NAME=TEXT give text; numbers, dates and the like are given with --arg-json and "
          + "--var NAME:=JSON", at: 0)
    }
    return hints
  }
}
