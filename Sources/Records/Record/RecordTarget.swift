public import JSONRPC

/// The record that a client means when it has one deleted.
public struct RecordTarget: Sendable, Equatable {
  public var recordName: String
  /// When given, the record must be of this type.
  public var recordType: String?
  public var zoneName: String
  /// When given, the record must still be this version.
  public var recordChangeTag: String?

  public init(
    recordName: String, recordType: String? = nil, zoneName: String = Identifier.defaultZone,
    recordChangeTag: String? = nil
  ) {
    self.recordName = recordName
    self.recordType = recordType
    self.zoneName = zoneName
    self.recordChangeTag = recordChangeTag
  }

  /// Reads the members of a record that say which it is; its fields and stamps are passed over, so that a
  /// fetched record can be sent. Throws `invalidArguments` as ``RecordDraft/init(json:zoneName:)``.
  public init(json: JSON, zoneName: String = Identifier.defaultZone) throws(RecordError) {
    let members = try RecordMembers(json)
    guard let recordName = members.recordName else {
      throw RecordError(.invalidArguments, "the record has no recordName")
    }
    self.init(
      recordName: recordName, recordType: members.recordType, zoneName: members.zoneName ?? zoneName,
      recordChangeTag: members.recordChangeTag)
  }
}
