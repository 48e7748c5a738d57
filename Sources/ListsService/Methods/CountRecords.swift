internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let countRecords = Method(
    "countRecords", .read,
    [
      .required("recordType"), .optional("predicate"), .optional("arguments"), .optional("variables"),
      .optional("zoneName"),
    ],
    errors: .read
  ) { invocation, result throws(RecordError) in
    let database = try invocation.database(for: .read)
    let selection = try QueryArguments(invocation)
    let query = Query(
      recordType: selection.recordType, zoneName: selection.zoneName,
      predicate: selection.predicate ?? .everything)
    if let count = try database.count(query) {
      result.count(count)
      return .done
    }
    return .read(database, .count(query)) { read, result throws(RecordError) in
      guard case .count(let count) = read else { throw .unexpectedItem }
      result.count(count)
    }
  }
}

extension JSONWriter {
  fileprivate mutating func count(_ counted: CountResult) {
    beginObject()
    key("count")
    int(counted.count)
    key("changeToken")
    string(counted.changeToken.text)
    endObject()
  }
}
