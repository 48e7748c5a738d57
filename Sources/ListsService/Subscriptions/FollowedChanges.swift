internal import RecordStore
internal import Records

/// A commit, or a piece of a replay, as filters see it that follow references: with the records that others
/// refer to as they were before and as they are after it. Made for one use within a snapshot.
final class FollowedChanges {
  private let changeSet: ChangeSet
  private let reader: Reader
  /// Why other records could not be had: the log no longer tells how they were, too many refer to what changed,
  /// or the store can't be read.
  private(set) var failure: RecordError?
  private var recordsBefore: RecordsBefore?
  private var recordsAfter: PastRecords?
  private var known: [Selection: [RecordChange]] = [:]

  private struct Selection: Hashable {
    let hops: Int
    let recordType: String?
  }

  /// Records that a commit may mean something to because they refer to what it changed: as many as can be found
  /// while others wait. Beyond it their subscriptions begin anew.
  private static let maximumReferrers = 20_000

  init(_ changeSet: ChangeSet, in reader: Reader) {
    self.changeSet = changeSet
    self.reader = reader
  }

  /// The fields that the changes concern.
  private(set) lazy var fields = ChangedFields(changeSet.changes)

  /// Whether somebody may have been told of what a replay passes over.
  var passesOver: Bool { changeSet.changes.contains(where: \.passesOver) }

  /// What finds records as they were before: those that changed as the changes say, the others as they are after.
  func before() throws(RecordError) -> any RecordResolver {
    if let recordsBefore { return recordsBefore }
    let made = RecordsBefore(changeSet.changes, others: try after())
    recordsBefore = made
    return made
  }

  /// What finds records as they are after it.
  func after() throws(RecordError) -> any RecordSnapshot {
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
    let found = try noting { () throws(RecordError) in
      // They did not change, so that it is all the same as of when.
      try reader.referrers(
        of: changeSet, since: changeSet.sequence, hops: hops, recordType: recordType,
        limit: Self.maximumReferrers)
    }
    known[selection] = found
    return found
  }

  /// Throws when one of the records could not be found as it was. To be called before what was worked out with
  /// them is believed.
  func check() throws(RecordError) {
    try noting { () throws(RecordError) in
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

/// Records as they were before some changes.
private final class RecordsBefore: RecordResolver {
  private var changed: [[UInt8]: StoredRecord?] = [:]
  private let others: any RecordResolver

  init(_ changes: [RecordChange], others: any RecordResolver) {
    self.others = others
    for change in changes {
      let place = Self.place(change.recordName, change.zoneName)
      // One that was deleted and made anew stands there twice, with what it was first.
      if changed[place] == nil { changed[place] = .some(change.before) }
    }
  }

  func record(named recordName: String, inZone zoneName: String) -> StoredRecord? {
    if let known = changed[Self.place(recordName, zoneName)] { return known }
    return others.record(named: recordName, inZone: zoneName)
  }

  private static func place(_ recordName: String, _ zoneName: String) -> [UInt8] {
    Array(recordName.utf8) + [0] + Array(zoneName.utf8)
  }
}
