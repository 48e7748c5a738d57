/// What a commit did to a record, seen through a subscription's filter.
enum ChangeReason: String, CaseIterable, Sendable {
  case created
  case updated
  case entered
  case left
  case deleted

  /// Nil when the change does not concern the filter.
  init?(existed: Bool, matched: Bool, exists: Bool, matches: Bool) {
    switch (matched, matches) {
    case (false, true): self = existed ? .entered : .created
    case (true, true): self = .updated
    case (true, false): self = exists ? .left : .deleted
    case (false, false): return nil
    }
  }
}
