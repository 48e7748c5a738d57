internal import RecordStore
internal import Records

/// A change that concerns a filter, and what it means there.
struct MatchedChange {
  let change: RecordChange
  let reason: ChangeReason
  /// The fields whose values differ from before; then, where others refer, the key paths that lead through
  /// references to what differs. Empty where there was no record, or is none any more.
  let changedKeys: [String]
  /// What there was, on the key paths among them that lead through references, where it is asked for.
  var previousValues: [String: FieldValue] = [:]
}

/// Where a change puts a row of a result that a subscriber holds.
struct RowMove {
  /// The row's index before; nil when it was not among them.
  var from: Int?
  /// Its index once it was taken out there; nil when it is among them no more.
  var to: Int?
  /// Of the row as it is now; nil without sections.
  var section: SectionName?
}

/// A section, as a row of it names it.
struct SectionName {
  var name: String
  /// Empty when there is none.
  var indexTitle: String
}
