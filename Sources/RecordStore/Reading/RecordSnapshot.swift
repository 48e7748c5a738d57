public import Records

/// The records of a store at one position, and who made them what they are.
public protocol RecordSnapshot: RecordResolver {
  /// Who deleted the record, over a connection that is not known. Nil where it is there, where there never was
  /// one, and where its deletion is no longer kept.
  func deleter(ofRecord recordName: String, inZone zoneName: String) -> Caller?
}

extension RecordSnapshot {
  /// Who changed the record last, its deletion included. Nil as ``deleter(ofRecord:inZone:)``.
  public func lastOrigin(ofRecord recordName: String, inZone zoneName: String) -> Caller? {
    if let record = record(named: recordName, inZone: zoneName) { return record.lastOrigin }
    return deleter(ofRecord: recordName, inZone: zoneName)
  }
}

extension StoredRecord {
  /// Who changed it last, over a connection that is not known.
  var lastOrigin: Caller {
    Caller(userID: UInt32(modified.userRecordName.dropFirst()) ?? 0, connection: 0)
  }
}
