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

  private static let named = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

  /// The key of that name; nil for any other. Faster than by the raw value.
  init?(named name: String) {
    guard let key = Self.named[name] else { return nil }
    self = key
  }
}
