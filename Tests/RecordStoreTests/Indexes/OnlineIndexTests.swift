import Glibc
import JSONRPC
import Records
import SQLite
import Synchronization
import Testing

@testable import RecordStore

/// Indexes that are built by an open store.
@Suite struct OnlineIndexTests {
  /// Lets a number of parts of index work through.
  private final class Gate: Sendable {
    private let left: Mutex<Int>
    /// Called before each part, with its number.
    private let visit: @Sendable (Int) -> Void
    private let parts = Atomic<Int>(0)

    init(_ parts: Int, visit: @escaping @Sendable (Int) -> Void = { _ in }) {
      left = Mutex(parts)
      self.visit = visit
    }

    func open(_ parts: Int = .max) { left.withLock { $0 = parts } }

    @Sendable func isAllowed() -> Bool {
      let isAllowed = left.withLock { left in
        left -= 1
        return left >= 0
      }
      if isAllowed { visit(parts.add(1, ordering: .relaxed).newValue) }
      return isAllowed
    }
  }

  private static let index = RecordTypeDraft.Index(keys: [FieldPath("v")!, FieldPath("s")!])

  private func makeStore(
    _ folder: TestFolder = TestFolder(), file: String = "a.db", rows: Int = 10, gate: Gate
  ) throws -> TestStore {
    try TestStore(
      in: folder, file: file,
      configure: { $0.indexPace = IndexPace(time: .max / 2, rows: rows, isAllowed: gate.isAllowed) })
  }

  private func fill(_ store: TestStore, _ count: Int) throws {
    let operations = try (0..<count).map { number -> WriteOperation in
      .save(try draft(#"{"n":"r\#(number)","v":\#(number % 7),"s":"s\#(number)"}"#), policy: .allKeys)
    }
    _ = try store.write(operations)
  }

  private func checkEntries(_ path: String) throws {
    let database = try Database(path: path, access: .readWrite, busyTimeout: 100)
    let bodies = try database.prepare("SELECT id, body FROM record WHERE body IS NOT NULL")
    var expected: Set<OpenFile.Entry> = []
    while try bodies.step() {
      let record = StoredRecord(body: JSON(unchecked: bodies.bytes(1)))
      let key = try IndexKey.key(of: record, parts: Self.index.keys.map { IndexPart($0) })
      expected.insert(OpenFile.Entry(key: key, tie: IndexKey.tie(of: record), record: bodies.int64(0)))
    }
    let select = try database.prepare(
      "SELECT key, tie, record FROM entry WHERE declaredIndex = (SELECT max(id) FROM declaredIndex)")
    var entries: Set<OpenFile.Entry> = []
    while try select.step() {
      entries.insert(.init(key: select.bytes(0), tie: select.bytes(1), record: select.int64(2)))
    }
    #expect(entries == expected)
    #expect(try database.integer("SELECT max(id) FROM declaredIndex WHERE reached IS NOT NULL") == 0)
  }

  @Test("while an index is built queries do without it, and its progress shows")
  func progress() throws {
    let gate = Gate(0)
    let store = try makeStore(gate: gate)
    try fill(store, 40)
    try store.declare(RecordTypeDraft(name: "Item", indexes: [Self.index]))
    #expect(try store.description().indexes.map(\.progress) == [0])
    #expect(try store.names("v == 3").count == 6)
    gate.open(2)
    store.turn()
    store.turn()
    store.turn()
    #expect(try store.description().indexes.map(\.progress) == [0.5])
    #expect(try store.description().indexes.map(\.entries) == [20])
    #expect(try store.names("v == 3").count == 6)
    gate.open()
    store.turn()
    try store.finishIndexes()
    #expect(try store.names("v == 3").count == 6)
    #expect(try store.description().indexes.map(\.entries) == [40])
    let plan = try store.reader.query(
      Query(recordType: "Item", predicate: try Predicate(parsing: "v == 3")), budget: .max)?.plan
    #expect(plan?.rowsExamined == 6)
  }

  @Test("a write waits for one part of the building at most")
  func writesBetween() throws {
    let submitted = Mutex<Ticket?>(nil)
    let isAnswered = Mutex<Bool?>(nil)
    let open = Mutex<(RecordStore, Inbox)?>(nil)
    let write = WriteRequest(
      caller: TestStore.caller, operations: [.save(try draft(#"{"n":"new","v":1}"#), policy: .allKeys)])
    let gate = Gate(0) { part in
      guard let (store, inbox) = open.withLock({ $0 }) else { return }
      if part == 3 {
        submitted.withLock { $0 = store.submit(write) }
      } else if part == 4 {
        let ticket = submitted.withLock { $0 }
        isAnswered.withLock { $0 = ticket.map(inbox.hasAnswer) }
      }
    }
    let store = try makeStore(rows: 1, gate: gate)
    open.withLock { $0 = (store.store, store.inbox) }
    defer { open.withLock { $0 = nil } }
    try fill(store, 30)
    try store.declare(RecordTypeDraft(name: "Item", indexes: [Self.index]))
    gate.open()
    store.turn()
    try store.finishIndexes()
    #expect(isAnswered.withLock { $0 } == true)
  }

  @Test("a store closes while an index is built, and goes on with it when it is opened again")
  func closing() throws {
    let folder = TestFolder()
    let gate = Gate(0)
    let first = try makeStore(folder, gate: gate)
    try fill(first, 50)
    try first.declare(RecordTypeDraft(name: "Item", indexes: [Self.index]))
    gate.open(3)
    first.turn()
    first.close()

    let second = try makeStore(folder, gate: Gate(.max))
    try second.finishIndexes()
    #expect(try second.description().indexes.map(\.entries) == [50])
    second.close()
    try checkEntries(second.path)
  }

  @Test("what is left of a process that was killed while it built is gone on with", arguments: [1, 2, 4])
  func killed(parts: Int) throws {
    let folder = TestFolder()
    let gate = Gate(0)
    let store = try makeStore(folder, gate: gate)
    try fill(store, 50)
    try store.declare(RecordTypeDraft(name: "Item", indexes: [Self.index]))
    gate.open(parts)
    for _ in 0...parts { store.turn() }
    try store.save(#"{"n":"r1","v":100}"#)
    try store.save(#"{"n":"r49","v":100}"#)
    try store.delete("r2")
    try store.delete("r48")
    // As a kill leaves them: what was written, without the end of the process.
    for suffix in ["", "-wal"] {
      File.write(File.read(store.path + suffix), to: folder.file("killed.db" + suffix))
    }
    let again = try makeStore(folder, file: "killed.db", gate: Gate(.max))
    try again.save(#"{"n":"r3","v":50}"#)
    try again.finishIndexes()
    #expect(try again.names("v == 100") == ["r1", "r49"])
    again.close()
    try checkEntries(again.path)
  }

  @Test("a dropped index is removed between writes, and its room is used again")
  func dropped() throws {
    let store = try makeStore(rows: 1, gate: Gate(.max))
    try fill(store, 300)
    try store.declare(RecordTypeDraft(name: "Item", indexes: [Self.index]))
    try store.finishIndexes()
    try store.declare(RecordTypeDraft(name: "Item", indexes: []))
    #expect(try store.description().indexes.isEmpty)
    for _ in 0..<8 { store.turn() }
    store.close()
    let database = try Database(path: store.path, access: .readWrite, busyTimeout: 100)
    #expect(try database.integer("SELECT count(*) FROM entry") == 300)
    #expect(try database.integer("SELECT count(*) FROM declaredIndex") == 1)
  }

  @Test("how much there is in an index is counted with the writes")
  func sizes() throws {
    let store = try makeStore(gate: Gate(.max))
    try store.declare(
      RecordTypeDraft(
        name: "Item", fields: [.init(name: "l", type: FieldType(.string, isList: true), uses: [.queryable])],
        indexes: [Self.index]))
    try store.save(#"{"n":"a","l":["x","y","x"]}"#)
    try store.save(#"{"n":"b","v":1}"#)
    func entries() throws -> [String: Int] {
      Dictionary(uniqueKeysWithValues: try store.description().indexes.map { ($0.keys[0], $0.entries) })
    }
    #expect(try entries() == ["l": 2, "v": 2])
    try store.save(#"{"n":"a","l":["y"]}"#)
    #expect(try entries() == ["l": 1, "v": 2])
    try store.delete("a")
    #expect(try entries() == ["l": 0, "v": 1])
    #expect(try store.description().indexes.filter { $0.entries == 0 }.map(\.bytes) == [0])
    #expect(try store.description().numberOfRecords == 1)
  }

  @Test("a type that isn't there is an unknown item; without a name all are told, by name")
  func types() throws {
    let store = try makeStore(gate: Gate(.max))
    #expect(refusal { try store.reader.schema(ofType: "Item") } == .unknownItem)
    #expect(try store.reader.schema().recordTypes.isEmpty)
    for type in ["b", "a", "B"] { try store.save(#"{"type":"\#(type)","v":1}"#) }
    #expect(try store.reader.schema().recordTypes.map(\.name) == ["B", "a", "b"])
    #expect(
      try store.description(of: "a").fields == [
        .init(name: "v", type: FieldType(.int64), uses: [], collation: .codePoint)
      ])
  }

  @Test("a declaration changes no record: the store's position stays, and nobody is told of a change")
  func position() throws {
    let store = try makeStore(gate: Gate(.max))
    try store.save(#"{"n":"a","v":1}"#)
    let sets = store.inbox.changeSets.count
    let result = try store.write([.saveRecordType(RecordTypeDraft(name: "Item", indexes: [Self.index]))])
    #expect(result.changeToken == store.inbox.changeSets.last?.changeToken)
    try store.finishIndexes()
    #expect(store.inbox.changeSets.count == sets)
  }
}
