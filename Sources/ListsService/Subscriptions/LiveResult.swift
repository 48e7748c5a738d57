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

  /// Takes over what the read gave: what leads there from what the subscriber holds.
  func adopt(_ result: ReadResult) throws(RecordError) -> LiveStep

  /// Takes over changes: what they do to what the subscriber holds. Nil when that can't be told without
  /// reading again; then nothing was taken over that ``adopt(_:)`` could not do with.
  func advance(
    by matched: [MatchedChange], resolver: (any RecordResolver)?
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
