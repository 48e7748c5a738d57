import JSONRPC
import Testing

@testable import RecordStore
@testable import Records

/// JSON of a reference.
func reference(_ name: String, _ action: String, zone: String? = nil) -> String {
  let zone = zone.map { #","zoneName":"\#($0)""# } ?? ""
  return #"{"$reference":{"recordName":"\#(name)"\#(zone),"action":"\#(action)"}}"#
}

@Suite struct CascadeTests {
  private func failure(_ store: TestStore, _ operations: [WriteOperation]) -> WriteFailure? {
    do throws(WriteFailure) {
      _ = try store.write(operations)
      return nil
    } catch {
      return error
    }
  }

  /// What the last commit told: names, with `>` and the cause behind them; `-` before what is gone.
  private func told(_ store: TestStore) -> [String] {
    (store.inbox.changeSets.last?.changes ?? []).map { change in
      (change.after == nil ? "-" : "") + change.recordName + (change.cause.map { ">\($0.recordName)" } ?? "")
    }
  }

  @Test("records that refer to each other in a ring go together, each told once, the nearer ones first")
  func ring() throws {
    let store = try TestStore(inMemory: true)
    for (name, target) in [("a", "c"), ("b", "a"), ("c", "b"), ("d", "d")] {
      try store.save(#"{"n":"\#(name)","r":\#(reference(target, "deleteSelf"))}"#)
    }
    try store.delete("a")
    #expect(told(store) == ["-a", "-b>a", "-c>b"])
    try store.delete("d")
    #expect(told(store) == ["-d"])
    #expect(try store.reader.statistics().records == 0)
  }

  @Test("a list loses the elements that refer to what is gone, and the field goes with the last one")
  func lists() throws {
    let store = try TestStore(inMemory: true)
    for name in ["a", "b"] { try store.save(#"{"n":"\#(name)"}"#) }
    try store.save(
      #"{"n":"l","l":[\#(reference("a", "setNull")),\#(reference("a", "none")),\#(reference("b", "setNull")),\#(reference("a", "setNull"))]}"#
    )
    let tag = try store.save(#"{"n":"m","v":1,"l":[\#(reference("a", "setNull"))]}"#).recordChangeTag
    try store.delete("a")
    #expect(told(store) == ["-a", "l>a", "m>a"])
    #expect(
      try store.fetch("l")?.fieldsText
        == #"{"l":[{"$reference":{"recordName":"a"}},{"$reference":{"recordName":"b","action":"setNull"}}]}"#)
    #expect(try store.fetch("m")?.fieldsText == #"{"v":1}"#)
    #expect(try store.fetch("m")?.recordChangeTag != tag)
  }

  @Test("references from another zone act, those to the same name in another zone don't")
  func zones() throws {
    let store = try TestStore(inMemory: true)
    _ = try store.write([.saveZone(zoneName: "z")])
    func inZone(_ json: String) throws -> WriteOperation {
      var draft = try draft(json)
      draft.zoneName = "z"
      return .save(draft, policy: .allKeys)
    }
    try store.save(#"{"n":"a"}"#)
    _ = try store.write([try inZone(#"{"n":"a"}"#)])
    try store.save(#"{"n":"b","r":\#(reference("a", "deleteSelf"))}"#)
    _ = try store.write([try inZone(#"{"n":"c","r":\#(reference("a", "deleteSelf", zone: "_defaultZone"))}"#)]
    )
    _ = try store.write([try inZone(#"{"n":"d","r":\#(reference("a", "restrict"))}"#)])
    try store.save(#"{"n":"e","r":\#(reference("c", "deleteSelf", zone: "z"))}"#)
    let result = try store.write([.deleteZone(DeleteZoneOperation(zoneName: "z"))])
    guard case .deletedZone(_, let records, let cascaded) = try result.items[0].get() else {
      Issue.record("no deletion")
      return
    }
    #expect((records, cascaded) == (3, 1))
    #expect(told(store) == ["-a", "-c", "-d", "-e>c"])
    #expect(try store.fetch("b") != nil)
  }

  @Test("a refusal names the first records that hold it, and counts all; nothing is done")
  func refusals() throws {
    let store = try TestStore(inMemory: true)
    try store.save(#"{"n":"a"}"#)
    try store.save(#"{"n":"b","r":\#(reference("a", "deleteSelf"))}"#)
    for number in 10..<22 {
      try store.save(#"{"n":"r\#(number)","type":"Other","why":\#(reference("b", "restrict"))}"#)
    }
    let commits = store.inbox.changeSets.count
    let error = try #require(failure(store, [deletion("a")])).error
    #expect(error.code == .referenceViolation)
    #expect(error.detail("numberOfReferrers")?.int64Value == 12)
    let referrers = Array(error.detail("referrers")?.elements ?? JSON(unchecked: Array("[]".utf8)).elements)
    #expect(referrers.count == 10)
    #expect(
      referrers.first?.text
        == #"{"recordName":"r10","zoneName":"_defaultZone","recordType":"Other","field":"why","target":{"recordName":"b","zoneName":"_defaultZone"}}"#
    )
    #expect(store.inbox.changeSets.count == commits)
    #expect(try store.reader.statistics().records == 14)
  }

  @Test("what is in the way may go in the same request, before or after; the error stands at the deletion")
  func order() throws {
    let store = try TestStore(inMemory: true)
    func setUp() throws {
      try store.save(#"{"n":"a"}"#)
      try store.save(#"{"n":"b","r":\#(reference("a", "restrict"))}"#)
    }
    for operations in [[deletion("a"), deletion("b")], [deletion("b"), deletion("a")]] {
      try setUp()
      _ = try store.write(operations)
      #expect(try store.reader.statistics().records == 0)
    }
    try setUp()
    let save = WriteOperation.save(try draft(#"{"n":"c","v":1}"#), policy: .allKeys)
    let refused = try #require(failure(store, [save, deletion("a"), save]))
    #expect(refused.items.map(\.code) == [.batchRequestFailed, .referenceViolation, .batchRequestFailed])
    #expect(try store.fetch("c") == nil)
    // Deleted and made anew, it is there.
    _ = try store.write([deletion("a"), .save(try draft(#"{"n":"a","v":2}"#), policy: .allKeys)])
    #expect(told(store) == ["-a", "a"])
    // Each for itself, the deletion comes too early.
    let result = try store.write([deletion("a"), deletion("b"), deletion("a")], atomic: false)
    #expect(result.items.map { (try? $0.get()) != nil } == [false, true, true])
  }

  @Test("a holding reference that becomes a weaker one behind the deletion acts as that")
  func weakened() throws {
    let store = try TestStore(inMemory: true)
    func setUp() throws {
      try store.save(#"{"n":"a"}"#)
      try store.save(#"{"n":"b","r":\#(reference("a", "restrict"))}"#)
      try store.save(#"{"n":"c","r":\#(reference("b", "deleteSelf"))}"#)
    }
    try setUp()
    let result = try store.write([
      deletion("a"), .save(try draft(#"{"n":"b","r":\#(reference("a", "deleteSelf"))}"#), policy: .allKeys),
    ])
    guard case .deleted(_, _, _, let count) = try result.items[0].get() else { fatalError("no deletion") }
    #expect(count == 2)
    #expect(told(store) == ["-a", "-b>a", "-c>b"])
    try setUp()
    _ = try store.write([
      deletion("a"),
      .save(try draft(#"{"n":"b","v":1,"r":\#(reference("a", "setNull"))}"#), policy: .allKeys),
    ])
    #expect(told(store) == ["-a", "b>a"])
    #expect(try store.fetch("b")?.fieldsText == #"{"v":1}"#)
  }

  @Test("a record changed by a cascade and then deleted is told as deleted, with what it was before")
  func changedThenDeleted() throws {
    let store = try TestStore(inMemory: true)
    try store.save(#"{"n":"a"}"#)
    let before = try store.save(#"{"n":"b","r":\#(reference("a", "setNull"))}"#)
    _ = try store.write([deletion("a"), deletion("b")])
    #expect(told(store) == ["-a", "-b"])
    #expect(store.inbox.changeSets.last?.changes.last?.before == before)
  }

  @Test("a record that a cascade deleted can be made anew in the same request")
  func deletedThenMade() throws {
    let store = try TestStore(inMemory: true)
    try store.save(#"{"n":"a"}"#)
    try store.save(#"{"n":"b","r":\#(reference("a", "deleteSelf"))}"#)
    let token = try store.reader.changeToken
    let create = SaveOperation(
      try draft(#"{"n":"b","v":2}"#), fields: .replace, tagCheck: .ignored, existence: .mustNotExist)
    _ = try store.write([deletion("a"), .save(create)])
    #expect(told(store) == ["-a", "-b>a", "b"])
    let replayed = try store.reader.changes(after: token, limit: 10).changeSet.changes
    #expect(replayed.map(\.cause?.recordName) == [nil, "a", nil])
  }

  @Test("a reference to be validated needs its record at the end of the request; its own counts")
  func validation() throws {
    let store = try TestStore(inMemory: true)
    let dangling = WriteOperation.save(
      try draft(#"{"n":"b","r":\#(reference("a", "validate"))}"#), policy: .allKeys)
    let error = try #require(failure(store, [dangling])).error
    #expect(error.code == .referenceViolation && error.detail("field")?.stringValue == "r")
    #expect(error.detail("target")?["recordName"]?.stringValue == "a")
    try store.save(#"{"n":"self","r":\#(reference("self", "validate"))}"#)
    let other = WriteOperation.save(try draft(#"{"n":"x","v":1}"#), policy: .allKeys)
    #expect(failure(store, [other, dangling, other])?.items[1].code == .referenceViolation)
    #expect(
      failure(store, [dangling, .save(try draft(#"{"n":"a"}"#), policy: .allKeys)]) == nil)
    // The deletion is at fault where the reference is from before, the save where it comes behind.
    #expect(
      failure(store, [other, deletion("a")])?.items.map(\.code) == [.batchRequestFailed, .referenceViolation])
    #expect(
      failure(store, [dangling, deletion("a")])?.items.map(\.code) == [
        .batchRequestFailed, .referenceViolation,
      ])
    try store.delete("b")
    #expect(
      failure(store, [deletion("a"), dangling])?.items.map(\.code) == [
        .batchRequestFailed, .referenceViolation,
      ])
  }

  @Test("more than may be deleted at once is refused, and nothing is done")
  func limit() throws {
    var limits = StoreLimits()
    limits.maximumDeletedRecords = 5
    let store = try TestStore(inMemory: true, limits: limits)
    try store.save(#"{"n":"a"}"#)
    for number in 0..<5 { try store.save(#"{"n":"b\#(number)","r":\#(reference("a", "deleteSelf"))}"#) }
    let error = try #require(failure(store, [deletion("a")])).error
    #expect(error.code == .limitExceeded)
    #expect(error.detail("limitName")?.stringValue == "maximumDeletedRecords")
    #expect(try store.reader.statistics().records == 6)
    try store.delete("b0")
    try store.delete("a")
    #expect(try store.reader.statistics().records == 0)
  }

  @Test("cascades are the same where no log is kept, and replays begin behind them")
  func withoutHistory() throws {
    var limits = StoreLimits()
    limits.maximumHistoryChanges = 0
    let store = try TestStore(inMemory: true, limits: limits)
    try store.save(#"{"n":"a"}"#)
    try store.save(#"{"n":"b","r":\#(reference("a", "deleteSelf"))}"#)
    try store.save(#"{"n":"c","v":1,"r":\#(reference("b", "setNull"))}"#)
    try store.delete("a")
    #expect(told(store) == ["-a", "-b>a", "c>b"])
    #expect(try store.fetch("c")?.fieldsText == #"{"v":1}"#)
    try store.delete("c")
    #expect(try store.reader.statistics().records == 0)
  }

  @Test("a hundred thousand records go with the one that they refer to, in one commit")
  func many() throws {
    let store = try TestStore(inMemory: true)
    try store.save(#"{"n":"a"}"#)
    for start in stride(from: 0, to: 100_000, by: 10_000) {
      let operations = try (start..<start + 10_000).map { number in
        WriteOperation.save(
          try draft(#"{"n":"b\#(number)","r":\#(reference("a", "deleteSelf"))}"#), policy: .allKeys)
      }
      _ = try store.write(operations)
    }
    let token = try store.reader.changeToken
    let result = try store.write([deletion("a")])
    guard case .deleted(_, _, _, let count) = try result.items[0].get() else { fatalError("no deletion") }
    #expect(count == 100_000)
    #expect(store.inbox.changeSets.last?.changes.count == 100_001)
    #expect(try store.reader.statistics().records == 0)
    let page = try store.reader.changes(after: token, limit: 10).changeSet.changes
    #expect(page.count == 100_001 && page[1...].allSatisfy { $0.cause?.recordName == "a" })
  }
}
