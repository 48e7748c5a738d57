internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  /// The protocol that is spoken: a larger minor version only adds.
  private static let protocolVersion = "1.0"
  /// Features that a client may ask for by name.
  private static let capabilities = [
    "batch", "changes", "sections", "atomicBatches", "localizedCollation", "include", "distinct", "aggregate",
    "explain", "cloudKitFilters", "fetchChanges", "liveResults", "savedSubscriptions", "zones",
    "idempotency", "containers", "check", "repair", "assets", "descriptors",
    "referenceActions", "undo", "history", "backup",
    "fieldRules", "mergePolicies", "fieldChanges",
  ]

  static let serverInfo = Method(
    "serverInfo", .local, [], errors: .always.union([.invalidArguments])
  ) { invocation, result throws(RecordError) in
    let arguments = invocation.arguments
    let container = try arguments.string("container") ?? StoreID.defaultContainer
    let database = try arguments.word("database", of: DatabaseName.self) ?? .private
    result.beginObject()
    result.key("name")
    result.string("Lists")
    result.key("version")
    result.string(invocation.service.version)
    result.key("protocolVersion")
    result.string(protocolVersion)
    result.key("limits")
    result.beginObject()
    for limit in invocation.limits.all {
      result.key(limit.name)
      result.int(limit.value)
    }
    result.endObject()
    result.key("capabilities")
    result.strings(capabilities)
    result.key("container")
    result.string(container)
    result.key("database")
    result.string(database.rawValue)
    result.key("userRecordName")
    result.string(invocation.caller.userRecordName)
    result.key("statistics")
    writeStatistics(of: invocation, to: &result)
    result.endObject()
    return .done
  }

  /// How much there is. A database that can't be read has its error here, since this is where a person
  /// looks for what is wrong.
  private static func writeStatistics(of invocation: Invocation, to result: inout JSONWriter) {
    let service = invocation.service.statistics
    result.beginObject()
    result.key("connections")
    result.int(service.sessions)
    result.key("subscriptions")
    result.int(service.subscriptions)
    do {
      let database = try invocation.database(for: .read).statistics()
      result.key("records")
      result.int(database.records)
      result.key("recordBytes")
      result.int(Int(database.recordBytes))
    } catch {
      result.key("databaseError")
      RPCError(error).write(to: &result)
    }
    result.endObject()
  }
}
