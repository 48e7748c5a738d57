import JSONRPC
import Records
import SQLite
import Testing

@testable import RecordStore

@Suite struct ZoneTests {
  let store: TestStore

  init() throws { store = try TestStore() }

  private func item(_ store: TestStore, _ operation: WriteOperation) throws -> ItemResult {
    do {
      return try store.write([operation]).items[0].get()
    } catch let failure as WriteFailure {
      throw failure.error
    }
  }

  private func make(_ zone: String, in store: TestStore) throws {
    _ = try item(store, .saveZone(zoneName: zone))
  }

  /// How many records went with it.
  @discardableResult
  private func remove(_ zone: String, from store: TestStore, ignoresMissing: Bool = false) throws -> Int {
    let operation = DeleteZoneOperation(zoneName: zone, ignoresMissing: ignoresMissing)
    guard case .deletedZone(_, let count, _) = try item(store, .deleteZone(operation)) else { return -1 }
    return count
  }

  @discardableResult
  private func save(_ json: String, in zone: String, of store: TestStore) throws -> StoredRecord {
    var draft = try draft(json)
    draft.zoneName = zone
    return try store.saved(.save(draft, policy: .allKeys))
  }

  private func names(_ zone: String?, _ predicate: String = "TRUEPREDICATE") throws -> [String] {
    let query = Query(recordType: "Item", zoneName: zone, predicate: try Predicate(parsing: predicate))
    return try #require(try store.reader.query(query, budget: .max)).records.map(\.recordName)
  }

  private func changes(_ store: TestStore, after token: ChangeToken) throws -> ChangeSet {
    let page = try store.reader.changes(after: token, limit: 1000)
    let asked = try #require(
      try store.reader.changes(
        ChangesQuery(since: ChangesCursor(token), resultsLimit: 1000), nanoseconds: .max))
    #expect(asked.changes.map(\.recordName) == page.changeSet.changes.map(\.recordName))
    #expect(asked.deletedZones == page.changeSet.deletedZones)
    #expect(asked.cursor.changeToken == page.changeSet.changeToken)
    return page.changeSet
  }

  private func count(_ sql: String, in store: TestStore) throws -> Int64? {
    try Database(path: store.path, access: .readOnly, busyTimeout: 1000).integer(sql)
  }

  @Test("a zone that was made is there, and the store's position stays")
  func made() throws {
    let token = try store.reader.changeToken
    #expect(refusal { try save(#"{"n":"a"}"#, in: "z", of: store) } == .zoneNotFound)
    try make("z", in: store)
    try make("z", in: store)
    try make("á", in: store)
    #expect(try store.reader.zones() == ["_defaultZone", "z", "á"])
    #expect(try store.reader.changeToken == token)
    try save(#"{"n":"a","v":1}"#, in: "z", of: store)
    try store.save(#"{"n":"a","v":2}"#)
    #expect(try store.reader.fetch(recordName: "a", zoneName: "z")?.fieldsText == #"{"v":1}"#)
    #expect(try names("z", "v > 0") == ["a"] && names(nil).count == 2)
    store.close()
    let again = try TestStore(in: store.folder)
    #expect(try again.reader.zones() == ["_defaultZone", "z", "á"])
  }

  @Test("a zone is deleted with its records, in one commit, and nothing of them stays behind")
  func deleted() throws {
    try make("z", in: store)
    try store.save(#"{"n":"a","v":1,"w":"red"}"#)
    try store.declare(
      RecordTypeDraft(
        name: "Item", fields: [.init(name: "v", uses: [.queryable]), .init(name: "w", uses: [.searchable])]))
    for name in ["a", "b", "c"] {
      try save(
        #"{"n":"\#(name)","v":1,"w":"red","r":{"$reference":{"recordName":"a"}}}"#, in: "z", of: store)
    }
    try store.finishIndexes()
    let token = try store.reader.changeToken
    #expect(try remove("z", from: store) == 3)
    let live = try #require(store.inbox.changeSets.last)
    #expect(live.changes.map(\.recordName) == ["a", "b", "c"] && live.deletedZones == ["z"])
    #expect(live.changes.allSatisfy { $0.zoneName == "z" && $0.before != nil && $0.after == nil })
    let replayed = try changes(store, after: token)
    #expect(replayed.sequence == live.sequence && replayed.deletedZones == ["z"])
    #expect(replayed.changes.map(\.before) == live.changes.map(\.before))
    #expect(try names(nil) == ["a"] && names(nil, "v == 1") == ["a"])
    #expect(try names(nil, "w TOKENMATCHES 'red'") == ["a"])
    #expect(refusal { try names("z") } == .zoneNotFound)
    #expect(refusal { try store.reader.fetch(recordName: "a", zoneName: "z") } == .zoneNotFound)
    #expect(try store.reader.statistics().records == 1)
    #expect(try store.description().numberOfRecords == 1)
    #expect(try count("SELECT count(*) FROM reference WHERE until IS NULL", in: store) == 0)
    #expect(refusal { try remove("z", from: store) } == .zoneNotFound)
    #expect(try remove("z", from: store, ignoresMissing: true) == 0)
    #expect(refusal { try remove("_defaultZone", from: store) } == .invalidArguments)
  }

  @Test("the deletion of an empty zone has a position of its own")
  func empty() throws {
    try make("y", in: store)
    try make("z", in: store)
    let start = try store.reader.changeToken
    try remove("y", from: store)
    let middle = try store.reader.changeToken
    #expect(middle != start)
    #expect(try #require(store.inbox.changeSets.last).deletedZones == ["y"])
    try store.save(#"{"n":"a","v":1}"#)
    try remove("z", from: store)
    let all = try changes(store, after: start)
    #expect(all.deletedZones == ["y", "z"] && all.changes.map(\.recordName) == ["a"])
    #expect(try changes(store, after: middle).deletedZones == ["z"])
    #expect(try changes(store, after: store.reader.changeToken).deletedZones.isEmpty)
  }

  @Test("pages tell each zone once, with the commit of its deletion")
  func pages() throws {
    let start = try store.reader.changeToken
    for zone in ["x", "y", "z"] {
      try make(zone, in: store)
      for number in 0..<3 { try save(#"{"n":"\#(number)","v":1}"#, in: zone, of: store) }
    }
    let middle = try store.reader.changeToken
    for zone in ["x", "y", "z"] { try remove(zone, from: store) }
    var zones: [String] = []
    var query = ChangesQuery(since: ChangesCursor(middle), resultsLimit: 2)
    var seen = 0
    while true {
      let page = try #require(try store.reader.changes(query, nanoseconds: .max))
      zones += page.deletedZones
      seen += page.changes.count
      #expect(seen >= 3 * zones.count)
      guard page.moreComing else { break }
      query.since = page.cursor
    }
    #expect(zones == ["x", "y", "z"] && seen == 9)
    // All of them came and went.
    #expect(try changes(store, after: start).changes.allSatisfy { $0.before == nil && $0.after == nil })
    #expect(try changes(store, after: start).deletedZones == ["x", "y", "z"])
  }

  @Test("a zone made anew is empty, and its old tokens and tags hold")
  func madeAnew() throws {
    try make("z", in: store)
    let old = try save(#"{"n":"a","v":1}"#, in: "z", of: store)
    let token = try store.reader.changeToken
    try remove("z", from: store)
    try make("z", in: store)
    #expect(try names("z").isEmpty)
    #expect(try changes(store, after: token).deletedZones.isEmpty)
    #expect(try changes(store, after: token).changes.map(\.recordName) == ["a"])
    var stale = try draft(#"{"n":"a","t":"\#(old.recordChangeTag)"}"#)
    stale.zoneName = "z"
    #expect(
      refusal { try store.saved(.save(stale, policy: .ifServerRecordUnchanged)) } == .serverRecordChanged)
    let new = try save(#"{"n":"a","v":1}"#, in: "z", of: store)
    #expect(new.recordChangeTag != old.recordChangeTag)
    #expect(try changes(store, after: token).changes.map(\.after) == [nil, new])
    try remove("z", from: store)
    #expect(try changes(store, after: token).deletedZones == ["z"])
  }

  @Test("a deleted zone is forgotten with its deletion, and what is in a zone never")
  func pruned() throws {
    var limits = StoreLimits()
    limits.maximumHistoryChanges = 5
    let store = try TestStore(limits: limits)
    for zone in ["gone", "empty", "back", "kept"] { try make(zone, in: store) }
    for zone in ["gone", "back", "kept"] { try save(#"{"n":"a","v":1}"#, in: zone, of: store) }
    for zone in ["gone", "empty", "back"] { try remove(zone, from: store) }
    try make("back", in: store)
    #expect(try count("SELECT count(*) FROM zone", in: store) == 5)
    for number in 0..<20 { try store.save(#"{"n":"b","v":\#(number)}"#) }
    #expect(try count("SELECT count(*) FROM zone", in: store) == 3)
    #expect(try count("SELECT count(*) FROM record", in: store) == 2)
    #expect(try store.reader.statistics().changes == 5)
    #expect(try store.reader.zones() == ["_defaultZone", "back", "kept"])
    #expect(try store.reader.fetch(recordName: "a", zoneName: "kept") != nil)
    try make("gone", in: store)
    #expect(try store.reader.fetch(recordName: "a", zoneName: "gone") == nil)
  }

  @Test("there are no more zones than the limit, and no zone is deleted with more records than the limit")
  func limits() throws {
    var limits = StoreLimits()
    limits.maximumZones = 2
    limits.maximumDeletedRecords = 2
    let store = try TestStore(inMemory: true, limits: limits)
    try make("z", in: store)
    #expect(refusal { try make("y", in: store) } == .limitExceeded)
    for name in ["a", "b", "c"] { try save(#"{"n":"\#(name)"}"#, in: "z", of: store) }
    #expect(refusal { try remove("z", from: store) } == .limitExceeded)
    #expect(try store.reader.statistics().records == 3)
    try remove("z", from: TestStore(inMemory: true, limits: limits), ignoresMissing: true)
  }
}
