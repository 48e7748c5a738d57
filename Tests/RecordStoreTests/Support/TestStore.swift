import JSONRPC
import Records
import Synchronization

@testable import RecordStore

/// A store in a file of its own, and short ways to use it.
final class TestStore {
  let folder: TestFolder
  let path: String
  let inbox = Inbox()
  let log = TestLog()
  let store: RecordStore
  let reader: Reader

  static let caller = Caller(userID: 1000, connection: 7)

  /// In a file, or in memory where that makes no difference to what is tested: it has nothing to wait for.
  init(
    in folder: TestFolder = TestFolder(), file: String = "a.db", inMemory: Bool = false,
    limits: StoreLimits = StoreLimits(),
    clock: @escaping @Sendable () -> Int64 = { 1_796_000_000_000 },
    configure: (inout RecordStoreConfiguration) -> Void = { _ in }
  ) throws {
    self.folder = folder
    path = folder.file(file)
    let log = log
    var configuration = RecordStoreConfiguration(
      location: inMemory ? .memory : .file(path), limits: limits, clock: clock, log: { log.add($0) })
    configure(&configuration)
    store = try RecordStore(configuration, deliver: inbox.deliver)
    reader = store.makeReader()
  }

  deinit {
    reader.renew()
    store.close()
  }

  func close() {
    reader.renew()
    store.close()
  }

  // MARK: Writing

  @discardableResult
  func submit(_ operations: [WriteOperation], atomic: Bool = true) -> Ticket {
    store.submit(WriteRequest(caller: Self.caller, operations: operations, isAtomic: atomic))
  }

  func write(_ operations: [WriteOperation], atomic: Bool = true) throws(WriteFailure) -> WriteResult {
    let result = inbox.write(submit(operations, atomic: atomic))
    reader.renew()
    return try result.get()
  }

  /// Saves and gives the record back; what is refused is thrown as the item's own error.
  @discardableResult
  func save(_ json: String, policy: SavePolicy = .allKeys) throws -> StoredRecord {
    try saved(.save(draft(json), policy: policy))
  }

  @discardableResult
  func saved(_ operation: WriteOperation) throws -> StoredRecord {
    do {
      guard case .saved(let record) = try write([operation]).items[0].get() else { fatalError("no record") }
      return record
    } catch let failure as WriteFailure {
      throw failure.error
    }
  }

  @discardableResult
  func delete(_ name: String, tag: String? = nil, ignoresMissing: Bool = false) throws -> Bool {
    do {
      let result = try write([deletion(name, tag: tag, ignoresMissing: ignoresMissing)])
      guard case .deleted(_, _, let existed, _) = try result.items[0].get() else { fatalError("no deletion") }
      return existed
    } catch let failure as WriteFailure {
      throw failure.error
    }
  }

  /// Declares something of a type; what is refused is thrown as the item's own error.
  func declare(_ draft: RecordTypeDraft) throws {
    do {
      _ = try write([.saveRecordType(draft)])
    } catch {
      throw error.error
    }
  }

  /// Waits until the store's thread has come round once.
  func turn() {
    let turned = Semaphore()
    store.ping { turned.signal() }
    turned.wait()
    reader.renew()
  }

  // MARK: Reading

  /// What is known of a type.
  func description(of type: String = "Item") throws -> RecordTypeDescription {
    try reader.schema(ofType: type).recordTypes[0]
  }

  /// Waits until no index is being built.
  func finishIndexes(of type: String = "Item") throws {
    while try description(of: type).indexes.contains(where: { $0.progress != nil }) { turn() }
  }

  func fetch(_ name: String) throws -> StoredRecord? { try reader.fetch(recordName: name) }

  /// The names that match, following cursors to the end.
  func names(
    _ predicate: String = "TRUEPREDICATE", type: String = "Item", sort: [SortDescriptor] = [],
    limit: Int = 1000,
    betweenPages: () throws -> Void = {}
  ) throws -> [String] {
    var names: [String] = []
    var query = Query(
      recordType: type, predicate: try Predicate(parsing: predicate), sortDescriptors: sort,
      resultsLimit: limit)
    while true {
      let page = try reader.query(query, budget: .max)!
      names += page.records.map(\.recordName)
      guard let cursor = page.cursor else { return names }
      query.cursor = cursor
      try betweenPages()
    }
  }
}

final class TestLog: Sendable {
  private let entries = Mutex<[String]>([])

  func add(_ entry: String) { entries.withLock { $0.append(entry) } }
  var all: [String] { entries.withLock { $0 } }
}

// MARK: Short forms

/// `{"n":"a","v":1}`: the record `a` of type `Item` with the field `v`; `"t"` is the tag, `"type"` the type.
func draft(_ json: String) throws -> RecordDraft {
  let json = try JSON(parsing: json)
  var draft = RecordDraft(
    recordType: json["type"]?.stringValue ?? "Item", recordName: json["n"]?.stringValue,
    recordChangeTag: json["t"]?.stringValue)
  for member in json.members where !["n", "t", "type"].contains(member.name) {
    draft.fields.append(.init(name: member.name, change: try FieldChange(json: member.value)))
  }
  return draft
}

func deletion(_ name: String, tag: String? = nil, ignoresMissing: Bool = false) -> WriteOperation {
  .delete(
    DeleteOperation(
      zoneName: Identifier.defaultZone, recordName: name, recordChangeTag: tag, ignoresMissing: ignoresMissing
    ))
}

extension StoredRecord {
  var fieldsText: String { body["fields"]?.text ?? "" }
}

extension RecordError {
  func detail(_ name: String) -> JSON? {
    details.first { $0.name == name }.map { JSON(unchecked: $0.json) }
  }
}

/// The code of the ``RecordError`` that `body` throws; nil when it throws none.
func refusal(_ body: () throws -> some Any) -> RecordError.Code? {
  do {
    _ = try body()
    return nil
  } catch {
    return (error as? RecordError)?.code
  }
}
