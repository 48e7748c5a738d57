public import Records

/// The records of a store at one position, and who made them what they are.
public protocol RecordSnapshot: RecordResolver {
  /// The deletion of the record. Nil where it is there, where there never was one, and where its deletion is no
  /// longer kept.
  func deletion(ofRecord recordName: String, inZone zoneName: String) -> RecordDeletion?
}

/// How a record went.
public struct RecordDeletion: Sendable {
  /// Who deleted it, over a connection that is not known.
  public let origin: Caller
  /// The record whose deletion led to it; nil when it was asked for.
  public let cause: RecordPlace?
}

extension RecordSnapshot {
  /// Who changed the record last, its deletion included. Nil as ``deletion(ofRecord:inZone:)``.
  public func lastOrigin(ofRecord recordName: String, inZone zoneName: String) -> Caller? {
    if let record = record(named: recordName, inZone: zoneName) { return record.lastOrigin }
    return deletion(ofRecord: recordName, inZone: zoneName)?.origin
  }
}

extension StoredRecord {
  /// Who changed it last, over a connection that is not known.
  var lastOrigin: Caller {
    Caller(userID: UInt32(modified.userRecordName.dropFirst()) ?? 0, connection: 0)
  }
}
