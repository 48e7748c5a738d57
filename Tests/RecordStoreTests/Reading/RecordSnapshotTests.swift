import Records
import Testing

@testable import RecordStore

/// Who changed records last, as a snapshot and the past know it.
struct RecordSnapshotTests {
  private static let zone = Identifier.defaultZone

  private func write(_ operation: WriteOperation, by user: UInt32, to store: TestStore) throws {
    let request = WriteRequest(caller: Caller(userID: user, connection: 7), operations: [operation])
    let result = try store.inbox.write(store.store.submit(request)).get()
    _ = try result.items[0].get()
    store.reader.renew()
  }

  private func save(_ json: String, by user: UInt32, in zone: String = zone, of store: TestStore) throws {
    var draft = try draft(json)
    draft.zoneName = zone
    try write(.save(draft, policy: .allKeys), by: user, to: store)
  }

  @Test("a record that is there was changed by who modified it, one that is gone by who deleted it")
  func now() throws {
    let store = try TestStore(inMemory: true)
    try save(#"{"n":"a"}"#, by: 1, of: store)
    try save(#"{"n":"a","v":1}"#, by: 2, of: store)
    let records = try store.reader.resolver
    #expect(records.lastOrigin(ofRecord: "a", inZone: Self.zone) == Caller(userID: 2, connection: 0))
    #expect(records.deletion(ofRecord: "a", inZone: Self.zone) == nil)
    try write(deletion("a"), by: 3, to: store)
    #expect(try store.reader.resolver.lastOrigin(ofRecord: "a", inZone: Self.zone)?.userID == 3)
    try save(#"{"n":"a","type":"Other"}"#, by: 4, of: store)
    #expect(try store.reader.resolver.lastOrigin(ofRecord: "a", inZone: Self.zone)?.userID == 4)
  }

  @Test("of a record that never was, and in a zone that never was, nobody is told")
  func nothing() throws {
    let store = try TestStore(inMemory: true)
    for records in [try store.reader.resolver, try store.reader.pastRecords(at: 0)] {
      #expect(records.lastOrigin(ofRecord: "a", inZone: Self.zone) == nil)
      #expect(records.lastOrigin(ofRecord: "a", inZone: "z") == nil)
    }
  }

  @Test("the past knows who had deleted a record by then, also where it is there again")
  func past() throws {
    let store = try TestStore(inMemory: true)
    try save(#"{"n":"a"}"#, by: 1, of: store)
    let saved = try store.reader.sequence
    try write(deletion("a"), by: 2, to: store)
    let deleted = try store.reader.sequence
    #expect(
      try store.reader.pastRecords(at: deleted).deletion(ofRecord: "a", inZone: Self.zone)?.origin.userID == 2
    )
    try save(#"{"n":"a"}"#, by: 3, of: store)
    try write(deletion("a"), by: 4, to: store)
    let origins = try [saved - 1, saved, deleted, deleted + 1, deleted + 2].map {
      try store.reader.pastRecords(at: $0).lastOrigin(ofRecord: "a", inZone: Self.zone)?.userID
    }
    #expect(origins == [nil, 1, 2, 3, 4])
    #expect(try store.reader.pastRecords(at: saved).deletion(ofRecord: "a", inZone: Self.zone) == nil)
  }

  @Test("the records of a deleted zone were deleted by who deleted the zone")
  func zone() throws {
    let store = try TestStore(inMemory: true)
    try write(.saveZone(zoneName: "z"), by: 1, to: store)
    try save(#"{"n":"a"}"#, by: 1, in: "z", of: store)
    try write(.deleteZone(DeleteZoneOperation(zoneName: "z", ignoresMissing: false)), by: 2, to: store)
    let sequence = try store.reader.sequence
    #expect(try store.reader.resolver.lastOrigin(ofRecord: "a", inZone: "z")?.userID == 2)
    #expect(
      try store.reader.pastRecords(at: sequence).lastOrigin(ofRecord: "a", inZone: "z")?.userID == 2)
  }

  @Test("who deleted a record is forgotten with the deletion, who modified one never")
  func pruned() throws {
    var limits = StoreLimits()
    limits.maximumHistoryChanges = 2
    let store = try TestStore(inMemory: true, limits: limits)
    for name in ["a", "b"] { try save(#"{"n":"\#(name)"}"#, by: 1, of: store) }
    try write(deletion("a"), by: 2, to: store)
    #expect(try store.reader.resolver.lastOrigin(ofRecord: "a", inZone: Self.zone)?.userID == 2)
    for number in 0..<3 { try save(#"{"n":"c","v":\#(number)}"#, by: 3, of: store) }
    #expect(try store.reader.resolver.lastOrigin(ofRecord: "a", inZone: Self.zone) == nil)
    #expect(try store.reader.resolver.lastOrigin(ofRecord: "b", inZone: Self.zone)?.userID == 1)
  }
}
