internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let fetchRecord = Method(
    "fetchRecord", .read,
    [.required("recordName"), .optional("recordType"), .optional("zoneName"), .optional("desiredKeys")],
    errors: .read.union([.unknownItem])
  ) { invocation, result throws(RecordError) in
    let arguments = invocation.arguments
    let database = try invocation.database(for: .read)
    let recordName = try arguments.requiredString("recordName")
    let zoneName = try arguments.string("zoneName") ?? Identifier.defaultZone
    let desiredKeys = try arguments.strings("desiredKeys").map(DesiredKeys.init)
    let record = try database.reader.fetch(recordName: recordName, zoneName: zoneName)
    guard let record, try record.isOfType(arguments.string("recordType")) else {
      throw .noRecord(recordName, in: zoneName)
    }
    result.beginObject()
    result.key("record")
    record.write(desiredKeys: desiredKeys, to: &result)
    result.endObject()
    return .done
  }
}

extension StoredRecord {
  /// Whether the record is of the type; any record is when the type is nil.
  func isOfType(_ type: String?) -> Bool {
    guard let type else { return true }
    return recordType.utf8.elementsEqual(type.utf8)
  }
}

extension RecordError {
  static func noRecord(_ recordName: String, in zoneName: String) -> RecordError {
    RecordError(
      .unknownItem, "there is no record '\(recordName.shortened)' in the zone '\(zoneName.shortened)'")
  }
}
