import Files
import Glibc
import JSONRPC
import Records
import SQLite
import Testing

@testable import RecordStore

/// Files that are no backup, or not any more.
@Suite struct ForeignStoreTests {
  private let folder = TestFolder()
  private var path: String { folder.file("backup.db") }

  /// A good backup, and what `change` makes of it.
  private func backUp(_ change: (Database) throws -> Void = { _ in }) throws {
    let source = try TestStore()
    try source.declare(
      RecordTypeDraft(
        name: "Item",
        fields: [
          .init(name: "v", type: FieldType(.int64), uses: [.queryable]),
          .init(name: "s", type: FieldType(.string), uses: [.searchable]),
        ]))
    for number in 0..<20 { try source.save(#"{"n":"\#(number)","v":\#(number),"s":"text"}"#) }
    try source.save(#"{"n":"3","v":4,"s":"text"}"#)
    let request = WriteRequest(
      caller: TestStore.caller, operations: [.save(try draft(#"{"n":"k"}"#), policy: .allKeys)],
      idempotencyKey: IdempotencyKey(text: "k", digest: [1]) { _ in Array("{}".utf8) })
    _ = try source.inbox.write(source.store.submit(request)).get()
    source.close()
    let copy = File.read(source.path)
    File.write(copy, to: path)
    let database = try Database(path: path, access: .readWrite, busyTimeout: 100)
    try change(database)
    try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  private func checksum() -> String { SHA256.text(of: SHA256.digest(of: File.read(path))) }

  /// How a store with a record answers to it, having changed nothing.
  private func restore(checksum: String? = nil, flags: Int32 = O_RDONLY) throws -> RecordError? {
    let store = try TestStore()
    try store.save(#"{"n":"own","v":1}"#)
    store.reader.renew()
    let descriptor = try #require(OwnedDescriptor(opening: path, flags))
    do {
      _ = try store.store.restore(descriptor, checksum: checksum ?? self.checksum(), isForced: true)
      return nil
    } catch {
      store.reader.renew()
      #expect(try store.names() == ["own"])
      #expect(
        TestFolder.names(in: store.folder.path).filter { $0.contains(".new-") || $0.contains("replaced") }
          == [])
      try store.save(#"{"n":"own","v":2}"#)
      return error
    }
  }

  private func reason(_ error: RecordError?) -> String? { error?.detail("reason")?.stringValue }

  @Test("a good one is taken")
  func good() throws {
    try backUp()
    #expect(try restore() == nil)
  }

  @Test("another checksum, a damaged page, and what is no file are told apart")
  func files() throws {
    try backUp()
    #expect(reason(try restore(checksum: String(repeating: "0", count: 64))) == "checksum")
    var content = File.read(path)
    let place =
      try #require(content.firstRange(of: Array(#""recordName":"15""#.utf8))).lowerBound / 4096 * 4096
    for offset in place..<place + 40 { content[offset] = 0xFF }
    File.write(content, to: path)
    #expect(reason(try restore()) == "damaged")
    File.write(Array(content[..<5000]), to: path)
    #expect(try restore()?.code == .invalidArguments)
    for text in ["", "text", "SQLite format 3"] {
      File.write(Array(text.utf8), to: path)
      #expect(reason(try restore()) == "notAStore")
    }
    unlink(path)
    mkfifo(path, 0o600)
    #expect(reason(try restore(checksum: "", flags: O_RDWR)) == "notAFile")
    unlink(path)
    mkdir(path, 0o700)
    #expect(reason(try restore(checksum: "")) == "notAFile")
  }

  @Test("another program's database, and one of a later version, are told as such")
  func others() throws {
    try backUp { try $0.execute("PRAGMA application_id = 1") }
    #expect(reason(try restore()) == "notAStore")
    try backUp { try $0.execute("PRAGMA user_version = 1000") }
    #expect(try restore()?.code == .storeTooNew)
    try backUp { try $0.execute("PRAGMA user_version = 0") }
    #expect(reason(try restore()) == "schema")
    unlink(path)
    let database = try Database(path: path, access: .readWriteCreate, busyTimeout: 0)
    try database.execute("CREATE TABLE t (a)")
    #expect(reason(try restore()) == "notAStore")
  }

  @Test(
    "tables that are not a store's to the letter are refused",
    arguments: [
      "CREATE TRIGGER evil AFTER INSERT ON record BEGIN DELETE FROM record; END",
      "CREATE VIEW evil AS SELECT 1",
      "CREATE TABLE evil (a)",
      "CREATE INDEX evil ON record (body)",
      "CREATE VIRTUAL TABLE evil USING fts5(a)",
      "CREATE VIRTUAL TABLE fullText900 USING fts5(a)",
      "CREATE INDEX evil ON record (abs(version))",
      "DROP INDEX deletedRecord",
      "DROP INDEX deletedRecord; CREATE INDEX deletedRecord ON record (version) WHERE body IS NOT NULL",
      "DROP TABLE moment",
      "DROP TABLE moment; CREATE VIEW moment AS SELECT 1 AS firstCommit, 2 AS timestamp",
      "DROP TABLE moment; CREATE TABLE moment (firstCommit INTEGER PRIMARY KEY, timestamp INTEGER NOT NULL CHECK (abs(timestamp) > 1))",
      "DROP TABLE moment; CREATE TABLE moment (firstCommit INTEGER PRIMARY KEY, timestamp INTEGER NOT NULL, x)",
      "DROP TABLE moment; CREATE TABLE moment (firstCommit INTEGER PRIMARY KEY, timestamp AS (abs(firstCommit)))",
      "DROP TABLE moment; CREATE TABLE moment (firstCommit INTEGER PRIMARY KEY, timestamp INTEGER NOT NULL) STRICT",
      "DROP TABLE moment; CREATE TABLE moment (firstCommit INTEGER PRIMARY KEY, timestamp INTEGER NOT NULL /*",
    ])
  func schema(_ sql: String) throws {
    try backUp { try $0.execute(sql.hasSuffix("/*") ? String(sql.dropLast(2)) + ", z)" : sql) }
    #expect(reason(try restore()) == "schema")
  }

  @Test(
    "content that no store writes is refused",
    arguments: [
      "UPDATE record SET body = CAST('{' AS BLOB) WHERE name = '7'",
      "UPDATE record SET body = CAST(body AS TEXT) WHERE name = '7'",
      "UPDATE record SET name = CAST(name AS BLOB) WHERE name = '7'",
      "UPDATE change SET body = CAST('x' || char(10) AS BLOB) WHERE body IS NOT NULL",
      "UPDATE idempotency SET result = CAST('{}' || char(10) AS BLOB), bytes = 3",
      "UPDATE idempotency SET result = CAST('}}' AS BLOB)",
      "UPDATE idempotency SET bytes = -1",
      "UPDATE store SET lastCommit = 9223372036854775807",
      "UPDATE store SET lastCommit = 1, horizon = 1",
      "UPDATE store SET horizon = -1",
      "UPDATE store SET records = 5",
      "UPDATE store SET schema = 9223372036854775807",
      "INSERT INTO epoch VALUES (1000000, 1)",
      "UPDATE moment SET timestamp = 9223372036854775807",
      "UPDATE declaredIndex SET id = 9223372036854775807 WHERE kind = 'ordered' AND origin <> 'type'",
      "DELETE FROM declaredIndex WHERE origin = 'type'",
      "DELETE FROM entry WHERE record = 5",
      "INSERT INTO reference (target, record) VALUES ('0', 1)",
      "UPDATE field SET rules = 'x'",
      "INSERT INTO subscription VALUES (1, 'a', 'no JSON', 'x', 0)",
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)"
        + " INSERT INTO fullTextField SELECT 5, 'f' || i, i + 10 FROM n",
    ])
  func content(_ sql: String) throws {
    try backUp { try $0.execute(sql) }
    #expect(reason(try restore()) == "damaged")
  }

  /// Makes the counts right that those tests don't care for.
  private func count(_ path: String) throws {
    let database = try Database(path: path, access: .readWrite, busyTimeout: 0)
    try database.execute(
      """
      DELETE FROM change;
      UPDATE store SET recordBytes = (SELECT sum(length(body)) FROM record),
        records = (SELECT count(body) FROM record), changes = 0, changeBytes = 0, horizon = lastCommit;
      UPDATE type SET records = (SELECT count(body) FROM record WHERE type = type.id);
      """)
    try database.checkpoint(.truncate)
  }

  @Test("one that an earlier program made is brought up to date; with more in it it is refused")
  func older() throws {
    try SchemaTests().makeVersion1(at: path)
    try count(path)
    #expect(try restore() == nil)
    let database = try Database(path: path, access: .readWrite, busyTimeout: 0)
    try database.execute("CREATE TRIGGER evil AFTER UPDATE ON declaredIndex BEGIN DELETE FROM record; END")
    try database.checkpoint(.truncate)
    #expect(reason(try restore()) == "schema")
  }

  @Test("a store made by an earlier program and used by this one is as good as a new one")
  func migrated() throws {
    let folder = TestFolder()
    try SchemaTests().makeVersion1(at: folder.file("a.db"))
    try count(folder.file("a.db"))
    let store = try TestStore(in: folder)
    try store.save(#"{"n":"more","v":1}"#)
    let backup = try store.store.backUp()
    store.reader.renew()
    _ = try store.store.restore(backup.file, checksum: backup.checksum, isForced: true)
    store.reader.renew()
    #expect(try store.names().contains("more"))
  }
}
