public import JSONRPC

/// What a stream of changes brings.
public enum ChangeEvent: Sendable {
  /// The changes of one commit, or a part of what was there or was missed at the start.
  case changes(ChangeBatch)
  /// Changes were missed that can't be had any more: forget what is held. With `sendsInitial` the
  /// matching records follow; otherwise fetch them again. The stream goes on from `changeToken`.
  case reset(changeToken: String)
}

/// One push.
public struct ChangeBatch: Sendable {
  /// The push's `params`, as received.
  public let json: JSON

  /// The position to go on from when everything up to here was taken in.
  public var changeToken: String { json["changeToken"]?.stringValue ?? "" }
  /// These are the records that matched when the subscription began.
  public var isInitial: Bool { json["initial"]?.boolValue ?? false }
  /// Another part of the same commit follows.
  public var isContinued: Bool { json["moreComing"]?.boolValue ?? false }
  /// In the order of the commit.
  public var changes: [RecordChange] { (json["changes"]?.elements).map { $0.map(RecordChange.init) } ?? [] }
}

/// What happened to one record.
public struct RecordChange: Sendable {
  /// The change, as received.
  public let json: JSON

  init(json: JSON) {
    self.json = json
  }

  /// `created`, `updated`, `entered`, `left` or `deleted`.
  public var reason: String { json["reason"]?.stringValue ?? "" }
  public var recordName: String { json["recordName"]?.stringValue ?? "" }
  public var recordType: String { json["recordType"]?.stringValue ?? "" }
  public var zoneName: String { json["zoneName"]?.stringValue ?? "" }
  /// The record after the change; nil when it was deleted.
  public var record: JSON? { json["record"] }
  /// The fields whose values differ from before.
  public var changedKeys: [String] {
    (json["changedKeys"]?.elements).map { $0.compactMap(\.stringValue) } ?? []
  }
  /// It was written over the connection that the stream reads.
  public var isOwn: Bool { json["origin"]?["isOwn"]?.boolValue ?? false }
}
