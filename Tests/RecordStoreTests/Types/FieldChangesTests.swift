import JSONRPC
import Records
import Testing

@testable import RecordStore

/// Renaming, retyping and dropping fields of a type.
@Suite struct FieldChangesTests {
  let store: TestStore

  init() throws { store = try TestStore(inMemory: true) }

  private func change(
    _ changes: RecordTypeChanges, fields: String = "{}", acceptsLoss: Bool = false, dryRun: Bool = false
  ) throws -> RecordTypeReport {
    var draft = RecordTypeDraft(name: "Item", fields: try declared(fields), changes: changes)
    draft.acceptsLoss = acceptsLoss
    draft.isDryRun = dryRun
    do {
      switch try store.write([.saveRecordType(draft)]).items[0].get() {
      case .savedRecordType(_, let report?), .examinedRecordType(let report): return report
      default: fatalError("no report")
      }
    } catch let failure as WriteFailure {
      throw failure.error
    }
  }

  private func fields(_ name: String) throws -> String? { try store.fetch(name)?.fieldsText }

  private func schema() throws -> String {
    try store.description().fields.map { "\($0.name):\($0.type)" }.joined(separator: " ")
  }

  @Test("every record is changed, as changes of their own in one commit")
  func all() throws {
    let first = try store.save(#"{"n":"a","v":1,"old":"12","gone":true}"#)
    let second = try store.save(#"{"n":"b","w":2}"#)
    try store.save(#"{"n":"c","old":"-3"}"#)
    try store.save(#"{"n":"x","type":"Other","old":"1"}"#)
    let before = store.inbox.changeSets.count
    let report = try change(
      .init(renamed: [("old", "new")], retyped: [("new", FieldType(.int64))], dropped: ["gone"]),
      acceptsLoss: true)
    #expect(report.records == 2)
    #expect(report.losses.map { "\($0.field) \($0.count)" } == ["gone 1"])
    #expect(try fields("a") == #"{"v":1,"new":12}"#)
    #expect(try fields("c") == #"{"new":-3}"#)
    #expect(try store.fetch("b") == second)
    #expect(try store.fetch("a")?.recordChangeTag != first.recordChangeTag)
    #expect(try store.fetch("a")?.created == first.created)
    #expect(try fields("x") == #"{"old":"1"}"#)
    #expect(try schema() == "new:int64 v:int64 w:int64")
    let sets = store.inbox.changeSets[before...]
    #expect(sets.count == 1)
    #expect(sets.first?.changes.map(\.recordName) == ["a", "c"])
    try store.save(#"{"n":"d","gone":"now text","old":1.5}"#)
  }

  @Test("a dry run tells all and does nothing")
  func dryRun() throws {
    for number in 0..<12 { try store.save(#"{"n":"r\#(10 + number)","v":"x\#(number)"}"#) }
    let last = try store.save(#"{"n":"z","v":"7"}"#)
    try store.declare(
      RecordTypeDraft(
        name: "Item",
        fields: [
          .init(name: "v", uses: [.searchable], rules: [.init(.pattern, JSON(parsing: #""x?[0-9]+""#))])
        ],
        indexes: [.init(keys: [FieldPath("v")!, FieldPath("w")!])]))
    let description = try store.description()
    let report = try change(.init(retyped: [("v", FieldType(.int64))]), dryRun: true)
    #expect(report.records == 13)
    #expect(report.losses.map(\.count) == [12])
    #expect(report.losses[0].examples.count == 10)
    #expect(
      report.losses[0].examples[0] == .init(recordName: "r10", zoneName: "_defaultZone", value: .string("x0"))
    )
    #expect(report.rulesDropped.map { "\($0.field) \($0.rule)" } == ["v pattern"])
    #expect(report.indexesDropped == [["v"]])
    #expect(try store.fetch("z") == last)
    #expect(try store.description().fields == description.fields)
    let dropped = try change(.init(dropped: ["v"]), dryRun: true)
    #expect(dropped.indexesDropped == [["v", "w"]])
    #expect(dropped.losses.map(\.count) == [13])
    let required = try change(.init(), fields: #"{"w":{"type":"string","required":true}}"#, dryRun: true)
    #expect(required.breaches.map { "\($0.rule) \($0.count)" } == ["required 13"])
    try store.save(#"{"n":"y","v":"x1"}"#)
  }

  @Test("values are lost only where that is accepted; refused, nothing is done")
  func losses() throws {
    try store.save(#"{"n":"a","v":"x"}"#)
    try store.save(#"{"n":"b","v":"1"}"#)
    #expect(refusal { try change(.init(retyped: [("v", FieldType(.int64))])) } == .constraintViolation)
    #expect(refusal { try change(.init(dropped: ["v"])) } == .constraintViolation)
    #expect(try fields("b") == #"{"v":"1"}"#)
    #expect(try schema() == "v:string")
    _ = try change(.init(retyped: [("v", FieldType(.int64))]), acceptsLoss: true)
    #expect(try fields("a") == "{}")
    #expect(try fields("b") == #"{"v":1}"#)
  }

  @Test("two fields may exchange their names; two can't have one")
  func names() throws {
    try store.save(#"{"n":"a","v":1,"w":"x"}"#)
    _ = try change(.init(renamed: [("v", "w"), ("w", "v")]))
    #expect(try fields("a") == #"{"w":1,"v":"x"}"#)
    #expect(try schema() == "v:string w:int64")
    for changes in [
      RecordTypeChanges(renamed: [("v", "w")]), .init(renamed: [("u", "t")]), .init(dropped: ["u"]),
      .init(retyped: [("u", FieldType(.string))]), .init(renamed: [("v", "t"), ("w", "t")]),
      .init(renamed: [("v", "t"), ("v", "s")]), .init(renamed: [("v", "t")], dropped: ["v"]),
      .init(renamed: [("v", "t")], retyped: [("v", FieldType(.string))]), .init(dropped: ["v", "v"]),
    ] {
      #expect(refusal { try change(changes) } == .invalidArguments)
    }
    _ = try change(.init(renamed: [("w", "v")], dropped: ["v"]), acceptsLoss: true)
    #expect(try fields("a") == #"{"v":1}"#)
    #expect(refusal { try change(.init(renamed: [("v", "v2"), ("x", "y")])) } == .invalidArguments)
    var draft = RecordTypeDraft(name: "None", changes: .init(dropped: ["v"]))
    draft.isDryRun = true
    #expect(refusal { try store.declare(draft) } == .unknownItem)
  }

  @Test("rules follow to new names and types, and what breaks them there is refused")
  func rules() throws {
    try store.declare(
      RecordTypeDraft(
        name: "Item", fields: try declared(#"{"v":{"type":"string","unique":true,"required":true}}"#)))
    try store.save(#"{"n":"a","v":"1"}"#)
    try store.save(#"{"n":"b","v":"01"}"#)
    // JSON has no number that begins with a zero.
    let lossy = refusal { try change(.init(retyped: [("v", FieldType(.int64))]), acceptsLoss: true) }
    #expect(lossy == .constraintViolation)
    try store.save(#"{"n":"b","v":"1.0"}"#)
    let shared = refusal { try change(.init(retyped: [("v", FieldType(.double))])) }
    #expect(shared == .constraintViolation)
    let report = try change(.init(retyped: [("v", FieldType(.double))]), dryRun: true)
    #expect(report.breaches.map { "\($0.rule) \($0.count)" } == ["unique 2"])
    try store.save(#"{"n":"b","v":"2.5"}"#)
    _ = try change(.init(renamed: [("v", "w")], retyped: [("w", FieldType(.double))]))
    #expect(refusal { try store.save(#"{"n":"c","w":1}"#) } == .constraintViolation)
    #expect(refusal { try store.save(#"{"n":"c"}"#) } == .constraintViolation)
    try store.save(#"{"n":"c","w":7}"#)
  }

  @Test("a type that has too many records, or a record that would be too large, is left as it is")
  func limits() throws {
    var limits = StoreLimits()
    limits.maximumChangedRecords = 2
    limits.maximumRecordBytes = 400
    let store = try TestStore(inMemory: true, limits: limits)
    let list = "[" + (1...80).map { _ in "1" }.joined(separator: ",") + "]"
    try store.save(#"{"n":"a","v":\#(list)}"#)
    try store.save(#"{"n":"b","v":[1]}"#)
    let changes = RecordTypeChanges(retyped: [("v", FieldType(.string, isList: true))])
    #expect(refusal { try store.declare(RecordTypeDraft(name: "Item", changes: changes)) } == .limitExceeded)
    #expect(try store.fetch("b")?.fieldsText == #"{"v":[1]}"#)
    try store.save(#"{"n":"c","v":[1]}"#)
    let renamed = RecordTypeChanges(renamed: [("v", "w")])
    #expect(refusal { try store.declare(RecordTypeDraft(name: "Item", changes: renamed)) } == .limitExceeded)
  }

  @Test("a type goes when it has no records, and may come again as another")
  func deleted() throws {
    try store.save(#"{"n":"a","v":1}"#)
    func delete(_ name: String) throws {
      do { _ = try store.write([.deleteRecordType(name: name)]) } catch { throw error.error }
    }
    #expect(refusal { try delete("Item") } == .constraintViolation)
    #expect(refusal { try delete("None") } == .unknownItem)
    try store.delete("a")
    try delete("Item")
    #expect(refusal { try store.description() } == .unknownItem)
    try store.save(#"{"n":"a","v":"text"}"#)
    #expect(try schema() == "v:string")
    #expect(try store.names() == ["a"])
  }
}
