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
}

/// What became of one record.
public struct RecordChange: Sendable {
  public var zoneName: String
  public var recordType: String
  public var recordName: String
  /// Nil when there was no such record.
  public var before: StoredRecord?
  /// Nil when there is no such record any more.
  public var after: StoredRecord?
  /// Who made the change, the last one where it stands for several. In a replay its connection is 0.
  public var origin: Caller
}

/// A part of a replay.
public struct ChangesPage: Sendable {
  /// The page's changes; its token is where the next page goes on.
  public var changeSet: ChangeSet
  /// Whether the replay has more pages.
  public var moreComing: Bool
}
