import JSONRPC
import Records
import SQLite
import Testing

@testable import RecordStore

/// Files that earlier programs made.
@Suite struct SchemaTests {
  /// As version 1 made its tables.
  private static let tablesOfVersion1 = """
    CREATE TABLE store (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      identity INTEGER NOT NULL,
      lastCommit INTEGER NOT NULL,
      horizon INTEGER NOT NULL,
      records INTEGER NOT NULL,
      recordBytes INTEGER NOT NULL,
      changes INTEGER NOT NULL,
      changeBytes INTEGER NOT NULL,
      schema INTEGER NOT NULL);
    CREATE TABLE epoch (firstCommit INTEGER PRIMARY KEY, nonce INTEGER NOT NULL);
    CREATE TABLE zone (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE type (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, records INTEGER NOT NULL);
    CREATE TABLE field (
      type INTEGER NOT NULL, name TEXT NOT NULL, valueType TEXT NOT NULL, PRIMARY KEY (type, name)
    ) WITHOUT ROWID;
    CREATE TABLE record (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, zone INTEGER NOT NULL, type INTEGER NOT NULL,
      version INTEGER NOT NULL, body BLOB, UNIQUE (name, zone));
    CREATE TABLE change (
      version INTEGER PRIMARY KEY, record INTEGER NOT NULL, user INTEGER NOT NULL, previous INTEGER,
      body BLOB);
    CREATE TABLE declaredIndex (id INTEGER PRIMARY KEY, type INTEGER NOT NULL, keys TEXT NOT NULL);
    CREATE TABLE entry (
      declaredIndex INTEGER NOT NULL, key BLOB NOT NULL, tie BLOB NOT NULL, record INTEGER NOT NULL,
      PRIMARY KEY (declaredIndex, key, tie)) WITHOUT ROWID;
    """

  /// What version 1 wrote for a zone, a type with two fields, and an index over `v`.
  private static let rowsOfVersion1 = """
    INSERT INTO store VALUES (1, 77, 3, 0, 3, 300, 0, 0, 3);
    INSERT INTO epoch VALUES (1, 5);
    INSERT INTO zone VALUES (1, '_defaultZone');
    INSERT INTO type VALUES (1, 'Item', 3);
    INSERT INTO field VALUES (1, 'v', 'int64'), (1, 's', 'string');
    INSERT INTO declaredIndex VALUES (1, 1, '[]'), (2, 1, '["v"]');
    PRAGMA application_id = \(0x4C69_7374);
    PRAGMA user_version = 1;
    """

  func makeVersion1(at path: String) throws {
    let database = try Database(path: path, access: .readWriteCreate, busyTimeout: 100)
    try database.execute(Self.tablesOfVersion1 + Self.rowsOfVersion1)
    let record = try database.prepare("INSERT INTO record VALUES (?1, ?2, 1, 1, ?3, ?4)")
    let entry = try database.prepare("INSERT INTO entry VALUES (?1, ?2, ?3, ?4)")
    for (number, name) in ["a", "b", "c"].enumerated() {
      let id = Int64(number + 1)
      let version = Version(commit: id, ordinal: 0)
      let stamp = #"{"timestamp":1,"userRecordName":"_1000"}"#
      let body = """
        {"recordType":"Item","recordName":"\(name)","recordChangeTag":"\(RecordTag.text(of: version, epoch: 5))",\
        "zoneName":"_defaultZone","created":\(stamp),"modified":\(stamp),"fields":{"v":\(10 - number),"s":"x"}}
        """
      record.bind(id, at: 1)
      record.bind(name, at: 2)
      record.bind(version.rawValue, at: 3)
      record.bind(Array(body.utf8), at: 4)
      try record.run()
      let tie = IndexKey.tie(recordName: name, zoneName: "_defaultZone")
      for (index, key) in [(Int64(1), []), (2, SortKey.key(of: .int64(Int64(10 - number))))] {
        entry.bind(index, at: 1)
        entry.bind(key, at: 2)
        entry.bind(tie, at: 3)
        entry.bind(id, at: 4)
        try entry.run()
      }
    }
    try database.execute("PRAGMA journal_mode = WAL")
  }

  @Test("a file of version 1 opens with its records and indexes, and is of the current version then")
  func version1() throws {
    let folder = TestFolder()
    try makeVersion1(at: folder.file("a.db"))
    let store = try TestStore(in: folder)
    #expect(try store.fetch("b")?.fieldsText == #"{"v":9,"s":"x"}"#)
    #expect(try store.names("v < 10") == ["b", "c"])
    #expect(try store.names(sort: [SortDescriptor(FieldPath("v")!)]) == ["c", "b", "a"])
    try store.save(#"{"n":"d","v":7}"#)
    try store.save(#"{"n":"a","v":1}"#)
    try store.delete("b")
    let plan = try store.reader.query(
      Query(recordType: "Item", predicate: try Predicate(parsing: "v <= 7")), budget: .max)!
    #expect(plan.records.map(\.recordName) == ["a", "d"])
    #expect(plan.plan.rowsExamined == 2)
    store.close()

    let database = try Database(path: store.path, access: .readWrite, busyTimeout: 100)
    #expect(try database.integer("PRAGMA user_version") == Schema.version)
    #expect(try database.integer("SELECT entries FROM declaredIndex WHERE id = 2") == 3)
    let bytes = "SELECT sum(length(key) + length(tie)) FROM entry WHERE declaredIndex = 2"
    #expect(
      try database.integer("SELECT bytes FROM declaredIndex WHERE id = 2") == database.integer(bytes))
    #expect(try database.integer("SELECT count(*) FROM declaredIndex WHERE origin = 'type'") == 1)
  }

  /// As version 2 left its file: a type with references and one without, and a record that is gone.
  func makeVersion2(at path: String) throws {
    try makeVersion1(at: path)
    let database = try Database(path: path, access: .readWrite, busyTimeout: 100)
    try Schema.migrate(database, from: 1)
    try database.execute(
      """
      \(Self.undoingVersion4)
      DROP TABLE reference; DROP TABLE subscription; DROP TABLE moment; ALTER TABLE zone DROP COLUMN deleted;
      PRAGMA user_version = 2;
      INSERT INTO type VALUES (2, 'Entry', 3, 1);
      INSERT INTO field VALUES (2, 'list', 'reference', 0), (2, 'more', 'list<reference>', 0), (2, 'o', 'object', 0);
      INSERT INTO declaredIndex (id, type, keys, origin) VALUES (3, 2, '[]', 'type');
      UPDATE store SET lastCommit = 6, records = 5, changes = 3;
      """)
    let record = try database.prepare("INSERT INTO record VALUES (?1, ?2, 1, 2, ?3, ?4)")
    let change = try database.prepare("INSERT INTO change VALUES (?1, 4, 1000, ?1 - 1, ?2)")
    for (version, name) in [(Int64(100), "b"), (200, "old"), (300, "old")] {
      change.bind(version, at: 1)
      change.bind(Array(#"{"fields":{"list":{"$reference":{"recordName":"\#(name)"}}}}"#.utf8), at: 2)
      try change.run()
    }
    let fields = [
      #"{"list":{"$reference":{"recordName":"b"}},"o":{"inner":{"$reference":{"recordName":"no"}}}}"#,
      #"{"more":[{"$reference":{"recordName":"\u0062"}},{"$reference":{"recordName":"c","zoneName":"z"}},"#
        + #"{"$reference":{"recordName":"b","zoneName":"y"}}]}"#,
      nil,
    ]
    for (number, fields) in fields.enumerated() {
      let id = Int64(number + 4)
      let stamp = #"{"timestamp":1,"userRecordName":"_1000"}"#
      record.bind(id, at: 1)
      record.bind("e\(number)", at: 2)
      record.bind(Version(commit: id, ordinal: 0).rawValue, at: 3)
      record.bindNull(at: 4)
      if let fields {
        let body = """
          {"recordType":"Entry","recordName":"e\(number)","zoneName":"_defaultZone","recordChangeTag":"\(id)-5",\
          "created":\(stamp),"modified":\(stamp),"fields":\(fields)}
          """
        record.bind(Array(body.utf8), at: 4)
      }
      try record.run()
    }
  }

  private static let undoingVersion4 = """
    DROP TABLE idempotency; DROP TABLE fieldChange; DROP TABLE asset; DROP TABLE assetUse; DROP INDEX deletedRecord;
    ALTER TABLE field DROP COLUMN rules; ALTER TABLE change DROP COLUMN cause; ALTER TABLE change DROP COLUMN deleted;
    """

  func makeVersion3(at path: String) throws {
    try makeVersion2(at: path)
    let database = try Database(path: path, access: .readWrite, busyTimeout: 100)
    try Schema.migrate(database, from: 2)
    try database.execute(Self.undoingVersion4 + "PRAGMA user_version = 3")
  }

  @Test("a file of version 3 opens, and its changes were asked for")
  func version3() throws {
    let folder = TestFolder()
    try makeVersion3(at: folder.file("a.db"))
    let store = try TestStore(in: folder)
    #expect(try store.fetch("e0") != nil)
    try store.delete("e0")
    let database = try Database(path: store.path, access: .readWrite, busyTimeout: 100)
    #expect(try database.integer("SELECT count(*) FROM change WHERE cause IS NOT NULL") == 0)
  }

  @Test("a file of version 2 opens, and knows which of its records refer to which")
  func version2() throws {
    let folder = TestFolder()
    try makeVersion2(at: folder.file("a.db"))
    let store = try TestStore(in: folder)
    #expect(try store.fetch("e0") != nil)
    let database = try Database(path: store.path, access: .readWrite, busyTimeout: 100)
    #expect(try database.integer("PRAGMA user_version") == Schema.version)
    func references() throws -> [String] {
      let list = try database.prepare("SELECT target, record, until FROM reference ORDER BY 1, 2")
      var rows: [String] = []
      while try list.step() {
        rows.append("\(list.text(0)) \(list.int64(1))" + (list.optionalInt64(2).map { " until \($0)" } ?? ""))
      }
      return rows
    }
    #expect(try references() == ["b 4", "b 5", "c 5", "old 4 until 300"])
    let seven = Version(commit: 7, ordinal: 0).rawValue
    try store.save(#"{"n":"e1","type":"Entry","more":[{"$reference":{"recordName":"c"}}]}"#)
    try store.save(#"{"n":"a","s":"x"}"#)
    #expect(try references() == ["b 4", "b 5 until \(seven)", "c 5", "old 4 until 300"])
    try store.delete("e0")
    #expect(try references().first == "b 4 until \(Version(commit: 9, ordinal: 0).rawValue)")
  }

  @Test("a file that is brought up to date has the tables of a new one", arguments: [1, 2, 3])
  func sameTables(version: Int) throws {
    let folder = TestFolder()
    switch version {
    case 1: try makeVersion1(at: folder.file("old.db"))
    case 2: try makeVersion2(at: folder.file("old.db"))
    default: try makeVersion3(at: folder.file("old.db"))
    }
    func columns(_ file: String) throws -> [String] {
      try TestStore(in: folder, file: file).close()
      let database = try Database(path: folder.file(file), access: .readWrite, busyTimeout: 100)
      let list = try database.prepare(
        """
        SELECT t.name, c.name, c.type, c."notnull", c.dflt_value, c.pk FROM sqlite_schema AS t
        JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table' ORDER BY t.name, c.cid
        """)
      var rows: [String] = []
      while try list.step() { rows.append((0..<6).map { list.text($0) }.joined(separator: " ")) }
      return rows
    }
    let new = try columns("new.db")
    #expect(new.count > 30)
    #expect(try columns("old.db") == new)
  }

  @Test("a file that can't be brought up to date stays of its version, whole")
  func failedMigration() throws {
    let folder = TestFolder()
    let path = folder.file("a.db")
    try makeVersion1(at: path)
    let database = try Database(path: path, access: .readWrite, busyTimeout: 100)
    // The last of the step's tables is in the way: what came before it must be undone.
    try database.execute("ALTER TABLE declaredIndex ADD COLUMN lastUsed INTEGER")
    #expect(refusal { try TestStore(in: folder) } != nil)
    #expect(try database.integer("PRAGMA user_version") == 1)
    #expect(try database.integer("SELECT count(*) FROM pragma_table_info('type')") == 3)
  }
}
