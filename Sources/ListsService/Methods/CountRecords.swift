internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let countRecords = Method(
    "countRecords", .read,
    [
      .required("recordType"), .optional("predicate"), .optional("arguments"), .optional("variables"),
      .optional("zoneName"), .optional("filterBy"), .optional("explain"),
    ],
    errors: .read
  ) { invocation, result throws(RecordError) in
    let database = try invocation.database(for: .read)
    let selection = try QueryArguments(invocation)
    var query = selection.query
    query.explains = try invocation.arguments.bool("explain", default: false)
    if let count = try database.count(query) {
      result.count(count, explains: query.explains)
      return .done
    }
    return .read(database, .count(query)) { [query] read, result throws(RecordError) in
      guard case .count(let count) = read else { throw .unexpectedItem }
      result.count(count, explains: query.explains)
    }
  }
}

extension JSONWriter {
  fileprivate mutating func count(_ counted: CountResult, explains: Bool) {
    beginObject()
    key("count")
    int(counted.count)
    key("changeToken")
    string(counted.changeToken.text)
    if explains { plan(counted.plan) }
    endObject()
  }
}
