internal import RecordStore
internal import Records

/// A query's result that is kept up for a subscriber: begun with a read of the store, then moved on by each
/// change that concerns its filter.
///
/// What it is told may repeat what it knows, since the changes after a position are told again where a read
/// turned out to be of a later one: it goes by what records are after a change.
protocol LiveResult: AnyObject {
  /// The read that it is begun with, and that it is set right with where changes alone don't do.
  var read: ReadRequest { get }

  /// Takes over what the read gave: what leads there from what the subscriber holds. `resolver` finds records
  /// as they are then, or later.
  func adopt(_ result: ReadResult, _ resolver: any RecordSnapshot) throws(RecordError) -> LiveStep

  /// Takes over that there is nothing any more: the zone that the result is of was deleted.
  func clear(_ resolver: any RecordSnapshot) -> LiveStep

  /// Takes over changes: what they do to what the subscriber holds. Nil when that can't be told without
  /// reading again; then nothing was taken over, and nothing where it throws.
  ///
  /// - Parameters:
  ///   - isWhole: whether the store was once as it is with all these changes and those before; otherwise
  ///     others follow that belong to them.
  ///   - resolver: finds records as they are with these changes, where the order looks into other records, or
  ///     later.
  ///   - check: throws when `resolver` could not find what it was asked for, so that nothing is to be believed.
  func advance(
    by matched: [MatchedChange], isWhole: Bool, _ resolver: any RecordSnapshot,
    check: () throws(RecordError) -> Void
  ) throws(RecordError) -> LiveStep?
}

/// What is to be told of a result's change.
struct LiveStep {
  /// In the order in which they are to be applied.
  var changes: [(match: MatchedChange, move: RowMove)] = []
  /// The number of records, when it is what is told and is another than before.
  var count: Int?

  var isEmpty: Bool { changes.isEmpty && count == nil }
}
