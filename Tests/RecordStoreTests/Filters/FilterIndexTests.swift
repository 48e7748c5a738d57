import JSONRPC
import Testing

@testable import RecordStore
@testable import Records

@Suite struct FilterIndexTests {
  // MARK: Never too few

  @Test(
    "every filter that matches a record before or after a change is a candidate",
    arguments: AgreementTests.seeds)
  func completeness(seed: UInt64) throws {
    var round = CandidateRound(seed: seed)
    for _ in 0..<5 {
      try round.changeFilters()
      for _ in 0..<10 { round.check() }
    }
    #expect(round.matches > 300)
    // The index would be of no use if it named everything.
    #expect(round.named < round.asked * 6 / 10, "\(round.named) of \(round.asked)")
    round.removeAll()
  }

  // MARK: Hardly too many

  @Test("a change names the filters that it concerns, of 1,000 equalities and ranges")
  func precision() throws {
    var index = FilterIndex<String>()
    for number in 0..<250 {
      try index.insert("list = \(number)", "list == $list", #"{"list":\#(reference("l\(number)"))}"#)
      try index.insert("at \(number)", "quantity BETWEEN {\(number * 10), \(number * 10 + 9)}")
      try index.insert("name \(number)", "name BEGINSWITH 'n\(number)-' AND done == NO")
      try index.insert("record \(number)", "recordName == 'r\(number)' OR owner == 'o\(number)'")
    }
    let before = item(
      "r17", #""list":\#(reference("l1")),"quantity":55,"name":"n2-x","done":true,"owner":"o3""#)
    let after = item(
      "r17", #""list":\#(reference("l4")),"quantity":99,"name":"n7-x","done":true,"owner":"o3""#)
    #expect(
      index.candidates(for: [change(before, after)]) == [
        "list = 1", "name 2", "record 3", "list = 4", "at 5", "name 7", "at 9", "record 17",
      ])
    #expect(index.candidates(for: [change(nil, item("r300", #""quantity":-1"#))]) == [])
  }

  @Test("of several conditions the one is looked up that fewest others have")
  func choice() throws {
    var index = FilterIndex<Int>()
    for number in 0..<1000 {
      try index.insert(number, "kind == 'task' AND done == NO AND owner == 'o\(number)' AND size > \(number)")
    }
    let task = item("a", #""kind":"task","done":false,"owner":"o8","size":2000"#)
    let candidates = index.candidates(for: [change(nil, task)])
    #expect(candidates.contains(8))
    #expect(candidates.count < 10)
  }

  @Test("elements of lists are looked up one by one")
  func elements() throws {
    var index = FilterIndex<Int>()
    for number in 0..<1000 {
      try index.insert(number, number % 2 == 0 ? "ANY tags == \(number)" : "\(number) IN tags")
    }
    #expect(
      index.candidates(for: [change(item("a", #""tags":[7,8]"#), item("a", #""tags":[8,9]"#))]) == [7, 8, 9])
  }

  @Test("the record type and the zone narrow down")
  func parts() throws {
    var index = FilterIndex<String>()
    index.insert("all", recordType: nil, zoneName: nil, predicate: nil)
    index.insert("zone", recordType: nil, zoneName: "z", predicate: nil)
    index.insert("type", recordType: "Item", zoneName: nil, predicate: nil)
    index.insert("both", recordType: "Item", zoneName: "z", predicate: nil)
    index.insert("other type", recordType: "List", zoneName: nil, predicate: nil)
    index.insert("other zone", recordType: "Item", zoneName: "y", predicate: nil)
    index.insert(
      "nothing", recordType: "Item", zoneName: "z", predicate: try Predicate(parsing: "FALSEPREDICATE"))
    let change = change(nil, item("a", "", zone: "z"))
    #expect(index.candidates(for: [change, change]) == ["all", "zone", "type", "both"])
    for filter in ["all", "zone", "both", "other type", "other zone", "nothing"] { index.remove(filter) }
    #expect(index.candidates(for: [change]) == ["type"])
    index.insert("type", recordType: "List", zoneName: nil, predicate: nil)
    #expect(index.candidates(for: [change]) == [])
    index.remove("type")
    #expect(index.isEmpty)
  }

  @Test("filters that read through a reference are candidates where there is one")
  func references() throws {
    var index = FilterIndex<Int>()
    try index.insert(1, "list.name == 'x'")
    try index.insert(2, "list.recordName == 'l2'")
    try index.insert(3, "list.name == 'x' AND owner == 'o'")
    try index.insert(4, "ANY lists.name == 'x'")
    let plain = item("a", "")
    #expect(index.candidates(for: [change(nil, plain)]) == [])
    #expect(index.candidates(for: [change(plain, item("a", #""list":{"name":"y"}"#))]) == [])
    #expect(index.candidates(for: [change(plain, item("a", #""list":{"name":"x"},"owner":"o""#))]) == [1, 3])
    #expect(index.candidates(for: [change(item("a", #""list":\#(reference("l2"))"#), plain)]) == [1, 2])
    #expect(index.candidates(for: [change(plain, item("a", #""lists":[\#(reference("l2"))]"#))]) == [4])
  }

  @Test("stretches are found when they are many, and those gone are not")
  func stretches() {
    var table = StretchTable()
    var random = Generator(seed: 7)
    var known: [Int: KeyRange] = [:]
    for number in 0..<3000 {
      let low = UInt8.random(in: 0..<200, using: &random)
      let range = KeyRange(
        from: [low, .random(in: 0...255, using: &random)], below: [low + .random(in: 1...9, using: &random)])
      table.insert(number, range)
      known[number] = range
      if number % 3 != 0, let gone = known.randomElement(using: &random) {
        table.remove(gone.key, gone.value)
        known[gone.key] = nil
      }
      guard number % 10 == 0 else { continue }
      let key: [UInt8] = [.random(in: 0...255, using: &random), .random(in: 0...255, using: &random)]
      var found: [Int] = []
      table.find(key, &found)
      #expect(found.sorted() == known.filter { $0.value.contains(key) }.keys.sorted())
    }
    for (number, range) in known { table.remove(number, range) }
    #expect(table.isEmpty)
  }
}

// MARK: Random filters and changes

/// Filters and changes by chance, and what the index must find.
private struct CandidateRound {
  private struct Filter {
    let recordType: String?
    let zoneName: String?
    let predicate: Predicate?

    func matches(_ record: StoredRecord?, _ resolver: any RecordResolver) -> Bool {
      guard let record else { return false }
      if let recordType, recordType != record.recordType { return false }
      if let zoneName, zoneName != record.zoneName { return false }
      return predicate?.matches(record, resolver: resolver) ?? true
    }
  }

  private struct Lookup: RecordResolver {
    let records: [StoredRecord]

    func record(named recordName: String, inZone zoneName: String) -> StoredRecord? {
      records.first { $0.recordName == recordName && $0.zoneName == zoneName }
    }
  }

  private var random: RandomRecords
  private var index = FilterIndex<Int>()
  private var filters: [Int: Filter] = [:]
  private var next = 0
  private var records: [StoredRecord] = []
  private(set) var matches = 0
  private(set) var named = 0
  private(set) var asked = 0

  init(seed: UInt64) {
    random = RandomRecords(generator: Generator(seed: seed))
    for number in 0..<40 { records.append(record(named: number < 3 ? "o\(number)" : "\(number - 3)")) }
  }

  /// Of any field any kind of value: nothing is known of types.
  private mutating func record(named name: String) -> StoredRecord {
    var fields: [String] = []
    for (field, values) in RandomRecords.values where !random.one(in: 3) {
      let json = random.one(in: 6) ? random.pick(random.pick(RandomRecords.values).json) : random.pick(values)
      fields.append(#""\#(field == "n" ? "i" : field)":\#(json)"#)
    }
    return item(
      name, fields.joined(separator: ","), type: random.one(in: 5) ? "Other" : "Item",
      zone: random.one(in: 4) ? "second" : "_defaultZone")
  }

  mutating func changeFilters() throws {
    for _ in 0..<100 {
      var predicates = RandomPredicates(random)
      let predicate = try? predicates.predicate()
      random = predicates.records
      guard let predicate else { continue }
      let filter = Filter(
        recordType: random.pick(["Item", "Item", "Other", nil]),
        zoneName: random.pick(["second", "_defaultZone", nil, nil]),
        predicate: random.one(in: 50) ? nil : predicate)
      filters[next] = filter
      index.insert(
        next, recordType: filter.recordType, zoneName: filter.zoneName, predicate: filter.predicate)
      next += 1
      if random.one(in: 3) {
        let gone = Int.random(in: 0..<next, using: &random.generator)
        filters[gone] = nil
        index.remove(gone)
      }
    }
  }

  mutating func check() {
    let changes = (0..<random.pick([1, 1, 3])).map { _ in
      let place = Int.random(in: records.indices, using: &random.generator)
      let before = records[place]
      var after = record(named: before.recordName)
      while after.recordType != before.recordType || after.zoneName != before.zoneName {
        after = record(named: before.recordName)
      }
      records[place] = after
      return change(random.one(in: 6) ? nil : before, random.one(in: 6) ? nil : after, named: before)
    }
    let lookup = Lookup(records: records)
    let candidates = index.candidates(for: changes)
    #expect(candidates == candidates.sorted())
    #expect(Set(candidates).count == candidates.count)
    named += candidates.count
    asked += filters.count
    let found = Set(candidates)
    for (number, filter) in filters {
      let isMatch = changes.contains { filter.matches($0.before, lookup) || filter.matches($0.after, lookup) }
      if isMatch { matches += 1 }
      #expect(!isMatch || found.contains(number), "\(filter.predicate?.text ?? "-"): \(changes)")
    }
    #expect(found.isSubset(of: filters.keys))
  }

  mutating func removeAll() {
    for number in filters.keys { index.remove(number) }
    #expect(index.isEmpty)
    for _ in 0..<10 { #expect(index.candidates(for: [change(record(named: "1"), record(named: "1"))]) == []) }
  }
}

// MARK: Short forms

private func item(
  _ name: String, _ fields: String, type: String = "Item", zone: String = "_defaultZone"
) -> StoredRecord {
  let stamp = #"{"timestamp":1796000000000,"userRecordName":"_1000"}"#
  let text =
    #"{"recordType":"\#(type)","recordName":"\#(name)","zoneName":"\#(zone)","recordChangeTag":"1","#
    + #""created":\#(stamp),"modified":\#(stamp),"fields":{\#(fields)}}"#
  return StoredRecord(body: JSON(unchecked: Array(text.utf8)))
}

private func reference(_ name: String) -> String { #"{"$reference":{"recordName":"\#(name)"}}"# }

private func change(
  _ before: StoredRecord?, _ after: StoredRecord?, named record: StoredRecord? = nil
) -> RecordChange {
  let named = record ?? after ?? before
  return RecordChange(
    zoneName: named?.zoneName ?? "", recordType: named?.recordType ?? "",
    recordName: named?.recordName ?? "", before: before, after: after, origin: TestStore.caller)
}

extension FilterIndex {
  fileprivate mutating func insert(_ filter: Filter, _ predicate: String, _ variables: String? = nil) throws {
    insert(
      filter, recordType: "Item", zoneName: nil,
      predicate: try Predicate(
        parsing: predicate, variables: try variables.map { try JSON(parsing: $0) }))
  }
}
