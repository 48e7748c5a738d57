/// What every record has beside its fields, under the names that predicates and sort descriptors use
/// (CloudKit's).
public enum SystemKey: String, Sendable, CaseIterable {
  case recordName
  case recordType
  case zoneName
  case recordChangeTag
  /// A date.
  case creationDate
  /// A date.
  case modificationDate
  /// The text `_<uid>`.
  case creatorUserRecordID
  /// The text `_<uid>`.
  case lastModifiedUserRecordID
}
