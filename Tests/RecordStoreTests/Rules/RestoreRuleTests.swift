import JSONRPC
import Records
import Testing

@testable import RecordStore

/// Records that come back after more was declared, and after others took their place.
@Suite struct RestoreRuleTests {
  let store: TestStore

  init() throws { store = try TestStore() }

  @Test("a record comes back only with values that today's rules allow; a default is not made up for it")
  func rules() throws {
    let first = try store.save(#"{"n":"a","v":1}"#)
    try store.save(#"{"n":"b","v":2,"u":"x"}"#)
    try store.delete("b")
    try store.save(#"{"n":"a","v":5,"u":"x"}"#)
    try store.declare(
      #"{"v":{"min":3},"u":{"unique":true},"d":{"type":"string","default":"new"}}"#)
    #expect(broken { try store.restore("b") } == "min v")
    #expect(broken { try store.restore("a", tag: first.recordChangeTag) } == "min v")
    try store.declare(#"{"v":{"min":null}}"#)
    #expect(broken { try store.restore("b") } == "unique u a")
    try store.restore("a", tag: first.recordChangeTag)
    #expect(try store.restore("b").fieldsText == #"{"v":2,"u":"x"}"#)
    #expect(try store.problems() == [])
  }

  @Test("of what comes back together, each value that somebody has taken refuses all of it")
  func taken() throws {
    try store.declare(#"{"u":{"type":"string","unique":true},"r":{"type":"reference"}}"#)
    try store.save(#"{"n":"a","u":"1"}"#)
    try store.save(#"{"n":"b","u":"2","r":\#(reference("a", "deleteSelf"))}"#)
    try store.save(#"{"n":"c","u":"3","r":\#(reference("b", "deleteSelf"))}"#)
    try store.delete("a")
    try store.save(#"{"n":"x","u":"3"}"#)
    #expect(broken { try store.restore("a", withCascade: true) } == "unique u x")
    #expect(try store.names() == ["x"])
    // In one request the value may be given up, before or after.
    let restoration = WriteOperation.restore(
      .init(zoneName: Identifier.defaultZone, recordName: "a", withCascade: true))
    _ = try store.write([
      restoration, .save(try draft(#"{"n":"x","u":"4"}"#), policy: .changedKeys),
    ])
    #expect(try store.names() == ["a", "b", "c", "x"])
    #expect(try store.problems() == [])
  }

  @Test("two records may exchange what is unique, also when one of them comes back with it")
  func exchanged() throws {
    try store.declare(#"{"u":{"type":"string","unique":true}}"#)
    let first = try store.save(#"{"n":"a","u":"1"}"#)
    let second = try store.save(#"{"n":"b","u":"2"}"#)
    func save(_ name: String, _ value: String) throws -> WriteOperation {
      .save(try draft(#"{"n":"\#(name)","u":"\#(value)"}"#), policy: .allKeys)
    }
    _ = try store.write([save("a", "2"), save("b", "1")])
    func restore(_ record: StoredRecord) -> WriteOperation {
      .restore(
        .init(
          zoneName: record.zoneName, recordName: record.recordName, recordChangeTag: record.recordChangeTag))
    }
    _ = try store.write([restore(first), restore(second)])
    #expect(try store.fetch("a")?.fieldsText == #"{"u":"1"}"#)
    #expect(throws: WriteFailure.self) { try store.write([save("a", "2"), save("b", "1"), restore(first)]) }
    let apart = try store.write([save("a", "2"), save("b", "1")], atomic: false)
    #expect(apart.items.allSatisfy { (try? $0.get()) == nil })
    _ = try store.write([deletion("a"), save("c", "1"), save("a", "3")])
    #expect(try store.problems() == [])
  }

  @Test("a record comes back when its zone is there again, with what went with it")
  func zone() throws {
    try store.done(.saveZone(zoneName: "z"))
    try store.done(.save(RecordDraft(recordType: "Item", recordName: "a", zoneName: "z"), policy: .allKeys))
    try store.save(#"{"n":"b","r":\#(reference("a", "deleteSelf", zone: "z"))}"#)
    try store.save(#"{"n":"c","r":\#(reference("b", "setNull"))}"#)
    let held = try store.fetch("c")
    try store.done(.deleteZone(.init(zoneName: "z")))
    #expect(broken { try store.restore("a", zone: "z") } == "zoneNotFound")
    try store.done(.saveZone(zoneName: "z"))
    try store.restore("a", withCascade: true, zone: "z")
    #expect(try store.names() == ["a", "b", "c"])
    #expect(try store.fetch("c")?.fieldsText == held?.fieldsText)
    #expect(try store.problems() == [])
  }

  @Test("what was deleted with a record of another zone stays gone while its own zone is gone")
  func zoneOfAnother() throws {
    try store.done(.saveZone(zoneName: "z"))
    try store.save(#"{"n":"a"}"#)
    let draft = RecordDraft(
      recordType: "Item", recordName: "b", zoneName: "z",
      fields: [
        .init(
          name: "r",
          change: .set(
            .reference(
              Reference(recordName: "a", zoneName: Identifier.defaultZone, action: .deleteSelf))))
      ])
    try store.done(.save(draft, policy: .allKeys))
    try store.delete("a")
    try store.done(.deleteZone(.init(zoneName: "z")))
    try store.restore("a", withCascade: true)
    #expect(try store.reader.statistics().records == 1)
    #expect(try store.problems() == [])
  }

  @Test("a record of a type that was deleted makes it anew, of one that was made otherwise it is refused")
  func type() throws {
    let asset = try store.saveAsset("hello")
    try store.save(store.record("a", asset))
    try store.save(#"{"n":"b","type":"List","f":[\#(reference("a", "validate"))]}"#)
    try store.delete("b")
    try store.delete("a")
    try store.done(.deleteRecordType(name: "Item"))
    try store.done(.deleteRecordType(name: "List"))
    #expect(try store.problems() == [])
    #expect(try store.restore("a").fieldsText.contains(asset.checksum))
    try store.restore("b")
    #expect(broken { try store.delete("a") } == "referenceViolation")
    try store.delete("b")
    try store.done(.deleteRecordType(name: "List"))
    try store.save(#"{"n":"x","type":"List","f":1}"#)
    #expect(broken { try store.restore("b") } == "fieldTypeMismatch")
    #expect(try store.problems() == [])
  }
}
