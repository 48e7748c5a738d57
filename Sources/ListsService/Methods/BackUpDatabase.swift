internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let backUpDatabase = Method(
    "backUpDatabase", .read, [.required("descriptor")],
    errors: .read.subtracting([.zoneNotFound]).union([.storageFull, .storageReadOnly])
  ) { invocation, _ throws(RecordError) in
    try invocation.checkDescriptorIsMeant()
    let database = try invocation.database(for: .read)
    if let refusal = invocation.service.access.refusal(ofBackupOf: database.id, by: invocation.caller) {
      throw refusal
    }
    let store = database.store
    let invocation = invocation
    return .work({ () throws(RecordError) in try store.backUp() }) { backup, result throws(RecordError) in
      result.beginObject()
      result.key("size")
      result.int(backup.size)
      result.key("checksum")
      result.string(backup.checksum)
      result.key("changeToken")
      result.string(backup.changeToken.text)
      result.key("numberOfRecords")
      result.int(backup.records)
      result.key("schemaVersion")
      result.int(backup.schemaVersion)
      result.key("assets")
      result.beginArray()
      for asset in backup.assets {
        result.beginObject()
        result.key("checksum")
        result.string(asset.checksum)
        result.key("size")
        result.int(asset.size)
        result.endObject()
      }
      result.endArray()
      result.endObject()
      try invocation.checkReply(result)
      return .passing(backup.file)
    }
  }

  static let restoreDatabase = Method(
    "restoreDatabase", .read, [.required("descriptor"), .required("checksum"), .optional("replace")],
    errors: .write.subtracting([.zoneNotFound, .quotaExceeded]).union([
      .constraintViolation, .assetFileNotFound,
    ])
  ) { invocation, _ throws(RecordError) in
    try invocation.checkDescriptorIsMeant()
    let arguments = invocation.arguments
    let id = try invocation.storeID(for: .write)
    let service = invocation.service
    if let refusal = service.access.refusal(ofBackupOf: id, by: invocation.caller) { throw refusal }
    let checksum = try arguments.requiredString("checksum")
    let isForced = try arguments.bool("replace", default: false)
    let descriptor = try invocation.takeDescriptor()
    let directory = service.databases.directory
    return .work({ () throws(RecordError) in
      try directory.restore(id, from: descriptor, checksum: checksum, isForced: isForced)
    }) { restored, result throws(RecordError) in
      result.beginObject()
      result.key("numberOfRecords")
      result.int(restored.records)
      result.key("changeToken")
      result.string(restored.changeToken.text)
      result.endObject()
      return .done
    }
  }
}

extension Invocation {
  /// Another form than a descriptor may come one day.
  fileprivate func checkDescriptorIsMeant() throws(RecordError) {
    guard try arguments.bool("descriptor", default: false) else {
      throw .parameter("descriptor", mustBe: "true")
    }
  }
}
