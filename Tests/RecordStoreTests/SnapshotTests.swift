import JSONRPC
import Records
import Testing

@testable import RecordStore

@Suite struct SnapshotTests {
  let store: TestStore

  init() throws { store = try TestStore() }

  @Test("a reader sees one moment until it is renewed")
  func stable() throws {
    try store.save(#"{"n":"a","v":1}"#)
    let reader = store.store.makeReader()
    let token = try reader.changeToken
    try store.save(#"{"n":"a","v":2,"new":1}"#)
    try store.save(#"{"n":"b","type":"New","v":2}"#)
    #expect(try reader.fetch(recordName: "a")?.fieldsText == #"{"v":1}"#)
    #expect(try reader.changeToken == token)
    reader.renew()
    #expect(try reader.fetch(recordName: "a")?.fieldsText == #"{"v":2,"new":1}"#)
    #expect(
      try reader.query(Query(recordType: "New", predicate: .everything), budget: 10)?.records.count == 1)
    #expect(try reader.changeToken == store.reader.changeToken)
  }

  @Test("statistics count what is there")
  func statistics() throws {
    var bytes: Int64 = 0
    for number in 0..<10 { bytes += Int64(try store.save(#"{"n":"\#(number)","v":1}"#).body.bytes.count) }
    #expect(
      try store.reader.statistics()
        == StoreStatistics(records: 10, recordBytes: bytes, changes: 10, sequence: 10))
    for number in 0..<10 { try store.delete("\(number)") }
    #expect(
      try store.reader.statistics() == StoreStatistics(records: 0, recordBytes: 0, changes: 20, sequence: 20))
  }

  @Test("a reader that is renewed with each group lets the log be used again from its start")
  func logRestarts() throws {
    var limits = StoreLimits()
    limits.checkpointPages = 20
    let store = try TestStore(limits: limits)
    let text = String(repeating: "x", count: 3000)
    for number in 0..<200 { try store.save(#"{"n":"a","v":"\#(text)\#(number)"}"#) }
    // Each save logs about three pages: without restarts 600 pages.
    #expect(File.read(store.path + "-wal").count < 300 * 4096)
    #expect(try store.fetch("a")?.value(forKey: "v") == .string(text + "199"))
  }

  @Test("a long read is answered from a snapshot that has what was told before")
  func longRead() throws {
    for number in 0..<100 { try store.save(#"{"n":"\#(number)","v":\#(number)}"#) }
    let query = Query(recordType: "Item", predicate: try Predicate(parsing: "v >= 50"), resultsLimit: 10)
    #expect(try store.reader.query(query, budget: 20) == nil)
    #expect(try store.reader.count(query, budget: 20) == nil)
    guard case .query(let result) = try store.inbox.read(store.store.submit(.query(query))),
      case .count(let count) = try store.inbox.read(store.store.submit(.count(query)))
    else {
      Issue.record("other outcomes")
      return
    }
    #expect(result.records.count == 10 && result.cursor != nil)
    #expect(count.count == 50)
    #expect(try result.changeToken == store.reader.changeToken)
  }

  @Test("a long read that takes too long is given up and says so")
  func longReadEnds() throws {
    var limits = StoreLimits()
    limits.maximumQuerySeconds = 0
    let store = try TestStore(limits: limits)
    for number in 0..<100 { try store.save(#"{"n":"\#(number)","v":\#(number)}"#) }
    let query = Query(recordType: "Item", predicate: try Predicate(parsing: "v >= 50"))
    let error = #expect(throws: RecordError.self) { try store.inbox.read(store.store.submit(.query(query))) }
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("0 seconds") == true)
  }

  @Test("a record that is costly to look at is left to the long reads, which are answered")
  func costlyRecord() throws {
    try store.save(#"{"n":"a","v":"\#(String(repeating: "x", count: 300_000))"}"#)
    let query = Query(
      recordType: "Item", predicate: try Predicate(parsing: "v CONTAINS 'y' OR v CONTAINS 'xx'"))
    #expect(try store.reader.query(query, budget: 1000, nanoseconds: 1 << 40) == nil)
    guard case .query(let result) = try store.inbox.read(store.store.submit(.query(query))) else {
      Issue.record("another outcome")
      return
    }
    #expect(result.records.count == 1)
  }
}
