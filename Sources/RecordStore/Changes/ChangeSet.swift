public import Records

/// What one commit changed; or, in a replay, what several did, each record told once.
public struct ChangeSet: Sendable {
  /// The store's position after the commit.
  public var sequence: Int64
  /// The token of that position.
  public var changeToken: ChangeToken
  /// In the order in which they were made. A record deleted and made anew stands here twice: its deletion,
  /// then its creation. Empty when a batch came to nothing.
  public var changes: [RecordChange]
  /// The zones that were deleted and are not there any more, by name; their records' deletions stand in
  /// `changes`.
  public var deletedZones: [String] = []
  /// Who made the commit; nil in a replay.
  public var origin: Caller?
}

/// What became of one record.
public struct RecordChange: Sendable {
  public var zoneName: String
  public var recordType: String
  public var recordName: String
  /// Nil when there was no such record.
  public var before: StoredRecord?
  /// Nil when there is no such record any more. In a replay both are nil of one that came and went.
  public var after: StoredRecord?
  /// Who made the change, the last one where it stands for several; nil when that is no longer kept. In a
  /// replay its connection is 0.
  public var origin: Caller?
  /// The record whose deletion led to the change, by what a reference to it says; nil for what was asked for. Of
  /// several changes that of the last one, or of the deletion where one is told.
  public var cause: RecordPlace?
  /// In a replay: all commits between its ends that changed the record, ascending. Empty in what a commit
  /// itself tells, whose own number it is.
  public var commits: [Int64] = []
  /// In a replay: the versions between its ends, but for the first, of a record that several commits changed.
  /// ``Reader/passed(by:isFound:)`` finds what it was meanwhile.
  var passedVersions: [Int64] = []

  /// Whether the replay passes over states of the record that somebody may have been told of.
  public var passesOver: Bool { !passedVersions.isEmpty }
}

/// A part of a replay.
public struct ChangesPage: Sendable {
  /// The page's changes; its token is where the next page goes on.
  public var changeSet: ChangeSet
  /// The position from which its changes lead: each record's `before` is of it.
  public var start: Int64
  /// Whether the replay has more pages.
  public var moreComing: Bool
}

extension RecordChange {
  /// The record as if it had just been made by who changed it last.
  public init(initial record: StoredRecord) {
    self.init(
      zoneName: record.zoneName, recordType: record.recordType, recordName: record.recordName, before: nil,
      after: record, origin: record.lastOrigin)
  }

  /// A record that is gone, of which nothing else is known but by whom and why, where that is kept.
  public init(
    ofGone recordName: String, zoneName: String, recordType: String, by origin: Caller?,
    because cause: RecordPlace?
  ) {
    self.init(
      zoneName: zoneName, recordType: recordType, recordName: recordName, before: nil, after: nil,
      origin: origin, cause: cause)
  }
}
