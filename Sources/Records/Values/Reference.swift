/// A reference to another record.
public struct Reference: Sendable {
  /// What happens when the record that is referred to is deleted.
  public enum Action: String, Sendable, CaseIterable {
    /// Nothing: the reference leads nowhere then.
    case none
    /// The record that holds the reference is deleted with it.
    case deleteSelf
    /// The reference is taken out of the record that holds it.
    case setNull
    /// It can't be deleted as long as the reference is there.
    case restrict
    /// As `restrict`; besides, it must be there when the reference is saved.
    case validate
  }

  public var recordName: String
  /// Nil: the zone of the record that holds the reference.
  public var zoneName: String?
  public var action: Action

  public init(recordName: String, zoneName: String? = nil, action: Action = .none) {
    self.recordName = recordName
    self.zoneName = zoneName
    self.action = action
  }

  /// Whether both, held by a record of the zone `zoneName`, name the same record.
  public func isSameRecord(as other: Reference, inZone zone: String) -> Bool {
    recordName.hasSameUTF8(as: other.recordName)
      && (zoneName ?? zone).hasSameUTF8(as: other.zoneName ?? zone)
  }
}

/// The same members, names by their bytes.
extension Reference: Equatable {
  public static func == (left: Reference, right: Reference) -> Bool {
    left.action == right.action && left.recordName.hasSameUTF8(as: right.recordName)
      && (left.zoneName == nil) == (right.zoneName == nil)
      && (left.zoneName ?? "").hasSameUTF8(as: right.zoneName ?? "")
  }
}
