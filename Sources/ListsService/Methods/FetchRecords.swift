internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let fetchRecords = Method(
    "fetchRecords", .read,
    [.required("recordNames"), .optional("recordType"), .optional("zoneName"), .optional("desiredKeys")],
    errors: .read
  ) { invocation, result throws(RecordError) in
    let arguments = invocation.arguments
    let database = try invocation.database(for: .read)
    let recordNames = try arguments.strings("recordNames") ?? []
    try invocation.checkItems(recordNames.count)
    let recordType = try arguments.string("recordType")
    let zoneName = try arguments.string("zoneName") ?? Identifier.defaultZone
    let desiredKeys = try arguments.strings("desiredKeys").map(DesiredKeys.init)
    result.beginObject()
    result.key("results")
    result.beginArray()
    for recordName in recordNames {
      result.beginObject()
      let record = try database.reader.fetch(recordName: recordName, zoneName: zoneName)
      if let record, record.isOfType(recordType) {
        result.key("record")
        record.write(desiredKeys: desiredKeys, to: &result)
      } else {
        result.key("recordName")
        result.string(recordName)
        result.key("error")
        RPCError(.noRecord(recordName, in: zoneName)).write(to: &result)
      }
      result.endObject()
      try invocation.checkReply(result)
    }
    result.endArray()
    result.endObject()
    return .done
  }
}
