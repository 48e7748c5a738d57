public import Records

/// What one client request changes.
///
/// Atomic, it is one commit or nothing. Otherwise each operation is a commit of its own, in order, and
/// fails by itself.
public struct WriteRequest: Sendable {
  public var caller: Caller
  public var operations: [WriteOperation]
  public var isAtomic: Bool
  /// Under which it is done once, however often it is submitted.
  public var idempotencyKey: IdempotencyKey?

  public init(
    caller: Caller, operations: [WriteOperation], isAtomic: Bool = true,
    idempotencyKey: IdempotencyKey? = nil
  ) {
    self.caller = caller
    self.operations = operations
    self.isAtomic = isAtomic
    self.idempotencyKey = idempotencyKey
  }
}

/// One operation of a request.
public enum WriteOperation: Sendable {
  case save(SaveOperation)
  case delete(DeleteOperation)
  /// Makes a version of each record only where fields become others; otherwise the store's position stays.
  case saveRecordType(RecordTypeDraft)
  /// Only of a type that has no records.
  case deleteRecordType(name: String)
  /// Makes a zone, if it is not there; the store's position stays.
  case saveZone(zoneName: String)
  /// One commit, with the records in it.
  case deleteZone(DeleteZoneOperation)
  /// One commit, with the records that come back besides.
  case restore(RestoreOperation)
  /// These three change no record: the store's position stays.
  case saveSubscription(SaveSubscriptionOperation)
  case deleteSubscription(DeleteSubscriptionOperation)
  case acknowledge(AcknowledgeOperation)
  /// Makes a file an asset; the store's position stays.
  case saveAsset(HeldAsset)

  /// A save under one of the three policies of `saveRecord`.
  public static func save(_ draft: RecordDraft, policy: SavePolicy) -> WriteOperation {
    .save(SaveOperation(draft, policy: policy))
  }
}

/// A record to be saved, and what to do with what is there.
public struct SaveOperation: Sendable {
  /// What becomes of the fields that the draft does not name.
  public enum Fields: Sendable {
    /// They stay.
    case merge
    /// They go.
    case replace
  }

  /// Whether the record's version must be the one that the draft's tag names.
  public enum TagCheck: Sendable {
    case ignored
    /// Only when the draft has a tag.
    case ifSent
    /// Always: a draft without a tag makes a record that must not be there yet, one with a tag changes a
    /// record that must be there in that version.
    case required
  }

  /// Whether the record must be there.
  public enum Existence: Sendable {
    case any
    /// Else `unknownItem`.
    case mustExist
    /// Else `serverRecordChanged`.
    case mustNotExist
  }

  public var draft: RecordDraft
  public var fields: Fields
  public var tagCheck: TagCheck
  public var existence: Existence
  /// When and by whom the record was made that a new one brings back; nil for one that is made now.
  var created: Stamp?

  public init(_ draft: RecordDraft, fields: Fields, tagCheck: TagCheck, existence: Existence) {
    self.draft = draft
    self.fields = fields
    self.tagCheck = tagCheck
    self.existence = existence
  }

  public init(_ draft: RecordDraft, policy: SavePolicy) {
    switch policy {
    case .ifServerRecordUnchanged:
      self.init(draft, fields: .replace, tagCheck: .required, existence: .any)
    case .changedKeys: self.init(draft, fields: .merge, tagCheck: .ignored, existence: .any)
    case .allKeys: self.init(draft, fields: .replace, tagCheck: .ignored, existence: .any)
    }
  }
}

/// A record to be deleted.
public struct DeleteOperation: Sendable {
  public var zoneName: String
  public var recordName: String
  /// A record of another type counts as missing; nil for any type.
  public var recordType: String?
  /// Deletes only this version, else `serverRecordChanged`; nil for any.
  public var recordChangeTag: String?
  /// Whether a missing record is no error.
  public var ignoresMissing: Bool

  public init(
    zoneName: String, recordName: String, recordType: String? = nil, recordChangeTag: String? = nil,
    ignoresMissing: Bool = false
  ) {
    self.zoneName = zoneName
    self.recordName = recordName
    self.recordType = recordType
    self.recordChangeTag = recordChangeTag
    self.ignoresMissing = ignoresMissing
  }
}

/// A zone to be deleted, with every record in it.
public struct DeleteZoneOperation: Sendable {
  public var zoneName: String
  /// Whether a missing zone is no error.
  public var ignoresMissing: Bool

  public init(zoneName: String, ignoresMissing: Bool = false) {
    self.zoneName = zoneName
    self.ignoresMissing = ignoresMissing
  }
}

/// A record to be brought back: one that was deleted, or a former version of it.
public struct RestoreOperation: Sendable {
  public var zoneName: String
  public var recordName: String
  /// The version that it is to be again; nil for what was deleted last, when it must not be there.
  public var recordChangeTag: String?
  /// Whether what was deleted, or changed, because of the record's deletion is brought back with it.
  public var withCascade: Bool

  public init(
    zoneName: String, recordName: String, recordChangeTag: String? = nil, withCascade: Bool = false
  ) {
    self.zoneName = zoneName
    self.recordName = recordName
    self.recordChangeTag = recordChangeTag
    self.withCascade = withCascade
  }
}

extension WriteOperation {
  /// Whether it does several things one after another, so that what it has written may have to be undone.
  var isManifold: Bool { if case .restore = self { true } else { false } }

  /// Whether it deletes records, and what that leads to.
  var isDeletion: Bool {
    switch self {
    case .delete, .deleteZone: true
    default: false
    }
  }
}
