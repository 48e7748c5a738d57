internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let saveZone = Method(
    "saveZone", .write, [.required("zoneName")], errors: .write.subtracting([.zoneNotFound])
  ) { invocation, _ throws(RecordError) in
    let database = try invocation.database(for: .write)
    let name = try invocation.arguments.requiredString("zoneName")
    try Identifier.validate(name, as: .zoneName)
    let write = WriteRequest(caller: invocation.caller, operations: [.saveZone(zoneName: name)])
    return .write(database, write) { written, result throws(RecordError) in
      guard case .savedZone(let name) = try written.only() else { throw .unexpectedItem }
      result.beginObject()
      result.key("zone")
      result.zone(name)
      result.key("changeToken")
      result.string(written.changeToken.text)
      result.endObject()
    }
  }
}

extension JSONWriter {
  /// What is known of a zone.
  mutating func zone(_ name: String) {
    beginObject()
    key("zoneName")
    string(name)
    endObject()
  }
}
