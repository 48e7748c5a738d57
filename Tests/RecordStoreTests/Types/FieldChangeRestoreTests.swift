import JSONRPC
import Records
import Testing

@testable import RecordStore

/// Versions of records from before their type's fields were changed.
@Suite struct FieldChangeRestoreTests {
  let store: TestStore

  init() throws { store = try TestStore() }

  @Test("a version from before fields were changed comes back with the fields of today")
  func restored() throws {
    let first = try store.save(#"{"n":"a","old":"12","gone":true,"same":1}"#)
    try store.save(#"{"n":"b","old":"7","gone":false}"#)
    try store.delete("b")
    try store.declare("{}", .init(renamed: [("old", "new")], retyped: [("new", FieldType(.int64))]))
    try store.declare("{}", .init(dropped: ["gone"]))
    #expect(try store.restore("b").fieldsText == #"{"new":7}"#)
    try store.save(#"{"n":"a","new":1}"#)
    #expect(try store.restore("a", tag: first.recordChangeTag).fieldsText == #"{"new":12,"same":1}"#)
    #expect(try store.description().fields.map(\.name).sorted() == ["new", "same"])
    #expect(try store.problems() == [])
  }

  @Test("names that were exchanged are exchanged for what comes back, also over several steps")
  func steps() throws {
    let first = try store.save(#"{"n":"a","v":1,"w":"x"}"#)
    try store.declare("{}", .init(renamed: [("v", "w"), ("w", "v")]))
    let second = try store.save(#"{"n":"a","v":"y","w":2}"#)
    try store.declare("{}", .init(renamed: [("w", "number")]))
    try store.save(#"{"n":"a"}"#)
    #expect(try store.restore("a", tag: second.recordChangeTag).fieldsText == #"{"number":2,"v":"y"}"#)
    #expect(try store.restore("a", tag: first.recordChangeTag).fieldsText == #"{"number":1,"v":"x"}"#)
  }

  @Test("a dropped field that was made anew stays as it is; a value that can't be converted is refused")
  func others() throws {
    try store.save(#"{"n":"a","v":"text","w":"text"}"#)
    try store.save(#"{"n":"b","w":"1"}"#)
    try store.delete("a")
    try store.declare("{}", .init(retyped: [("w", FieldType(.int64))], dropped: ["v"]))
    try store.save(#"{"n":"c","v":5}"#)
    #expect(broken { try store.restore("a") } == "fieldTypeMismatch")
    try store.declare("{}", .init(dropped: ["w"]))
    #expect(try store.restore("a").fieldsText == "{}")
  }

  @Test("what went with a record comes back with it, with the fields of today")
  func cascade() throws {
    try store.save(#"{"n":"x","type":"Other"}"#)
    try store.save(#"{"n":"a","v":"1","r":\#(reference("x", "deleteSelf"))}"#)
    try store.save(#"{"n":"b","v":"2","r":\#(reference("x", "setNull"))}"#)
    try store.delete("x")
    try store.declare("{}", .init(renamed: [("r", "to"), ("v", "w")], retyped: [("w", FieldType(.int64))]))
    try store.restore("x", withCascade: true)
    #expect(try store.fetch("a")?.fieldsText == #"{"w":1,"to":\#(reference("x", "deleteSelf"))}"#)
    #expect(try store.fetch("b")?.fieldsText == #"{"w":2,"to":\#(reference("x", "setNull"))}"#)
    #expect(try store.problems() == [])
  }

  @Test("a type that is deleted and made anew has nothing to do with what the old one's fields became")
  func anew() throws {
    try store.save(#"{"n":"a","v":1}"#)
    try store.delete("a")
    try store.declare("{}", .init(dropped: ["v"]))
    try store.done(.deleteRecordType(name: "Item"))
    try store.save(#"{"n":"b","v":1}"#)
    try store.declare("{}", .init(renamed: [("v", "w")]))
    let restored = try store.restore("a").fieldsText
    #expect(restored == "{}")
    #expect(try store.problems() == [])
  }

  @Test(
    "a tag from before the change makes a save the conflict that it is, or is merged by the fields of today")
  func merged() throws {
    try store.declare(#"{"n1":{"type":"int64","merge":"sum"}}"#)
    let first = try store.save(#"{"n":"a","n1":1,"v":"x","old":"7","gone":1}"#)
    try store.declare("{}", .init(renamed: [("old", "new")], dropped: ["gone"]))
    func save(_ json: String) throws -> String? {
      try store.done(.save(draft(json), policy: .ifServerRecordUnchanged)).savedRecord?.record.fieldsText
    }
    let tag = first.recordChangeTag
    try store.save(#"{"n":"a","n1":3}"#, policy: .changedKeys)
    #expect(try save(#"{"n":"a","t":"\#(tag)","n1":2,"v":"x","new":"7"}"#) == #"{"n1":4,"v":"x","new":"7"}"#)
    #expect(try store.problems() == [])
  }

  @Test("a dry run leaves the file as it is, to the byte", arguments: ["{}", #"{"v":{"unique":true}}"#])
  func dryRun(_ fields: String) throws {
    try store.declare(
      RecordTypeDraft(
        name: "Item",
        fields: [
          .init(name: "v", type: FieldType(.string), uses: [.queryable, .sortable, .searchable]),
          .init(name: "r", type: FieldType(.reference), uses: [.queryable]),
        ]))
    for number in 0..<20 {
      try store.save(#"{"n":"\#(number)","v":"\#(number)","r":\#(reference("0", "setNull"))}"#)
    }
    try store.finishIndexes()
    store.turn()
    let before = [File.read(store.path), File.read(store.path + "-wal")]
    let changeSets = store.inbox.changeSets.count
    var draft = RecordTypeDraft(
      name: "Item", fields: try declared(fields),
      changes: .init(
        renamed: [("v", "v2"), ("r", "v")], retyped: [("v2", FieldType(.int64)), ("v", FieldType(.string))]))
    if fields != "{}" { draft.changes = .init(dropped: ["r"]) }
    draft.isDryRun = true
    guard case .examinedRecordType = try store.done(.saveRecordType(draft)) else { fatalError("done") }
    store.turn()
    #expect([File.read(store.path), File.read(store.path + "-wal")] == before)
    #expect(store.inbox.changeSets.count == changeSets)
  }

  @Test("assets of a field that is dropped, renamed or made a list are held as long as a version has them")
  func assets() throws {
    let asset = try store.saveAsset("hello")
    let first = try store.save(store.record("a", asset))
    try store.declare("{}", .init(renamed: [("f", "g")], retyped: [("g", FieldType(.asset, isList: true))]))
    #expect(try store.fetch("a")?.fieldsText.contains("[{\"$asset\"") == true)
    #expect(try store.problems() == [])
    try store.declare("{}", .init(dropped: ["g"]))
    #expect(try store.reader.assets().count == 1)
    #expect(first.fieldsText.contains(asset.checksum))
  }
}
