internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let fetchDeletedRecords = Method(
    "fetchDeletedRecords", .read,
    [
      .optional("recordType"), .optional("zoneName"), .optional("desiredKeys"), .optional("resultsLimit"),
      .optional("cursor"),
    ],
    errors: .read
  ) { invocation, result throws(RecordError) in
    let arguments = invocation.arguments
    let limits = invocation.limits
    let database = try invocation.database(for: .read)
    let desiredKeys = try arguments.strings("desiredKeys").map(DesiredKeys.init)
    let page = try database.reader.deletedRecords(
      DeletedRecordsQuery(
        recordType: try arguments.string("recordType"), zoneName: try arguments.string("zoneName"),
        resultsLimit: try arguments.integer("resultsLimit", in: 1...limits.maximumResults)
          ?? limits.defaultResults,
        maximumBytes: limits.maximumReplyBytes / 4, cursor: try arguments.historyCursor()))
    result.beginObject()
    result.key("deletedRecords")
    result.beginArray()
    for deleted in page.records {
      result.beginObject()
      result.key("record")
      deleted.record.write(desiredKeys: desiredKeys, to: &result)
      result.key("deleted")
      result.stamp(deleted.deleted)
      if let cause = deleted.cause {
        result.key("cause")
        result.place(cause)
      }
      result.endObject()
    }
    result.endArray()
    if let cursor = page.cursor {
      result.key("cursor")
      result.string(cursor.text)
    }
    result.key("changeToken")
    result.string(try database.reader.changeToken.text)
    result.endObject()
    try invocation.checkReply(result)
    return .done
  }
}

extension Arguments {
  /// Where to go on in a list of what was; throws when it is no such place.
  func historyCursor() throws(RecordError) -> HistoryCursor? {
    guard let text = try string("cursor") else { return nil }
    guard let cursor = HistoryCursor(text: text) else {
      throw .parameter("cursor", mustBe: "one that the same request gave out")
    }
    return cursor
  }
}

extension JSONWriter {
  mutating func stamp(_ stamp: Stamp) {
    beginObject()
    key("timestamp")
    int(Int(stamp.timestamp))
    key("userRecordName")
    string(stamp.userRecordName)
    endObject()
  }
}
