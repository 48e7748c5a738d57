import JSONRPC
import Records
import SQLite
import Synchronization

@testable import RecordStore

/// A store's file without a store: transactions one by one, as the test wants them.
final class OpenFile {
  let folder = TestFolder()
  let path: String
  private(set) var connection: Connection
  private(set) var state = StoreState()
  var configuration: RecordStoreConfiguration

  init(limits: StoreLimits = StoreLimits()) throws {
    path = folder.file("a.db")
    configuration = RecordStoreConfiguration(location: .file(path), limits: limits, clock: { 1000 })
    connection = try Self.open(path)
    state = try StoreState(reading: connection)
  }

  private static func open(_ path: String) throws -> Connection {
    let file = StoreFile(path: path, isDurable: false, busyTimeout: 100, cacheBytes: 1 << 20, log: { _ in })
    return try file.openWriter(identity: 5)
  }

  /// Runs `body` in a transaction; what it throws rolls back.
  @discardableResult
  func transact<Value>(_ body: (inout WriteTransaction) throws -> Value) throws -> Value {
    let transaction = try Transaction(.immediate, in: connection.database)
    var work = WriteTransaction(
      connection: connection, configuration: configuration, keepsHistory: true, state: state)
    let value = try body(&work)
    try work.state.save(connection)
    try transaction.commit()
    state = work.state
    return value
  }

  struct Crash: Error {}

  /// Runs `body` in a transaction that never ends, then goes on as after a new start.
  func crash(during body: (inout WriteTransaction) throws -> Void) throws {
    do {
      try transact { work in
        try body(&work)
        try work.state.save(connection)
        throw Crash()
      }
    } catch is Crash {}
    connection = try Self.open(path)
    state = try StoreState(reading: connection)
  }

  /// Index work of that many rows; false when there was none.
  @discardableResult
  func advance(rows: Int = .max) throws -> Bool {
    try transact { work in
      var left = rows
      return try work.advanceIndexes {
        left -= 1
        return left > 0
      }
    }
  }

  func finishIndexes() throws {
    while try advance() {}
  }

  @discardableResult
  func write(
    _ operations: [WriteOperation], isAtomic: Bool = true
  ) throws -> Result<WriteResult, WriteFailure> {
    try transact { work in
      try work.carryOut(
        WriteRequest(caller: TestStore.caller, operations: operations, isAtomic: isAtomic))
    }
  }

  func save(_ json: String) throws { _ = try write([.save(draft(json), policy: .allKeys)]).get() }

  func declare(_ draft: RecordTypeDraft) throws { _ = try write([.saveRecordType(draft)]).get() }

  // MARK: What is in it

  func type(_ name: String = "Item") -> RecordType { state.types[Name(name)]! }

  /// Those of the type but for the one that every type has.
  func indexes(_ type: String = "Item") -> [DeclaredIndex] {
    state.types[Name(type)]?.indexes.filter { $0.origin != .type } ?? []
  }

  /// Whether there are any, and all are.
  var areAllReady: Bool {
    let indexes = state.types.values.flatMap(\.indexes).filter { $0.origin != .type }
    return !indexes.isEmpty && indexes.allSatisfy(\.isReady)
  }

  struct Entry: Hashable, CustomStringConvertible {
    let key: [UInt8]
    let tie: [UInt8]
    let record: Int64
    var description: String { "\(key) \(String(decoding: tie, as: UTF8.self)) \(record)" }
  }

  func entries(of index: DeclaredIndex) throws -> Set<Entry> {
    let select = try connection.database.prepare(
      "SELECT key, tie, record FROM entry WHERE declaredIndex = ?1")
    select.bind(index.id, at: 1)
    var entries: Set<Entry> = []
    while try select.step() {
      entries.insert(Entry(key: select.bytes(0), tie: select.bytes(1), record: select.int64(2)))
    }
    return entries
  }

  /// The entries that an index must have: made from the records alone.
  func expectedEntries(of index: DeclaredIndex, _ type: RecordType) throws -> Set<Entry> {
    let select = try connection.database.prepare(
      "SELECT id, body FROM record WHERE type = ?1 AND body IS NOT NULL AND id <= ?2")
    select.bind(type.id, at: 1)
    select.bind(index.reached ?? .max, at: 2)
    var entries: Set<Entry> = []
    while try select.step() {
      let record = StoredRecord(body: JSON(unchecked: select.bytes(1)))
      let keys =
        index.kind == .elements
        ? try IndexKey.elementKeys(of: record, part: index.parts[0])
        : [try IndexKey.key(of: record, parts: index.parts)]
      for key in keys {
        entries.insert(Entry(key: key, tie: IndexKey.tie(of: record), record: select.int64(0)))
      }
    }
    return entries
  }

  /// Each word of each record in a full-text index: what is there, and what one made from the records alone has.
  func words(of index: DeclaredIndex, _ type: RecordType) throws -> (
    actual: Set<String>, expected: Set<String>
  ) {
    let transaction = try Transaction(.immediate, in: connection.database)
    let fresh = FullTextIndex(id: 1_000_000)
    try fresh.create(in: connection)
    let select = try connection.database.prepare(
      "SELECT id, body FROM record WHERE type = ?1 AND body IS NOT NULL AND id <= ?2")
    select.bind(type.id, at: 1)
    select.bind(index.reached ?? .max, at: 2)
    while try select.step() {
      let record = StoredRecord(body: JSON(unchecked: select.bytes(1)))
      try fresh.insert(record, id: select.int64(0), in: connection)
    }
    func words(_ table: String) throws -> Set<String> {
      try connection.database.execute(
        "CREATE VIRTUAL TABLE temp.\(table)words USING fts5vocab('main', '\(table)', 'instance')")
      let rows = try connection.database.prepare("SELECT term || ' ' || doc FROM temp.\(table)words")
      var words: Set<String> = []
      while try rows.step() { words.insert(rows.text(0)) }
      return words
    }
    let result = (actual: try words(FullTextIndex(id: index.id).table), expected: try words(fresh.table))
    transaction.rollBack()
    return result
  }

  func integer(_ sql: String) throws -> Int64? { try connection.database.integer(sql) }
}
