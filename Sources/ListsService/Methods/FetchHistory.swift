internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let fetchHistory = Method(
    "fetchHistory", .read,
    [
      .required("recordName"), .optional("zoneName"), .optional("desiredKeys"), .optional("resultsLimit"),
      .optional("cursor"),
    ],
    errors: .read.union([.unknownItem])
  ) { invocation, result throws(RecordError) in
    let arguments = invocation.arguments
    let limits = invocation.limits
    let database = try invocation.database(for: .read)
    let desiredKeys = try arguments.strings("desiredKeys").map(DesiredKeys.init)
    let page = try database.reader.history(
      HistoryQuery(
        recordName: try arguments.requiredString("recordName"),
        zoneName: try arguments.string("zoneName") ?? Identifier.defaultZone,
        resultsLimit: try arguments.integer("resultsLimit", in: 1...limits.maximumResults)
          ?? limits.defaultResults,
        maximumBytes: limits.maximumReplyBytes / 4, cursor: try arguments.historyCursor()))
    result.beginObject()
    result.key("versions")
    result.beginArray()
    for version in page.versions { result.version(version, desiredKeys: desiredKeys) }
    result.endArray()
    if let cursor = page.cursor {
      result.key("cursor")
      result.string(cursor.text)
    }
    result.key("isComplete")
    result.bool(page.isComplete)
    result.key("changeToken")
    result.string(try database.reader.changeToken.text)
    result.endObject()
    try invocation.checkReply(result)
    return .done
  }
}

extension JSONWriter {
  fileprivate mutating func version(_ version: RecordVersion, desiredKeys: DesiredKeys?) {
    beginObject()
    key("reason")
    string(version.reason.rawValue)
    if let record = version.record {
      key("record")
      record.write(desiredKeys: desiredKeys, to: &self)
    }
    if let changedKeys = version.changedKeys {
      key("changedKeys")
      strings(changedKeys)
    }
    key("modified")
    stamp(version.modified)
    if let cause = version.cause {
      key("cause")
      place(cause)
    }
    endObject()
  }
}
