import JSONRPC

/// The field that a filter or sort descriptor of CloudKit is about.
enum CloudKitField {
  /// Under `systemFieldName`, CloudKit Web Services' names. Those that predicates use are known there too.
  private static let systemKeys: [String: SystemKey] = [
    "recordName": .recordName, "createdTimestamp": .creationDate, "modifiedTimestamp": .modificationDate,
    "createdUserRecordName": .creatorUserRecordID, "modifiedUserRecordName": .lastModifiedUserRecordID,
  ]

  /// The names of CloudKit's schema language. No field of one's own can have them there, so they are known
  /// under `fieldName` as well.
  private static let schemaNames: [String: SystemKey] = [
    "___recordID": .recordName, "___createTime": .creationDate, "___modTime": .modificationDate,
    "___createdBy": .creatorUserRecordID, "___modifiedBy": .lastModifiedUserRecordID,
    "___etag": .recordChangeTag,
  ]

  /// CloudKit's name for all texts of a record, where words are searched for.
  static let allText = "allTokens"

  /// The path that `fieldName` or `systemFieldName` stands for; nil when neither is there. A field name may be
  /// a key path.
  static func path(
    fieldName: JSON?, systemFieldName: JSON?, at place: CloudKitPlace
  ) throws(RecordError) -> FieldPath? {
    if let systemFieldName {
      guard fieldName == nil else {
        throw place.error("\(place.name) takes fieldName or systemFieldName, not both")
      }
      let name = systemFieldName.stringValue ?? ""
      guard let key = systemKeys[name] ?? schemaNames[name] ?? SystemKey(named: name) else {
        let known = systemKeys.keys.sorted().joined(separator: ", ")
        throw place.member("systemFieldName").error(mustBe: "one of \(known)")
      }
      return FieldPath([key.rawValue])
    }
    guard let fieldName else { return nil }
    guard let name = fieldName.stringValue else {
      throw place.member("fieldName").error(mustBe: "the name of a field")
    }
    if let key = schemaNames[name] { return FieldPath([key.rawValue]) }
    guard let path = try FieldPath(key: name) else {
      throw place.member("fieldName").error(mustBe: "the name of a field")
    }
    return path
  }
}
