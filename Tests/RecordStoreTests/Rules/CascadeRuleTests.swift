import JSONRPC
import Records
import Testing

@testable import RecordStore

/// What deletions take out of records that rules are declared for.
@Suite struct CascadeRuleTests {
  let store: TestStore

  init() throws { store = try TestStore() }

  private func delete(_ names: String...) -> [WriteOperation] { names.map { deletion($0) } }

  @Test("a reference that must not be missing keeps its record, whose holder is named; nothing is done")
  func required() throws {
    try store.declare(#"{"r":{"type":"reference","required":true}}"#)
    try store.declare(#"{"l":{"type":"list<reference>","required":true}}"#, type: "List")
    for name in ["x", "y"] { try store.save(#"{"n":"\#(name)","type":"Other"}"#) }
    try store.save(#"{"n":"a","r":\#(reference("x", "setNull"))}"#)
    let both = "\(reference("x", "setNull")),\(reference("y", "setNull"))"
    try store.save(#"{"n":"b","type":"List","l":[\#(both)]}"#)
    let token = try store.reader.changeToken
    #expect(broken { try store.delete("x") } == "required r a")
    #expect(try store.reader.changeToken == token)
    // One of two may go, the last one not.
    try store.delete("y")
    #expect(try store.fetch("b")?.fieldsText == #"{"l":[\#(reference("x", "setNull"))]}"#)
    try store.delete("a")
    #expect(broken { try store.delete("x") } == "required l b")
    #expect(try store.problems() == [])
  }

  @Test("so does one that a deletion leads to over others, and one in a zone that is deleted")
  func far() throws {
    try store.declare(#"{"r":{"type":"reference","required":true}}"#)
    try store.done(.saveZone(zoneName: "z"))
    try store.done(
      .save(RecordDraft(recordType: "Other", recordName: "x", zoneName: "z"), policy: .allKeys))
    try store.save(
      #"{"n":"y","type":"Other","r":\#(reference("x", "deleteSelf", zone: "z"))}"#)
    try store.save(#"{"n":"a","r":\#(reference("y", "setNull"))}"#)
    let zone = WriteOperation.deleteZone(.init(zoneName: "z"))
    #expect(broken { try store.done(zone) } == "required r a")
    let alone = WriteOperation.delete(.init(zoneName: "z", recordName: "x"))
    #expect(broken { try store.done(alone) } == "required r a")
    #expect(try store.reader.statistics().records == 3)
    let result = try store.write([zone, deletion("a"), zone], atomic: false)
    #expect(result.items.map { (try? $0.get()) == nil } == [true, false, false])
    #expect(try store.reader.statistics().records == 0)
    #expect(try store.problems() == [])
  }

  @Test("a list that loses references may not become one that another record has")
  func unique() throws {
    try store.declare(#"{"l":{"type":"list<reference>","unique":true}}"#)
    for name in ["x", "y", "z"] { try store.save(#"{"n":"\#(name)","type":"Other"}"#) }
    try store.save(#"{"n":"a","l":[\#(reference("x", "setNull"))]}"#)
    try store.save(#"{"n":"b","l":[\#(reference("x", "setNull")),\#(reference("y", "setNull"))]}"#)
    let token = try store.reader.changeToken
    #expect(broken { try store.delete("y") } == "unique l a")
    #expect(try store.reader.changeToken == token)
    #expect(throws: WriteFailure.self) { try store.write(delete("z", "y")) }
    let mixed = try store.write(delete("z", "y"), atomic: false)
    #expect(mixed.items.map { (try? $0.get()) == nil } == [false, true])
    // Two that become equal by the same deletion.
    try store.delete("a")
    try store.save(#"{"n":"c","l":[\#(reference("x", "setNull")),\#(reference("v", "setNull"))]}"#)
    try store.done(.saveZone(zoneName: "z"))
    try store.delete("y")
    try store.save(#"{"n":"b","l":[\#(reference("x", "setNull")),\#(reference("w", "deleteSelf"))]}"#)
    #expect(try store.fetch("b") != nil)
    // Null is not unique.
    try store.delete("b")
    try store.delete("c")
    try store.save(#"{"n":"d","l":[\#(reference("x", "setNull"))]}"#)
    try store.save(#"{"n":"e","l":[\#(reference("x", "setNull")),\#(reference("x", "setNull"))]}"#)
    try store.delete("x")
    #expect(try store.fetch("d")?.fieldsText == "{}")
    #expect(try store.problems() == [])
  }

  @Test("two lists that one deletion makes the same")
  func twins() throws {
    try store.declare(#"{"l":{"type":"list<reference>","unique":true}}"#)
    try store.done(.saveZone(zoneName: "z"))
    for name in ["y", "z"] {
      try store.done(
        .save(RecordDraft(recordType: "Other", recordName: name, zoneName: "z"), policy: .allKeys))
    }
    for (name, other) in [("a", "y"), ("b", "z")] {
      try store.save(
        #"{"n":"\#(name)","l":[\#(reference("x", "none")),\#(reference(other, "setNull", zone: "z"))]}"#)
    }
    #expect(broken { try store.done(.deleteZone(.init(zoneName: "z"))) }?.hasPrefix("unique l") == true)
    #expect(try store.reader.statistics().records == 4)
    #expect(try store.problems() == [])
  }
}
