public import JSONRPC
public import Records

/// What a stream of changes brings.
public enum ChangeEvent: Sendable {
  /// The changes of one commit, or a part of what was there or was missed at the start.
  case changes(ChangeBatch)
  /// Changes were missed that can't be had any more, or a window or the initial records begin anew: forget what
  /// is held. With `sendsInitial`, and for windows, the matching records follow; otherwise fetch them again. The
  /// stream goes on from `changeToken`, which is empty where the records follow.
  case reset(changeToken: String)
}

/// One push.
public struct ChangeBatch: Sendable {
  /// The push's `params`, as received.
  public let json: JSON

  public init(json: JSON) {
    self.json = json
  }

  /// The position to go on from when everything up to here was taken in.
  public var changeToken: String { json["changeToken"]?.stringValue ?? "" }
  /// These are the records that matched when the subscription began, or what became of some of them before all
  /// were told: everything up to the first batch that is not continued is one beginning.
  public var isInitial: Bool { json["initial"]?.boolValue ?? false }
  /// Another part of the same commit, or of the beginning, follows.
  public var isContinued: Bool { json["moreComing"]?.boolValue ?? false }
  /// In the order of the commit; none where only the position is told.
  public var changes: [RecordChange] { (json["changes"]?.elements).map { $0.map(RecordChange.init) } ?? [] }
  /// The records that `include` brought along.
  public var included: ReferencedRecords { ReferencedRecords(json["included"]) }
  /// The zones that the commit deleted, with all their records.
  public var deletedZones: [String] {
    (json["deletedZones"]?.elements).map { $0.compactMap(\.stringValue) } ?? []
  }
  /// How many records match, of a subscription that only counts.
  public var count: Int? { json["count"]?.int64Value.map { Int($0) } }
  /// The token is one to subscribe since: the position after this push, or of a part of a commit the one before
  /// that commit. Not so while more initial records follow.
  var isPosition: Bool { !(isInitial && isContinued) && !changeToken.isEmpty }
}

/// What happened to one record.
public struct RecordChange: Sendable {
  /// The change, as received.
  public let json: JSON

  public init(json: JSON) {
    self.json = json
  }

  /// `created`, `updated`, `entered`, `left` or `deleted`.
  public var reason: String { json["reason"]?.stringValue ?? "" }
  public var recordName: String { json["recordName"]?.stringValue ?? "" }
  public var recordType: String { json["recordType"]?.stringValue ?? "" }
  public var zoneName: String { json["zoneName"]?.stringValue ?? "" }
  /// The record after the change; nil when it was deleted.
  public var record: JSON? { json["record"] }
  /// The fields whose values differ from before, and the key paths through references under which they do.
  public var changedKeys: [String] {
    (json["changedKeys"]?.elements).map { $0.compactMap(\.stringValue) } ?? []
  }
  /// The user who made the change, the last one where it stands for several: `_` and the Unix user number. Nil of a
  /// window's row whose record was deleted where its deletion is no longer kept.
  public var userRecordName: String? { json["origin"]?["userRecordName"]?.stringValue }
  /// It was written over the connection that the stream reads.
  public var isOwn: Bool { json["origin"]?["isOwn"]?.boolValue ?? false }
  /// The row that it was in a window's result before this change.
  public var from: Int? { json["from"]?.int64Value.map { Int($0) } }
  /// The row that it is in a window's result after this change.
  public var to: Int? { json["to"]?.int64Value.map { Int($0) } }
  /// The section of the row at `to`.
  public var section: ChangeSection? { json["section"].map(ChangeSection.init) }

  /// The value of a field before the change, with `includesPrevious`; nil where there was none, and for a field
  /// that did not change.
  public func previousValue(forKey key: String) -> FieldValue? {
    json["previous"]?["fields"]?[key].flatMap { try? FieldValue(json: $0) }
  }
}

/// The section that a row of a window stands in.
public struct ChangeSection: Sendable, Hashable {
  /// The value as text; empty where there is none.
  public let name: String
  public let indexTitle: String

  init(_ json: JSON) {
    name = json["name"]?.stringValue ?? ""
    indexTitle = json["indexTitle"]?.stringValue ?? ""
  }
}
