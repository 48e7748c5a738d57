import JSONRPC
import Testing

@testable import RecordStore
@testable import Records

@Suite struct HistoryTests {
  private func deleted(
    _ store: TestStore, type: String? = nil, zone: String? = nil, limit: Int = 100
  ) throws -> [DeletedRecord] {
    var query = DeletedRecordsQuery(recordType: type, zoneName: zone, resultsLimit: limit)
    var records: [DeletedRecord] = []
    while true {
      let page = try store.reader.deletedRecords(query)
      #expect(page.records.count <= limit)
      records += page.records
      guard let cursor = page.cursor else { return records }
      query.cursor = HistoryCursor(text: cursor.text)
      #expect(query.cursor == cursor)
    }
  }

  private func history(
    _ store: TestStore, _ name: String, limit: Int = 100
  ) throws -> (versions: [RecordVersion], isComplete: Bool) {
    var query = HistoryQuery(recordName: name, resultsLimit: limit)
    var versions: [RecordVersion] = []
    while true {
      let page = try store.reader.history(query)
      #expect(page.versions.count <= limit)
      versions += page.versions
      guard let cursor = page.cursor else { return (versions, page.isComplete) }
      #expect(!page.isComplete)
      query.cursor = HistoryCursor(text: cursor.text)
      #expect(query.cursor == cursor)
    }
  }

  @Test(
    "deleted records are listed, the latest first, in pages of any size, until they are there again",
    arguments: [1, 2, 100])
  func list(limit: Int) throws {
    let time = TestTime()
    let store = try TestStore(inMemory: true, clock: time.clock)
    for name in ["a", "b", "c", "d"] {
      try store.save(#"{"n":"\#(name)","type":"\#(name == "b" ? "Other" : "Item")","v":1}"#)
    }
    try store.save(#"{"n":"e","r":\#(reference("c", "deleteSelf"))}"#)
    for name in ["b", "a", "c", "d"] {
      time.advance(1000)
      try store.delete(name)
    }
    try store.save(#"{"n":"d","v":2}"#)
    let all = try deleted(store, limit: limit)
    #expect(all.map(\.record.recordName) == ["e", "c", "a", "b"])
    #expect(all.map(\.cause?.recordName) == ["c", nil, nil, nil])
    #expect(all.map(\.deleted.timestamp) == [3000, 3000, 2000, 1000].map { 1_796_000_000_000 + $0 })
    #expect(all.allSatisfy { $0.deleted.userRecordName == "_1000" })
    #expect(all[2].record.fieldsText == #"{"v":1}"#)
    #expect(try deleted(store, type: "Other", limit: limit).map(\.record.recordName) == ["b"])
    #expect(refusal { try deleted(store, zone: "none") } == .zoneNotFound)
  }

  @Test("records of a zone that was deleted are listed, too")
  func zones() throws {
    let store = try TestStore(inMemory: true)
    _ = try store.write([.saveZone(zoneName: "z")])
    var draft = try draft(#"{"n":"a","v":1}"#)
    draft.zoneName = "z"
    _ = try store.write([.save(draft, policy: .allKeys)])
    try store.save(#"{"n":"b"}"#)
    _ = try store.write([.deleteZone(DeleteZoneOperation(zoneName: "z"))])
    try store.delete("b")
    #expect(try deleted(store).map(\.record.recordName) == ["b", "a"])
    #expect(try deleted(store, zone: "z").map(\.record.recordName) == ["a"])
    let restoration = RestoreOperation(zoneName: "z", recordName: "a")
    #expect(throws: WriteFailure.self) { try store.write([.restore(restoration)]) }
    _ = try store.write([.saveZone(zoneName: "z"), .restore(restoration)])
    #expect(try store.reader.fetch(recordName: "a", zoneName: "z")?.fieldsText == #"{"v":1}"#)
  }

  @Test("a record's versions are told back to its first, in pages of any size", arguments: [1, 2, 100])
  func versions(limit: Int) throws {
    let store = try TestStore(inMemory: true)
    try store.save(#"{"n":"t"}"#)
    try store.save(#"{"n":"a","v":1}"#)
    try store.save(#"{"n":"a","v":2,"r":\#(reference("t", "setNull"))}"#)
    try store.delete("t")
    try store.delete("a")
    let last = try store.save(#"{"n":"a","v":3}"#)
    let (versions, isComplete) = try history(store, "a", limit: limit)
    #expect(isComplete)
    #expect(versions.map(\.reason) == [.created, .deleted, .updated, .updated, .created])
    #expect(
      versions.map { $0.record?.value(forKey: "v") } == [.int64(3), nil, .int64(2), .int64(2), .int64(1)])
    #expect(versions.map { $0.changedKeys?.sorted() } == [nil, nil, ["r"], ["r", "v"], nil])
    #expect(versions.map(\.cause?.recordName) == [nil, nil, "t", nil, nil])
    #expect(versions[0].record == last)
    try store.delete("a")
    #expect(try history(store, "a", limit: limit).versions.map(\.reason).first == .deleted)
    #expect(refusal { try history(store, "none") } == .unknownItem)
  }

  @Test("where older versions are pruned the oldest kept one is told without what it changed")
  func pruned() throws {
    var limits = StoreLimits()
    limits.maximumHistoryChanges = 2
    let time = TestTime()
    let store = try TestStore(inMemory: true, limits: limits, clock: time.clock)
    for number in 0..<5 {
      try store.save(#"{"n":"a","v":\#(number)}"#)
      time.advance(1000)
    }
    let (versions, isComplete) = try history(store, "a")
    #expect(!isComplete)
    #expect(versions.map(\.reason) == [.updated, .updated, .updated])
    #expect(versions.map(\.changedKeys) == [["v"], ["v"], nil])
    let page = try store.reader.history(HistoryQuery(recordName: "a", resultsLimit: 2))
    for _ in 0..<3 { try store.save(#"{"n":"b"}"#); try store.delete("b") }
    let rest = try store.reader.history(HistoryQuery(recordName: "a", cursor: page.cursor))
    #expect(rest.versions.isEmpty && !rest.isComplete && rest.cursor == nil)
    let left = try history(store, "a")
    #expect(left.versions.count == 1 && !left.isComplete)
  }

  @Test("a page of deletions that are all of no concern ends, and the next one goes on")
  func bounded() throws {
    let store = try TestStore(inMemory: true)
    let count = 2500
    try store.save(#"{"n":"x","type":"Other","v":1}"#)
    try store.delete("x")
    _ = try store.write(try (0..<count).map { .save(try draft(#"{"n":"a\#($0)"}"#), policy: .allKeys) })
    _ = try store.write((0..<count).map { deletion("a\($0)") })
    let page = try store.reader.deletedRecords(DeletedRecordsQuery(recordType: "Other"))
    #expect(page.records.isEmpty && page.cursor != nil)
    #expect(try deleted(store, type: "Other").map(\.record.recordName) == ["x"])
  }
}
