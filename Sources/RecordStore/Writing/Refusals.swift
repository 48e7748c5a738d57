internal import JSONRPC
internal import Records

/// What the store refuses, as clients are told.
extension RecordError {
  static func zoneNotFound(_ name: String) -> RecordError {
    RecordError(.zoneNotFound, "there is no zone '\(name)'")
  }

  static func unknownItem(_ name: String, zone: String) -> RecordError {
    RecordError(.unknownItem, "there is no record '\(name)' in the zone '\(zone)'")
  }

  /// With what is needed to settle it: the record as it is (null when it is gone), as it was sent, and as it
  /// was when the sender's tag was given out, where that is known.
  static func conflict(
    _ message: String, server: StoredRecord?, client: RecordDraft?, ancestor: StoredRecord?
  ) -> RecordError {
    var details = [
      Detail(name: "serverRecord", json: server.map { Array($0.body.bytes) } ?? Array("null".utf8))
    ]
    if let client {
      var writer = JSONWriter()
      client.write(to: &writer)
      details.append(Detail(name: "clientRecord", json: writer.bytes))
    }
    if let ancestor { details.append(Detail(name: "ancestorRecord", json: Array(ancestor.body.bytes))) }
    return RecordError(.serverRecordChanged, message, details: details)
  }

  /// The same for a save with a tag that is not the record's, or without one.
  static func conflict(
    _ draft: RecordDraft, name: String, server: StoredRecord, ancestor: StoredRecord?
  ) -> RecordError {
    let what = draft.recordChangeTag == nil ? "exists already" : "changed since that tag was given out"
    return .conflict("the record '\(name)' \(what)", server: server, client: draft, ancestor: ancestor)
  }

  /// As a save of such a value is refused.
  static func fieldTypeMismatch(_ field: String, expected: FieldType, actual: FieldType) -> RecordError {
    RecordError(
      .fieldTypeMismatch, "field '\(field)' is of type \(expected), not \(actual)",
      details: [
        Detail(name: "field", text: field), Detail(name: "expected", text: expected.name),
        Detail(name: "actual", text: actual.name),
      ])
  }

  static func limit(_ name: String, _ limit: Int, actual: Int, _ message: String) -> RecordError {
    var writer = JSONWriter()
    writer.string(name)
    return RecordError(
      .limitExceeded, "\(message): \(actual), and \(limit) is the most",
      details: [
        Detail(name: "limitName", json: writer.bytes), Detail(name: "limit", json: Array("\(limit)".utf8)),
        Detail(name: "actual", json: Array("\(actual)".utf8)),
      ])
  }
}
