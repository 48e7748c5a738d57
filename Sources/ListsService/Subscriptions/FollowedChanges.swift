internal import RecordStore
internal import Records

/// A commit, or a piece of a replay, as filters see it that follow references: with the records that others
/// refer to as they were before and as they are after it. Made for one use within a snapshot.
final class FollowedChanges {
  let changeSet: ChangeSet
  private let reader: Reader
  /// Why the other records could not be had; then the log no longer tells how they were, or the store can't be
  /// read.
  private(set) var failure: RecordError?
  private var resolver: (any RecordResolver)?

  init(_ changeSet: ChangeSet, since start: Int64, in reader: Reader) {
    self.changeSet = changeSet
    self.reader = reader
  }

  /// What finds records as they were before.
  func before() throws(RecordError) -> any RecordResolver { try after() }

  /// What finds records as they are after it.
  func after() throws(RecordError) -> any RecordResolver {
    if let resolver { return resolver }
    let made = try reader.resolver
    resolver = made
    return made
  }

  /// Throws when one of the records could not be found as it was. To be called before what was worked out with
  /// them is believed.
  func check() throws(RecordError) {
    if let failure { throw failure }
  }

  /// Records that did not change and refer, over at most `hops` references, to one that did.
  func referrers(hops: Int, recordType: String?) throws(RecordError) -> [RecordChange] { [] }
}
