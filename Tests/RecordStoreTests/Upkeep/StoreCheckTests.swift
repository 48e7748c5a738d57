import JSONRPC
import Records
import SQLite
import Testing

@testable import RecordStore

struct StoreCheckTests {
  private func problems(after sql: String) throws -> [StoreReport.Problem] {
    let store = try TestStore()
    var unique = RecordTypeDraft.Field(name: "u", type: FieldType(.int64))
    unique.rules = [.init(.unique, try JSON(parsing: "true"))]
    try store.declare(
      RecordTypeDraft(
        name: "Item",
        fields: [
          .init(name: "v", type: FieldType(.int64), uses: [.queryable]),
          .init(name: "s", type: FieldType(.string), uses: [.searchable]), unique,
        ]))
    for number in 0..<20 {
      try store.save(
        #"{"n":"\#(number)","v":\#(number),"u":\#(number),"s":"word\#(number)","o":{"$reference":{"recordName":"0"}}}"#
      )
    }
    try store.save(#"{"n":"3","v":33}"#)
    try store.delete("4")
    store.close()
    let database = try Database(path: store.path, access: .readWrite, busyTimeout: 100)
    try database.execute(sql)
    return try #require(try StoreCheck(Connection(database), isStopped: { false }).run()).problems
  }

  @Test("A store that nobody meddled with has no problems")
  func whole() throws {
    #expect(try problems(after: "") == [])
  }

  @Test(
    "What can't be is told, with what it is about",
    arguments: [
      ("UPDATE record SET body = 'no JSON' WHERE name = '7'", StoreReport.Problem.Kind.record),
      ("UPDATE record SET body = (SELECT body FROM record WHERE name = '8') WHERE name = '7'", .record),
      ("UPDATE record SET zone = 99 WHERE name = '7'", .record),
      ("UPDATE record SET version = version + 1 WHERE name = '7'", .record),
      ("UPDATE field SET valueType = 'string' WHERE name = 'v'", .record),
      ("UPDATE store SET records = records + 1", .count),
      ("UPDATE store SET recordBytes = recordBytes - 1", .count),
      ("UPDATE store SET changes = 1", .count),
      ("UPDATE type SET records = 0", .count),
      ("DELETE FROM entry WHERE record = 7", .index),
      (
        "INSERT INTO entry (declaredIndex, key, tie, record) SELECT declaredIndex, key || x'01', tie, record FROM entry",
        .index
      ),
      ("DELETE FROM reference WHERE record = 7", .reference),
      ("DELETE FROM declaredIndex WHERE kind = 'fullText'", .index),
      (
        "INSERT INTO fullText2 (rowid, c0) VALUES (7, 'surplus')", .index
      ),
      ("DELETE FROM fullTextField", .index),
      (
        #"""
        UPDATE record SET body = CAST(replace(CAST(body AS TEXT), '"u":8', '"u":9') AS BLOB) WHERE name = '8'
        """#, .index
      ),
      (#"UPDATE field SET rules = '{"required":true}' WHERE name = 'u'"#, .rule),
      ("DELETE FROM epoch", .changeLog),
      ("UPDATE zone SET deleted = 1 WHERE id = 1", .zone),
      ("UPDATE zone SET name = 'other'", .zone),
      ("UPDATE change SET body = NULL", .changeLog),
      ("UPDATE change SET body = x'7B7B' WHERE body IS NOT NULL", .changeLog),
      ("INSERT INTO subscription VALUES (1, 'a', 'no JSON', '1-1-1', 0)", .subscription),
      ("INSERT INTO subscription VALUES (1, 'a', '{}', 'nowhere', 0)", .subscription),
      ("INSERT INTO idempotency VALUES (1, 'k', x'01', 1, x'7B', 1)", .idempotencyKey),
      ("INSERT INTO assetUse VALUES ('ab', 7, NULL)", .assetUse),
      ("INSERT INTO reference (target, record) VALUES ('elsewhere', 7)", .reference),
      ("DELETE FROM change WHERE version = (SELECT max(version) FROM change)", .changeLog),
      (
        "UPDATE change SET version = version + (1 << 40) WHERE version = (SELECT max(version) FROM change)",
        .changeLog
      ),
    ])
  func told(sql: String, kind: StoreReport.Problem.Kind) throws {
    let found = try problems(after: sql)
    #expect(found.contains { $0.kind == kind }, "\(found)")
    #expect(!found.contains { $0.message.contains("/") || $0.message.lowercased().contains("sql") })
  }

  @Test("A hundred problems are listed, all are counted")
  func many() throws {
    let store = try TestStore()
    _ = try store.write((0..<300).map { .save(try draft(#"{"n":"\#($0)","v":1}"#), policy: .allKeys) })
    store.close()
    let database = try Database(path: store.path, access: .readWrite, busyTimeout: 100)
    try database.execute("UPDATE record SET body = '{}'")
    let report = try #require(try StoreCheck(Connection(database), isStopped: { false }).run())
    #expect(report.problems.count == StoreReport.maximumProblems)
    #expect(report.problemCount >= 300)
  }
}
