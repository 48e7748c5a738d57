internal import Records

/// Which record: its name and zone. Told apart by bytes, as names are.
public struct RecordPlace: Sendable {
  public let recordName: String
  public let zoneName: String

  public init(recordName: String, zoneName: String) {
    self.recordName = recordName
    self.zoneName = zoneName
  }
}

extension RecordPlace: Hashable {
  public static func == (left: RecordPlace, right: RecordPlace) -> Bool {
    left.recordName.hasSameUTF8(as: right.recordName) && left.zoneName.hasSameUTF8(as: right.zoneName)
  }

  public func hash(into hasher: inout Hasher) {
    Name(recordName).hash(into: &hasher)
    Name(zoneName).hash(into: &hasher)
  }
}

extension StoredRecord {
  var place: RecordPlace { RecordPlace(recordName: recordName, zoneName: zoneName) }
}

extension HeldReference {
  /// Where it leads to.
  var target: RecordPlace { RecordPlace(recordName: recordName, zoneName: zoneName) }
}
