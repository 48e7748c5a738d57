import JSONRPC
import Testing

@testable import Records

struct PredicateProgramTests {
  @Test(
    "short cuts and the definition agree on generated records and predicates",
    arguments: [11, 12, 13] as [UInt64])
  func agreement(seed: UInt64) {
    var samples = PredicateSamples(seed: seed)
    let records = samples.records(30)
    let resolver = KnownRecords(records)
    for _ in 0..<300 {
      let predicate = Predicate(root: samples.node(depth: 3))
      for record in records {
        #expect(
          predicate.matches(record, resolver: resolver)
            == predicate.matchesByDefinition(record, resolver: resolver),
          "\(predicate.text) \(record.body.text)")
      }
    }
  }

  @Test("NOT is the exact complement, != of ==", arguments: [14] as [UInt64])
  func complements(seed: UInt64) {
    var samples = PredicateSamples(seed: seed)
    let records = samples.records(30)
    let resolver = KnownRecords(records)
    for _ in 0..<200 {
      var comparison = samples.comparison()
      let holds = Predicate(root: .comparison(comparison))
      let not = Predicate(root: .not(.comparison(comparison)))
      comparison.operation = .equal
      comparison.quantifier = nil
      let equal = Predicate(root: .comparison(comparison))
      comparison.operation = .notEqual
      let unequal = Predicate(root: .comparison(comparison))
      for record in records {
        #expect(
          holds.matches(record, resolver: resolver) != not.matches(record, resolver: resolver),
          "\(holds.text) \(record.body.text)")
        #expect(
          equal.matches(record, resolver: resolver) != unequal.matches(record, resolver: resolver),
          "\(equal.text) \(record.body.text)")
      }
    }
  }

  @Test("the generated predicates hold for some records and not for others, with each operation")
  func samplesAreMixed() {
    var samples = PredicateSamples(seed: 15)
    let records = samples.records(20)
    let resolver = KnownRecords(records)
    var met: Set<Predicate.Operation> = []
    var missed: Set<Predicate.Operation> = []
    for _ in 0..<2500 {
      var comparison = samples.comparison()
      comparison.quantifier = nil
      let predicate = Predicate(root: .comparison(comparison))
      for record in records {
        if predicate.matches(record, resolver: resolver) {
          met.insert(comparison.operation)
        } else {
          missed.insert(comparison.operation)
        }
      }
    }
    #expect(met == Set(Predicate.Operation.allCases))
    #expect(missed == Set(Predicate.Operation.allCases))
  }

  @Test("a damaged body reads as missing and nothing traps")
  func damagedBodies() throws {
    let predicate = try Predicate(
      parsing:
        "a == 1 OR b CONTAINS 'x' OR ANY c > 2 OR d.e LIKE '*' OR creationDate > %@ OR recordName == 'r' "
        + "OR a + 1 > 5 OR SELF CONTAINS 'word' OR b MATCHES 'y+' OR c[0] - 1 > 9 OR CAST(b, 'NSDate') > now() "
        + "OR p WITHIN BOX(0, 0, 1, 1) OR distanceToLocation:fromLocation:(p, %@) < 5 OR r.name == 'x'",
      arguments: [
        try JSON(parsing: #"{"$date":"2026-01-01T00:00:00Z"}"#),
        try JSON(parsing: #"{"$location":{"latitude":50,"longitude":4}}"#),
      ])
    let whole = Array(
      #"{"recordName":"r","created":{"timestamp":1},"fields":{"a":1,"b":"xé\u00e9","c":[1,{"$date":"2"}],"d":{"e":""},"p":{"$location":{"latitude":5,"longitude":6}},"r":{"$reference":{"recordName":"r"}}}}"#
        .utf8)
    for end in whole.indices {
      var damaged = whole
      damaged[end] = 0xFF
      var quoted = whole
      quoted[end] = UInt8(ascii: "\"")
      for bytes in [Array(whole[..<end]), damaged, quoted] {
        let record = StoredRecord(body: JSON(unchecked: bytes))
        _ = predicate.matches(record, resolver: KnownRecords([record]))
      }
    }
  }

  @Test("a long record is let go of between two comparisons, a short one is not")
  func stopping() throws {
    let predicate = try Predicate(parsing: "t == 'x' OR t == 'y' OR n == 1")
    #expect(predicate.numberOfComparisons == 3)
    for (length, asked, answer) in [(100_000, 2, false), (10, 0, true)] {
      let text = String(repeating: "z", count: length)
      let record = StoredRecord(body: JSON(unchecked: Array(#"{"fields":{"t":"\#(text)","n":1}}"#.utf8)))
      var times = 0
      let matches = predicate.matches(
        record,
        isStopped: {
          times += 1
          return times == 2
        })
      #expect(matches == answer && times == asked)
    }
  }
}
