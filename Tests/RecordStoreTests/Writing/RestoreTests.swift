import JSONRPC
import Testing

@testable import RecordStore
@testable import Records

@Suite struct RestoreTests {
  @discardableResult
  private func restore(
    _ name: String, tag: String? = nil, withCascade: Bool = false, in store: TestStore
  ) throws -> (record: StoredRecord, count: Int) {
    let operation = RestoreOperation(
      zoneName: Identifier.defaultZone, recordName: name, recordChangeTag: tag, withCascade: withCascade)
    do throws(WriteFailure) {
      let result = try store.write([.restore(operation)])
      guard case .success(.restored(let record, let count)) = result.items[0] else {
        fatalError("not restored")
      }
      return (record, count)
    } catch {
      throw error.error
    }
  }

  @Test("a deleted record comes back as it was, with its creation, a new tag, and who brought it back")
  func deleted() throws {
    let time = TestTime()
    let store = try TestStore(inMemory: true, clock: time.clock)
    let made = try store.save(#"{"n":"a","z":1,"y":[true],"x":"t"}"#)
    time.advance(5000)
    try store.delete("a")
    time.advance(5000)
    let restored = try restore("a", in: store).record
    #expect(restored.fieldsText == made.fieldsText)
    #expect(restored.created == made.created)
    #expect(restored.modified.timestamp == made.modified.timestamp + 10_000)
    #expect(restored.recordChangeTag != made.recordChangeTag)
    #expect(try store.fetch("a") == restored)
    #expect(store.inbox.changeSets.last?.changes.first?.before == nil)
    #expect(try store.names("z = 1") == ["a"])
  }

  @Test("a record that is there is only restored to a version that is named")
  func versions() throws {
    let store = try TestStore(inMemory: true)
    let first = try store.save(#"{"n":"a","v":1}"#)
    let second = try store.save(#"{"n":"a","v":2,"w":1}"#)
    #expect(refusal { try restore("a", in: store) } == .serverRecordChanged)
    #expect(try restore("a", tag: first.recordChangeTag, in: store).record.fieldsText == #"{"v":1}"#)
    // To what it is already.
    let current = try #require(try store.fetch("a"))
    #expect(try restore("a", tag: current.recordChangeTag, in: store).record == current)
    try store.delete("a")
    #expect(try restore("a", tag: second.recordChangeTag, in: store).record.fieldsText == #"{"v":2,"w":1}"#)
    #expect(refusal { try restore("a", tag: "zz-0", in: store) } == .unknownItem)
    #expect(refusal { try restore("a", tag: "nonsense", in: store) } == .unknownItem)
    #expect(refusal { try restore("none", in: store) } == .unknownItem)
  }

  @Test("the rules of today hold: types, and references to be validated")
  func rules() throws {
    let store = try TestStore(inMemory: true)
    try store.save(#"{"n":"t","v":1}"#)
    try store.save(#"{"n":"a","r":\#(reference("t", "validate"))}"#)
    _ = try store.write([deletion("a"), deletion("t")])
    #expect(refusal { try restore("a", in: store) } == .referenceViolation)
    try restore("t", in: store)
    try restore("a", in: store)
    #expect(refusal { try store.delete("t") } == .referenceViolation)
  }

  @Test("what went with a record comes back with it: records, and references that were taken out")
  func cascade() throws {
    let store = try TestStore(inMemory: true)
    let records = [
      #"{"n":"a","r":\#(reference("c", "deleteSelf"))}"#,
      #"{"n":"b","r":\#(reference("a", "deleteSelf")),"q":\#(reference("a", "none"))}"#,
      #"{"n":"c","r":\#(reference("b", "deleteSelf"))}"#,
      #"{"n":"d","v":1,"r":\#(reference("c", "setNull"))}"#,
      #"{"n":"e","l":[\#(reference("b", "setNull")),\#(reference("a", "setNull")),\#(reference("f", "setNull"))]}"#,
      #"{"n":"f","l":[\#(reference("c", "setNull"))],"r":\#(reference("b", "setNull"))}"#,
      #"{"n":"g","r":\#(reference("b", "deleteSelf"))}"#,
      #"{"n":"h","r":\#(reference("h", "validate"))}"#,
    ]
    for record in records { try store.save(record) }
    let before = try "abcdefgh".map { try #require(try store.fetch(String($0))) }
    try store.delete("a")
    #expect(try store.reader.statistics().records == 4)
    // Somebody went on meanwhile.
    try store.save(#"{"n":"g","v":2}"#)
    try store.save(#"{"n":"f","r":\#(reference("h", "setNull"))}"#, policy: .changedKeys)
    let (_, count) = try restore("a", withCascade: true, in: store)
    #expect(count == 2)
    for record in before where !["f", "g"].contains(record.recordName) {
      #expect(
        try store.fetch(record.recordName)?.fields.map(\.name).sorted() == record.fields.map(\.name).sorted())
      #expect(try store.fetch(record.recordName)?.values == record.values, "\(record.recordName)")
      #expect(try store.fetch(record.recordName)?.created == record.created)
    }
    #expect(try store.fetch("g")?.fieldsText == #"{"v":2}"#)
    let f = try #require(try store.fetch("f"))
    #expect(f.values["l"] == before[5].values["l"])
    #expect(f.values["r"] != before[5].values["r"])
    #expect(store.inbox.changeSets.last?.changes.allSatisfy { $0.cause == nil } == true)
  }

  @Test("without being asked for what went with it, only the record comes back")
  func alone() throws {
    let store = try TestStore(inMemory: true)
    try store.save(#"{"n":"a"}"#)
    try store.save(#"{"n":"b","r":\#(reference("a", "deleteSelf"))}"#)
    try store.delete("a")
    #expect(try restore("a", in: store).count == 0)
    #expect(try store.fetch("b") == nil)
    #expect(try restore("b", in: store).record.fieldsText.contains("deleteSelf"))
  }

  @Test("when one of what comes back may not, nothing comes back")
  func undone() throws {
    let store = try TestStore(inMemory: true)
    try store.save(#"{"n":"t"}"#)
    try store.save(#"{"n":"a"}"#)
    try store.save(
      #"{"n":"b","r":\#(reference("a", "deleteSelf")),"q":\#(reference("t", "validate"))}"#)
    try store.delete("a")
    try store.delete("t")
    #expect(refusal { try restore("a", withCascade: true, in: store) } == .referenceViolation)
    #expect(try store.reader.statistics().records == 0)
    try restore("a", in: store)
  }

  @Test("what is no longer kept can't be restored")
  func pruned() throws {
    var limits = StoreLimits()
    limits.maximumHistoryChanges = 2
    let store = try TestStore(inMemory: true, limits: limits)
    let tag = try store.save(#"{"n":"a","v":1}"#).recordChangeTag
    try store.save(#"{"n":"a","v":2}"#)
    try store.delete("a")
    for number in 0..<3 { try store.save(#"{"n":"b","v":\#(number)}"#) }
    #expect(refusal { try restore("a", in: store) } == .unknownItem)
    #expect(refusal { try restore("a", tag: tag, in: store) } == .unknownItem)
  }
}
