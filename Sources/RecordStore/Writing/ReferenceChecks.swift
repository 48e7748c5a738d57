/// What an atomic request of several operations has still to show about references at its end, so that the order
/// of its operations doesn't matter.
struct ReferenceChecks {
  /// A record that held a deletion up when that was asked for.
  struct Hold {
    let holder: Cascade.Holder
    /// Of the deletion among the request's operations.
    let place: Int
  }

  /// A reference that was saved and must lead to a record.
  struct Validation {
    let id: Int64
    let field: String
    let target: RecordPlace
    /// Of the save among the request's operations.
    let place: Int
  }

  private(set) var holds: [Hold] = []
  private(set) var validations: [Validation] = []
  /// What was deleted, and by which operation.
  private var deletions: [RecordPlace: Int] = [:]

  mutating func hold(_ holder: Cascade.Holder, place: Int) {
    holds.append(Hold(holder: holder, place: place))
  }

  mutating func validate(_ validation: Validation) { validations.append(validation) }

  mutating func note(deleted record: RecordPlace, place: Int) { deletions[record] = place }

  /// The operation that deleted the record; nil when none did.
  func deletion(of record: RecordPlace) -> Int? { deletions[record] }

  /// Hands over what holds deletions up.
  mutating func takeHolds() -> [Hold] {
    defer { holds = [] }
    return holds
  }
}
