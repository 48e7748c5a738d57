internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let modifyRecords = Method(
    "modifyRecords", .write,
    [.required("operations"), .optional("atomic"), .optional("desiredKeys"), .idempotencyKey],
    errors: .write.union([.batchRequestFailed])
  ) { invocation, _ throws(RecordError) in
    let arguments = invocation.arguments
    let database = try invocation.database(for: .write)
    let elements = try arguments.list("operations") ?? []
    try invocation.checkItems(elements.count)
    let isAtomic = try arguments.bool("atomic", default: true)
    let desiredKeys = try arguments.strings("desiredKeys").map(DesiredKeys.init)
    let requested = try RequestedOperations(elements)
    if isAtomic, let failure = requested.failure { throw failure }
    let limit = invocation.limits.maximumReplyBytes
    return try invocation.write(requested.operations, isAtomic: isAtomic, to: database) {
      written, result throws(RecordError) in
      result.beginObject()
      result.key("results")
      result.beginArray()
      for item in requested.results(with: written.items) {
        // What is done is done: a reply that grew too long goes on without fields.
        let isLong = result.bytes.count > limit
        result.item(item, desiredKeys: isLong ? DesiredKeys([]) : desiredKeys)
      }
      result.endArray()
      result.key("changeToken")
      result.string(written.changeToken.text)
      result.endObject()
    }
  }
}

/// The operations of a request; those whose record can't be understood have failed already.
private struct RequestedOperations {
  private(set) var operations: [WriteOperation] = []
  /// By place in the request.
  private var faults: [Int: RecordError] = [:]
  private let count: Int

  /// Throws `invalidArguments` when an element is no operation at all.
  init(_ elements: [JSON]) throws(RecordError) {
    count = elements.count
    operations.reserveCapacity(count)
    for (index, element) in elements.enumerated() {
      let (type, record) = try WriteOperation.parts(of: element, at: index)
      do throws(RecordError) {
        operations.append(try WriteOperation(type, record))
      } catch {
        faults[index] = error
      }
    }
  }

  /// Why an atomic request can't be carried out, if it can't.
  var failure: RecordError? {
    guard let first = faults.keys.min(), let cause = faults[first] else { return nil }
    var failure = RecordError(
      .batchRequestFailed, "nothing was done, because operation \(first + 1) failed: \(cause.message)")
    let others = RecordError(
      .batchRequestFailed, "not done, because operation \(first + 1) of the same request failed")
    failure.addResults((0..<count).map { faults[$0] ?? others })
    return failure
  }

  /// Those of the operations that were carried out, with the faults in their places.
  func results(with items: [Result<ItemResult, RecordError>]) -> [Result<ItemResult, RecordError>] {
    if faults.isEmpty { return items }
    var items = items.makeIterator()
    return (0..<count).compactMap { index in faults[index].map { .failure($0) } ?? items.next() }
  }
}

/// The operations of `modifyRecords`, after CloudKit Web Services.
private enum OperationType: String, CaseIterable {
  case create, update, forceUpdate, replace, forceReplace, delete, forceDelete
}

extension WriteOperation {
  /// Reads `{"operationType", "record"}`. Throws `invalidArguments`, which tells the operation's place.
  fileprivate static func parts(
    of json: JSON, at index: Int
  ) throws(RecordError) -> (OperationType, JSON) {
    var type: OperationType?
    var record: JSON?
    for member in json.members {
      switch member.name {
      case "operationType": type = member.value.stringValue.flatMap(OperationType.init)
      case "record": record = member.value
      default:
        throw .operation(index, "has no member '\(member.name.shortened)'; known are operationType, record")
      }
    }
    guard let type else {
      let types = OperationType.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
      throw .operation(index, "needs an operationType, one of \(types)")
    }
    guard let record, record.kind == .object else { throw .operation(index, "needs a record, an object") }
    return (type, record)
  }

  fileprivate init(_ type: OperationType, _ record: JSON) throws(RecordError) {
    switch type {
    case .create:
      self = .save(
        SaveOperation(
          try RecordDraft(json: record), fields: .replace, tagCheck: .ignored, existence: .mustNotExist))
    case .update:
      self = .save(
        SaveOperation(
          try RecordDraft(json: record), fields: .merge, tagCheck: .ifSent, existence: .mustExist))
    case .replace:
      self = .save(
        SaveOperation(
          try RecordDraft(json: record), fields: .replace, tagCheck: .ifSent, existence: .mustExist))
    case .forceUpdate: self = .save(try RecordDraft(json: record), policy: .changedKeys)
    case .forceReplace: self = .save(try RecordDraft(json: record), policy: .allKeys)
    case .delete, .forceDelete:
      let target = try RecordTarget(json: record)
      self = .delete(
        DeleteOperation(
          zoneName: target.zoneName, recordName: target.recordName, recordType: target.recordType,
          recordChangeTag: type == .delete ? target.recordChangeTag : nil,
          ignoresMissing: type == .forceDelete))
    }
  }
}

extension RecordError {
  fileprivate static func operation(_ index: Int, _ fault: String) -> RecordError {
    RecordError(
      .invalidArguments, "operation \(index + 1) \(fault)",
      details: [Detail("parameter", "operations"), Detail("operation", index + 1)])
  }
}

extension JSONWriter {
  fileprivate mutating func item(
    _ item: Result<ItemResult, RecordError>, desiredKeys: DesiredKeys?
  ) {
    switch item {
    case .failure(let error): failedItem(error)
    case .success(.deleted(let zoneName, let recordName, let existed, let count)):
      beginObject()
      deletion(zoneName: zoneName, recordName: recordName, existed: existed, cascadedDeletions: count)
      endObject()
    case .success(let item):
      guard let saved = item.savedRecord else { return failedItem(.unexpectedItem) }
      beginObject()
      savedRecord(saved, desiredKeys: desiredKeys)
      endObject()
    }
  }
}
