internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let fetchZones = Method(
    "fetchZones", .read, [], errors: .read.subtracting([.zoneNotFound])
  ) { invocation, result throws(RecordError) in
    let database = try invocation.database(for: .read)
    result.beginObject()
    result.key("zones")
    result.beginArray()
    for name in try database.reader.zones() { result.zone(name) }
    result.endArray()
    result.key("changeToken")
    result.string(try database.position().token.text)
    result.endObject()
    try invocation.checkReply(result)
    return .done
  }
}
