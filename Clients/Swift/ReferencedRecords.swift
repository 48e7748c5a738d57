public import JSONRPC
public import Records

/// The records that came along with others because of `include`, found by the references that lead to them.
public struct ReferencedRecords: RecordResolver, Sendable {
  private var found: [Key: StoredRecord] = [:]

  private struct Key: Hashable {
    let recordName: String
    let zoneName: String
  }

  /// - Parameter included: The member `included` of a reply or push; nil where there is none.
  public init(_ included: JSON?) {
    for entry in included.map({ Array($0.elements) }) ?? [] {
      guard let record = entry["record"], !record.isNull else { continue }
      let stored = StoredRecord(body: record)
      found[Key(recordName: stored.recordName, zoneName: stored.zoneName)] = stored
    }
  }

  public var isEmpty: Bool { found.isEmpty }

  public func record(named recordName: String, inZone zoneName: String) -> StoredRecord? {
    found[Key(recordName: recordName, zoneName: zoneName)]
  }

  /// The record that a reference leads to; nil when it did not come along, or there is none.
  ///
  /// - Parameter holder: The record that holds the reference.
  public func record(_ reference: Reference, heldBy holder: StoredRecord) -> StoredRecord? {
    record(named: reference.recordName, inZone: reference.zoneName ?? holder.zoneName)
  }
}
