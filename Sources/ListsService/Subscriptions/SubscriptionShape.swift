internal import JSONRPC
internal import RecordStore
internal import Records

/// What subscriptions that ask for the same have in common: their filter is evaluated once for a change, and
/// the change is made into JSON once.
final class SubscriptionShape {
  /// Tells shapes apart: what makes the filter, as text. The moment of `now()` is in it as a date, so filters of
  /// different moments are different.
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
    recordType: String?, zoneName: String?, predicate: Predicate?, reasons: Set<ChangeReason>,
    desiredKeys: [String]?
  ) {
    self.recordType = recordType
    self.zoneName = zoneName
    self.predicate = predicate
    self.reasons = reasons
    self.desiredKeys = desiredKeys.map(DesiredKeys.init)
    var key = JSONWriter()
    key.beginArray()
    for text in [recordType, zoneName, predicate?.text] {
      if let text { key.string(text) } else { key.null() }
    }
    key.strings(reasons.map(\.rawValue).sorted())
    if let desiredKeys { key.strings(desiredKeys) }
    key.endArray()
    self.key = key.bytes
  }

  /// What the change means here; nil when it does not concern these subscriptions.
  private func reason(
    for change: RecordChange, _ resolver: (any RecordResolver)?, _ limit: Turn
  ) -> ChangeReason? {
    if let recordType, change.recordType != recordType { return nil }
    if let zoneName, change.zoneName != zoneName { return nil }
    let reason = ChangeReason(
      existed: change.before != nil, matched: matches(change.before, resolver, limit),
      exists: change.after != nil, matches: matches(change.after, resolver, limit))
    guard let reason, reasons.contains(reason) else { return nil }
    return reason
  }

  private func matches(
    _ record: StoredRecord?, _ resolver: (any RecordResolver)?, _ limit: Turn
  ) -> Bool {
    guard let record else { return false }
    return predicate?.matches(record, resolver: resolver, isStopped: { limit.isOver }) ?? true
  }

  /// What a filter may take for the changes of a commit, or of a page of a replay.
  var maximumMilliseconds: UInt64 = 2000

  /// What concerns these subscriptions, as the members `changes` of one or more pushes; none when nothing
  /// does. `resolver` is asked for what finds the records that references lead to, if the filter follows them.
  ///
  /// Throws `limitExceeded` when that takes longer than a filter may; nothing is known of the changes then.
  func changes(
    in changeSet: ChangeSet, areOwn: Bool, resolver: () -> (any RecordResolver)?
  ) throws(RecordError) -> [[UInt8]] {
    let resolver = predicate?.mayFollowReferences == true ? resolver() : nil
    var parts = ChangeParts()
    let limit = Turn(milliseconds: maximumMilliseconds)
    for change in changeSet.changes {
      let reason = reason(for: change, resolver, limit)
      if limit.isOver {
        throw RecordError(
          .limitExceeded,
          "the filter took longer than \(maximumMilliseconds / 1000) seconds for the changes of one commit; "
            + "a simpler one takes less")
      }
      guard let reason else { continue }
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
