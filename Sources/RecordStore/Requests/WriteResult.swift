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
  /// `existed` is false only where a missing record is no error.
  case deleted(zoneName: String, recordName: String, existed: Bool)
  /// How it is now tells ``Reader/recordType(_:)``.
  case savedRecordType(name: String)
  case savedZone(zoneName: String)
  /// How many records were deleted with it; none also where a missing zone is no error.
  case deletedZone(zoneName: String, records: Int)
  /// As it is now. `isChanged` is false when it was there already and asked for the same.
  case savedSubscription(SavedSubscription, isChanged: Bool)
  case deletedSubscription(id: String)
  case acknowledged(id: String, position: ChangeToken)
  case savedAsset(Asset)
}
