public import Records

/// What became of a write request that was carried out.
public struct WriteResult: Sendable {
  /// The store's position after it: what was read at this token or a later one includes the request.
  public var changeToken: ChangeToken
  /// One for each operation, in order. Those of an atomic request are all successes.
  public var items: [Result<ItemResult, RecordError>]
}

/// What became of one operation.
public enum ItemResult: Sendable {
  /// The record as it is stored now; also when the save changed nothing.
  case saved(StoredRecord)
  /// The same where somebody else had changed the record meanwhile, and both changes went together; `settled` are
  /// the fields that both had changed.
  case merged(StoredRecord, settled: [String])
  /// `existed` is false only where a missing record is no error.
  /// `cascadedDeletions` are the records that were deleted with it because they refer to it.
  case deleted(zoneName: String, recordName: String, existed: Bool, cascadedDeletions: Int)
  /// How it is now tells ``Reader/recordType(_:)``.
  ///
  /// The report is of what became of the fields that there were; nil when nothing was to.
  case savedRecordType(name: String, RecordTypeReport?)
  /// What saving the record type would do: nothing was done.
  case examinedRecordType(RecordTypeReport)
  case deletedRecordType(name: String)
  case savedZone(zoneName: String)
  /// How many records were deleted with it, none also where a missing zone is no error; and how many of other
  /// zones because they refer to those.
  case deletedZone(zoneName: String, records: Int, cascadedDeletions: Int)
  /// The record as it is stored now, and how many others came back with it.
  case restored(StoredRecord, cascadedRestorations: Int)
  /// As it is now. `isChanged` is false when it was there already and asked for the same.
  case savedSubscription(SavedSubscription, isChanged: Bool)
  case deletedSubscription(id: String)
  case acknowledged(id: String, position: ChangeToken)
  case savedAsset(Asset)
}

extension ItemResult {
  /// Counts records in that were deleted later in the same request because they refer to what this deleted.
  mutating func addCascadedDeletions(_ count: Int) {
    switch self {
    case .deleted(let zoneName, let recordName, let existed, let known):
      self = .deleted(
        zoneName: zoneName, recordName: recordName, existed: existed, cascadedDeletions: known + count)
    case .deletedZone(let zoneName, let records, let known):
      self = .deletedZone(zoneName: zoneName, records: records, cascadedDeletions: known + count)
    default: break
    }
  }
}

extension ItemResult {
  /// The record of a save, and what was merged in it if it was; nil for any other operation.
  public var savedRecord: (record: StoredRecord, settled: [String]?)? {
    switch self {
    case .saved(let record): (record, nil)
    case .merged(let record, let settled): (record, settled)
    default: nil
    }
  }
}
