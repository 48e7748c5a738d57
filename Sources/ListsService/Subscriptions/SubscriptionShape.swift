internal import JSONRPC
internal import RecordStore
internal import Records

/// What subscriptions that ask for the same have in common: their filter is evaluated once for a change, and
/// the change is made into JSON once.
final class SubscriptionShape {
  /// Tells shapes apart: the text of the parameters that make the filter.
  let key: [UInt8]
  /// Nil for records of every type.
  let recordType: String?
  /// Nil for every zone.
  let zoneName: String?
  /// Nil for every record.
  let predicate: Predicate?
  let reasons: Set<ChangeReason>
  let desiredKeys: DesiredKeys?
  var members: [Subscription] = []

  init(
    key: [UInt8], recordType: String?, zoneName: String?, predicate: Predicate?, reasons: Set<ChangeReason>,
    desiredKeys: DesiredKeys?
  ) {
    self.key = key
    self.recordType = recordType
    self.zoneName = zoneName
    self.predicate = predicate
    self.reasons = reasons
    self.desiredKeys = desiredKeys
  }

  /// What the change means here; nil when it does not concern these subscriptions.
  func reason(for change: RecordChange) -> ChangeReason? {
    if let recordType, change.recordType != recordType { return nil }
    if let zoneName, change.zoneName != zoneName { return nil }
    let reason = ChangeReason(
      existed: change.before != nil, matched: matches(change.before),
      exists: change.after != nil, matches: matches(change.after))
    guard let reason, reasons.contains(reason) else { return nil }
    return reason
  }

  private func matches(_ record: StoredRecord?) -> Bool {
    guard let record else { return false }
    return predicate?.matches(record) ?? true
  }

  /// What concerns these subscriptions, as the members `changes` of one or more pushes; none when nothing
  /// does.
  func changes(in changeSet: ChangeSet, areOwn: Bool) -> [[UInt8]] {
    var parts = ChangeParts()
    for change in changeSet.changes {
      guard let reason = reason(for: change) else { continue }
      parts.append { writer in write(change, reason, isOwn: areOwn, to: &writer) }
    }
    return parts.finish()
  }

  private func write(
    _ change: RecordChange, _ reason: ChangeReason, isOwn: Bool, to writer: inout JSONWriter
  ) {
    writer.beginObject()
    writeHead(
      reason, recordType: change.recordType, recordName: change.recordName, zoneName: change.zoneName,
      to: &writer)
    if let after = change.after {
      writer.key("record")
      after.write(desiredKeys: desiredKeys, to: &writer)
      if let before = change.before {
        writer.key("changedKeys")
        writer.strings(after.changedKeys(since: before))
      }
    }
    writer.key("origin")
    writer.beginObject()
    writer.key("userRecordName")
    writer.string(change.origin.userRecordName)
    writer.key("isOwn")
    writer.bool(isOwn)
    writer.endObject()
    writer.endObject()
  }

  /// Records as they are at the start of a subscription.
  func initialChanges(_ records: [StoredRecord]) -> [[UInt8]] {
    var parts = ChangeParts()
    for record in records {
      parts.append { writer in
        writer.beginObject()
        writeHead(
          .created, recordType: record.recordType, recordName: record.recordName,
          zoneName: record.zoneName, to: &writer)
        writer.key("record")
        record.write(desiredKeys: desiredKeys, to: &writer)
        writer.endObject()
      }
    }
    return parts.finish()
  }

  private func writeHead(
    _ reason: ChangeReason, recordType: String, recordName: String, zoneName: String,
    to writer: inout JSONWriter
  ) {
    writer.key("reason")
    writer.string(reason.rawValue)
    writer.key("recordType")
    writer.string(recordType)
    writer.key("recordName")
    writer.string(recordName)
    writer.key("zoneName")
    writer.string(zoneName)
  }
}

/// Lists of changes as JSON, divided so that no push grows far beyond a few MiB.
private struct ChangeParts {
  private static let bytesOfAPart = 4 << 20
  private var parts: [[UInt8]] = []
  private var current = JSONWriter()
  private var isOpen = false

  mutating func append(_ write: (inout JSONWriter) -> Void) {
    if isOpen, current.bytes.count > Self.bytesOfAPart { close() }
    if !isOpen {
      current.beginArray()
      isOpen = true
    }
    write(&current)
  }

  private mutating func close() {
    current.endArray()
    parts.append(current.bytes)
    current = JSONWriter()
    isOpen = false
  }

  mutating func finish() -> [[UInt8]] {
    if isOpen { close() }
    return parts
  }
}
