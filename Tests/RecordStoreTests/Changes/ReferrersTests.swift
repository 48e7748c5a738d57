import Testing

@testable import RecordStore
@testable import Records

@Suite struct ReferrersTests {
  /// What the reader finds, compared with what must be.
  @discardableResult
  private func check(
    _ records: ReferringRecords, _ changeSet: ChangeSet, since start: Int, hops: Int, type: String?
  ) throws -> Int {
    let end = Int(changeSet.sequence)
    let changed = Set(changeSet.changes.map(\.place))
    let found = try records.store.reader.referrers(
      of: changeSet, since: Int64(start), hops: hops, recordType: type, limit: 1000)
    let expected = records.referrers(of: changed, from: start, to: end, hops: hops, type: type)
    #expect(Set(found.map(\.place)) == expected, "\(start) to \(end), \(hops) hops")
    #expect(found.count == expected.count)
    for change in found {
      #expect(change.before == records.states[start][change.place])
      #expect(change.after == records.states[end][change.place] && change.before == change.after)
      #expect(change.recordType == change.after?.recordType)
    }
    return found.count
  }

  @Test(
    "those that refer to what a commit changed are found, at once and when the store has gone on",
    arguments: 0..<6 as Range<UInt64>)
  func commits(seed: UInt64) throws {
    var records = try ReferringRecords(seed: seed)
    for _ in 0..<60 {
      let known = records.states.count
      try records.write()
      for changeSet in records.store.inbox.changeSets where changeSet.sequence >= known {
        let hops = Int.random(in: 1...4, using: &records.generator)
        try check(records, changeSet, since: Int(changeSet.sequence) - 1, hops: hops, type: nil)
      }
    }
    var found = 0
    for changeSet in records.store.inbox.changeSets {
      for hops in [0, 1, 2, 8] {
        for type in ["Item", nil] {
          found += try check(
            records, changeSet, since: Int(changeSet.sequence) - 1, hops: hops, type: type)
        }
      }
    }
    #expect(found > 100)
  }

  @Test("records are found as they were at every commit", arguments: 0..<3 as Range<UInt64>)
  func past(seed: UInt64) throws {
    var records = try ReferringRecords(seed: seed)
    for _ in 0..<100 { try records.write() }
    let places = Set(records.states.flatMap(\.keys))
    for _ in 0..<2 {
      for (sequence, state) in records.states.enumerated().shuffled(using: &records.generator) {
        let past = try records.store.reader.pastRecords(at: Int64(sequence))
        for place in places {
          #expect(past.record(named: place.name, inZone: place.zone) == state[place])
        }
        #expect(past.record(named: "a", inZone: "none") == nil)
        try past.check()
        if Int.random(in: 0..<10, using: &records.generator) == 0 { records.store.reader.renew() }
      }
      for _ in 0..<20 { try records.write() }
    }
  }

  private func reference(_ name: String) -> String { #"{"$reference":{"recordName":"\#(name)"}}"# }

  /// A chain of three that refer to `x`, by way of another type, and the commit that makes `x`.
  private func chain(limits: StoreLimits = StoreLimits()) throws -> (store: TestStore, changeSet: ChangeSet) {
    let store = try TestStore(inMemory: true, limits: limits)
    try store.save(#"{"n":"1","r":\#(reference("x"))}"#)
    try store.save(#"{"n":"2","type":"Other","r":\#(reference("1"))}"#)
    try store.save(#"{"n":"3","r":\#(reference("2"))}"#)
    try store.save(#"{"n":"x"}"#)
    return (store, try #require(store.inbox.changeSets.last))
  }

  @Test("the references are followed over records of other types, and no further than asked")
  func hops() throws {
    let (store, changeSet) = try chain()
    let start = changeSet.sequence - 1
    func names(_ hops: Int, _ type: String? = nil) throws -> [String] {
      try store.reader.referrers(of: changeSet, since: start, hops: hops, recordType: type, limit: 3)
        .map(\.recordName)
    }
    #expect(try names(1) == ["1"])
    #expect(try names(2) == ["1", "2"])
    #expect(try names(3) == ["1", "2", "3"])
    #expect(try names(3, "Item") == ["1", "3"])
    #expect(try names(2, "Nothing") == [])
  }

  @Test("more than the limit is refused, those on the way counted")
  func limit() throws {
    let (store, changeSet) = try chain()
    let start = changeSet.sequence - 1
    #expect(
      refusal {
        try store.reader.referrers(of: changeSet, since: start, hops: 3, recordType: "Item", limit: 2)
      } == .limitExceeded)
  }

  @Test("what the log does not reach is refused")
  func pruned() throws {
    var limits = StoreLimits()
    limits.maximumHistoryChanges = 2
    let (store, changeSet) = try chain(limits: limits)
    let start = changeSet.sequence - 1
    try store.save(#"{"n":"x","v":1}"#)
    #expect(
      try store.reader.referrers(of: changeSet, since: start, hops: 1, recordType: nil, limit: 9).count == 1)
    try store.save(#"{"n":"x","v":2}"#)
    #expect(
      refusal { try store.reader.referrers(of: changeSet, since: start, hops: 1, recordType: nil, limit: 9) }
        == .changeTokenExpired)
    #expect(refusal { try store.reader.pastRecords(at: start) } == .changeTokenExpired)
    #expect(refusal { try store.reader.pastRecords(at: 100) } == .changeTokenExpired)
    #expect(try store.reader.pastRecords(at: start + 1).record(named: "3", inZone: "_defaultZone") != nil)
  }

  @Test("a record's many versions are gone through once, and found from anywhere after that")
  func manyVersions() throws {
    let store = try TestStore(inMemory: true)
    for number in 0..<50 { try store.save(#"{"n":"a","v":\#(number)}"#) }
    for sequence in [45, 40, 20, 49, 30, 2, 50, 1].map(Int64.init) {
      let past = try store.reader.pastRecords(at: sequence)
      #expect(
        past.record(named: "a", inZone: "_defaultZone")?.fieldsText == #"{"v":\#(sequence - 1)}"#)
      try store.save(#"{"n":"a","v":\#(1000 + sequence)}"#)
    }
  }
}
