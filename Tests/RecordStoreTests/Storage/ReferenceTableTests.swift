import JSONRPC
import Records
import SQLite
import Testing

@testable import RecordStore

@Suite struct ReferenceTableTests {
  /// What the table of a file says: the names of records and what they refer to; `was` where they did.
  private func references(_ path: String) throws -> [String] {
    let database = try Database(path: path, access: .readWrite, busyTimeout: 100)
    let list = try database.prepare(
      """
      SELECT r.name, f.target, f.until FROM reference AS f LEFT JOIN record AS r ON r.id = f.record
      ORDER BY 2, 1
      """)
    var rows: [String] = []
    while try list.step() {
      rows.append("\(list.text(0))>\(list.text(1))\(list.isNull(2) ? "" : " was")")
    }
    return rows
  }

  private func reference(_ name: String) -> String { #"{"$reference":{"recordName":"\#(name)"}}"# }

  @Test("the table follows every save and delete")
  func upkeep() throws {
    let store = try TestStore()
    try store.save(#"{"n":"a","r":\#(reference("x")),"l":[\#(reference("x")),\#(reference("y"))]}"#)
    try store.save(#"{"n":"b","r":\#(reference("a")),"o":{"inner":\#(reference("no"))},"v":1}"#)
    #expect(try references(store.path) == ["b>a", "a>x", "a>y"])
    try store.save(#"{"n":"b","v":2}"#, policy: .changedKeys)
    try store.save(#"{"n":"a","l":{"$append":[\#(reference("z"))]}}"#, policy: .changedKeys)
    #expect(try references(store.path) == ["b>a", "a>x", "a>y", "a>z"])
    try store.save(#"{"n":"b","r":null}"#, policy: .changedKeys)
    try store.save(#"{"n":"a","l":[\#(reference("y"))]}"#)
    #expect(try references(store.path) == ["b>a was", "a>x was", "a>y", "a>z was"])
    try store.delete("a")
    #expect(try references(store.path) == ["b>a was", "a>x was", "a>y was", "a>z was"])
    try store.save(#"{"n":"a","type":"Other","q":\#(reference("y"))}"#)
    #expect(try references(store.path) == ["b>a was", "a>x was", "a>y", "a>z was"])
  }

  @Test("what is undone with a batch is undone in the table")
  func undone() throws {
    let store = try TestStore()
    try store.save(#"{"n":"a","r":\#(reference("x"))}"#)
    #expect(throws: WriteFailure.self) {
      try store.write([
        .save(try draft(#"{"n":"a","r":\#(reference("y"))}"#), policy: .allKeys), deletion("none"),
      ])
    }
    #expect(try references(store.path) == ["a>x"])
  }

  @Test("what only pruned versions say goes with them, and not before")
  func pruned() throws {
    var limits = StoreLimits()
    limits.maximumHistoryChanges = 3
    let store = try TestStore(limits: limits)
    try store.save(#"{"n":"a","r":\#(reference("x")),"q":\#(reference("y"))}"#)
    try store.save(#"{"n":"a","r":\#(reference("y"))}"#)
    try store.save(#"{"n":"a","r":\#(reference("x"))}"#)
    try store.save(#"{"n":"a","r":\#(reference("y"))}"#)
    #expect(try references(store.path) == ["a>x was", "a>y"])
    try store.save(#"{"n":"b"}"#)
    try store.save(#"{"n":"c"}"#)
    #expect(try references(store.path) == ["a>x was", "a>y"])
    try store.save(#"{"n":"d"}"#)
    #expect(try references(store.path) == ["a>y"])
  }

  @Test("references are kept where the log of changes is not")
  func withoutHistory() throws {
    var limits = StoreLimits()
    limits.maximumHistoryChanges = 0
    let store = try TestStore(limits: limits)
    try store.save(#"{"n":"a","r":\#(reference("x"))}"#)
    try store.save(#"{"n":"b","r":\#(reference("x"))}"#)
    try store.delete("a")
    #expect(try references(store.path) == ["b>x"])
  }
}
