import Records
import SQLite
import Testing

@testable import RecordStore

struct StoreCheckTests {
  private func problems(after sql: String) throws -> [StoreReport.Problem] {
    let store = try TestStore()
    try store.declare(
      RecordTypeDraft(name: "Item", fields: [.init(name: "v", type: FieldType(.int64), uses: [.queryable])]))
    for number in 0..<20 {
      try store.save(#"{"n":"\#(number)","v":\#(number),"o":{"$reference":{"recordName":"0"}}}"#)
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
