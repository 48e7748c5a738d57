internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let distinctValues = Method(
    "distinctValues", .read,
    [
      .required("recordType"), .required("key"), .optional("predicate"), .optional("arguments"),
      .optional("variables"), .optional("zoneName"), .optional("filterBy"), .optional("resultsLimit"),
      .optional("cursor"), .optional("explain"),
    ],
    errors: .read
  ) { invocation, result throws(RecordError) in
    let database = try invocation.database(for: .read)
    let request = try invocation.distinctQuery()
    let explains = request.selection.explains
    if let found = try database.distinct(request) {
      result.values(found, explains: explains)
      try invocation.checkReply(result)
      return .done
    }
    return .read(database, .distinct(request)) { [invocation] read, result throws(RecordError) in
      guard case .distinct(let found) = read else { throw .unexpectedItem }
      result.values(found, explains: explains)
      try invocation.checkReply(result)
    }
  }
}

extension Invocation {
  fileprivate func distinctQuery() throws(RecordError) -> DistinctQuery {
    guard let key = try FieldPath(key: try arguments.requiredString("key")) else {
      throw .parameter("key", mustBe: "a key path")
    }
    let cursor = try arguments.string("cursor")
    var selection = try QueryArguments(self, cursor: cursor).query
    selection.cursor = cursor
    selection.resultsLimit =
      try arguments.integer("resultsLimit", in: 1...limits.maximumResults) ?? limits.defaultResults
    selection.maximumBytes = limits.maximumReplyBytes / 2
    selection.explains = try arguments.bool("explain", default: false)
    return DistinctQuery(selection, key: key)
  }
}

extension JSONWriter {
  fileprivate mutating func values(_ page: DistinctResult, explains: Bool) {
    beginObject()
    key("values")
    beginArray()
    for found in page.values {
      beginObject()
      key("value")
      value(found.value)
      key("count")
      int(found.count)
      endObject()
    }
    endArray()
    if let cursor = page.cursor {
      key("cursor")
      string(cursor)
    }
    key("changeToken")
    string(page.changeToken.text)
    if explains { plan(page.plan) }
    endObject()
  }

  /// The value's JSON.
  mutating func value(_ value: FieldValue?) {
    if let value { value.write(to: &self) } else { null() }
  }
}
