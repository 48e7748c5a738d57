internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let fetchChanges = Method(
    "fetchChanges", .read,
    [
      .optional("since"), .optional("zoneName"), .optional("recordType"), .optional("desiredKeys"),
      .optional("includePrevious"), .optional("resultsLimit"),
    ],
    errors: .read.union([.changeTokenExpired])
  ) { invocation, result throws(RecordError) in
    let arguments = invocation.arguments
    let limits = invocation.limits
    let database = try invocation.database(for: .read)
    let query = ChangesQuery(
      since: try arguments.string("since").map { text throws(RecordError) in
        try database.changesCursor(text)
      },
      zoneName: try arguments.string("zoneName"), recordType: try arguments.string("recordType"),
      resultsLimit: try arguments.integer("resultsLimit", in: 1...limits.maximumResults)
        ?? limits.defaultResults,
      maximumBytes: limits.maximumReplyBytes / 4)
    let page = ChangeWriter(
      desiredKeys: try arguments.strings("desiredKeys").map(DesiredKeys.init),
      includesPrevious: try arguments.bool("includePrevious", default: false))
    if let found = try database.changes(query) {
      page.write(found, to: &result)
      try invocation.checkReply(result)
      return .done
    }
    return .read(database, .changes(query)) { [invocation] read, result throws(RecordError) in
      guard case .changes(let found) = read else { throw .unexpectedItem }
      page.write(found, to: &result)
      try invocation.checkReply(result)
    }
  }
}

extension ChangeWriter {
  /// Writes a page of changes as the reply's result.
  fileprivate func write(_ page: ChangesResult, to result: inout JSONWriter) {
    result.beginObject()
    result.key("changes")
    result.beginArray()
    for change in page.changes { write(MatchedChange(everywhere: change), isOwn: false, to: &result) }
    result.endArray()
    result.key("changeToken")
    result.string(page.cursor.text)
    result.key("moreComing")
    result.bool(page.moreComing)
    result.key("deletedZones")
    result.strings(page.deletedZones)
    result.endObject()
  }
}

extension MatchedChange {
  /// What a change means where nothing is filtered.
  fileprivate init(everywhere change: RecordChange) {
    guard let before = change.before, let after = change.after else {
      // One that came and went is told as gone, to whoever has got to know it.
      self.init(change: change, reason: change.after == nil ? .deleted : .created, changedKeys: [])
      return
    }
    self.init(change: change, reason: .updated, changedKeys: after.changedKeys(since: before))
  }
}
