internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let fetchContainers = Method(
    "fetchContainers", .read, [], concernsStore: false, errors: .aboutContainers
  ) { invocation, _ throws(RecordError) in
    let invocation = invocation
    let directory = invocation.service.databases.directory
    return .work({ () throws(RecordError) in try directory.containers() }) {
      containers, result throws(RecordError) in
      result.beginObject()
      result.key("containers")
      result.beginArray()
      for container in containers {
        guard let visible = invocation.service.access.visible(container, to: invocation.caller.userID) else {
          continue
        }
        result.container(visible)
        try invocation.checkReply(result)
      }
      result.endArray()
      result.endObject()
      return .done
    }
  }

  static let deleteContainer = Method(
    "deleteContainer", .read, [.required("container")], concernsStore: false,
    errors: .aboutContainers.union([.unknownItem, .storageFull, .storageReadOnly])
  ) { invocation, _ throws(RecordError) in
    let service = invocation.service
    let container = try invocation.arguments.requiredString("container")
    if let refusal = service.access.refusal(ofDeletingContainersBy: invocation.caller.userID) {
      throw refusal
    }
    let directory = service.databases.directory
    return .work({ () throws(RecordError) in try directory.removeContainer(container) }) {
      removal, result throws(RecordError) in
      service.databases.forget(removal.closed, .containerDeleted, .containerIsBeingDeleted, for: service)
      if let failure = removal.failure { throw failure }
      result.beginObject()
      result.key("container")
      result.string(container)
      result.endObject()
      return .done
    }
  }
}

extension Set<RecordError.Code> {
  fileprivate static let aboutContainers: Set<RecordError.Code> = always.union([
    .invalidArguments, .limitExceeded, .storeBusy, .storeDamaged, .storageFull, .storageReadOnly,
    .internalError,
  ])
}

extension JSONWriter {
  fileprivate mutating func container(_ container: ContainerDescription) {
    beginObject()
    key("container")
    string(container.name)
    key("databases")
    beginArray()
    for database in container.databases {
      beginObject()
      key("database")
      switch database.database {
      case .public: string(DatabaseName.public.rawValue)
      case .private(let userID):
        string(DatabaseName.private.rawValue)
        key("userRecordName")
        string(Caller(userID: userID, connection: 0).userRecordName)
      }
      key("bytes")
      int(database.bytes)
      if let records = database.records {
        key("numberOfRecords")
        int(records)
      }
      endObject()
    }
    endArray()
    endObject()
  }
}
