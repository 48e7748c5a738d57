internal import RecordStore
internal import Records

/// A commit, or a piece of a replay, as filters see it that follow references: with the records that others
/// refer to as they were before and as they are after it. Made for one use within a snapshot.
final class FollowedChanges {
  private let changeSet: ChangeSet
  private let start: Int64
  private let reader: Reader
  /// Why other records could not be had: the log no longer tells how they were, too many refer to what changed,
  /// or the store can't be read.
  private(set) var failure: RecordError?
  private var recordsBefore: PastRecords?
  private var recordsAfter: PastRecords?
  private var known: [Selection: [RecordChange]] = [:]

  private struct Selection: Hashable {
    let hops: Int
    let recordType: String?
  }

  /// Records that a commit may mean something to because they refer to what it changed. Beyond it their
  /// subscriptions begin anew.
  private static let maximumReferrers = 50_000

  /// `changeSet` leads from `start` on.
  init(_ changeSet: ChangeSet, since start: Int64, in reader: Reader) {
    self.changeSet = changeSet
    self.start = start
    self.reader = reader
  }

  /// What finds records as they were before.
  func before() throws(RecordError) -> any RecordResolver {
    if let recordsBefore { return recordsBefore }
    let made = try noting { () throws(RecordError) in try reader.pastRecords(at: start) }
    recordsBefore = made
    return made
  }

  /// What finds records as they are after it.
  func after() throws(RecordError) -> any RecordResolver {
    if let recordsAfter { return recordsAfter }
    let made = try noting { () throws(RecordError) in try reader.pastRecords(at: changeSet.sequence) }
    recordsAfter = made
    return made
  }

  /// Records that did not change and refer, over at most `hops` references, to one that did; of every type
  /// when `recordType` is nil.
  func referrers(hops: Int, recordType: String?) throws(RecordError) -> [RecordChange] {
    let selection = Selection(hops: hops, recordType: recordType)
    if let found = known[selection] { return found }
    var found = try noting { () throws(RecordError) in
      try reader.referrers(
        of: changeSet, since: start, hops: hops, recordType: recordType, limit: Self.maximumReferrers)
    }
    // What one refers to may be of any of them.
    let commits = Set(changeSet.changes.flatMap(\.commits)).sorted()
    for place in found.indices { found[place].commits = commits }
    known[selection] = found
    return found
  }

  /// Throws when one of the records could not be found as it was. To be called before what was worked out with
  /// them is believed.
  func check() throws(RecordError) {
    try noting { () throws(RecordError) in
      try recordsBefore?.check()
      try recordsAfter?.check()
    }
  }

  private func noting<Value>(_ read: () throws(RecordError) -> Value) throws(RecordError) -> Value {
    do throws(RecordError) {
      return try read()
    } catch {
      failure = error
      throw error
    }
  }
}
