import Records
import Testing

@testable import RecordStore

@Suite struct DistinctTests {
  let store: TestStore

  init() throws { store = try TestStore(inMemory: true) }

  private func query(_ key: String, _ predicate: String = "TRUEPREDICATE", limit: Int = 100) throws
    -> DistinctQuery
  {
    DistinctQuery(
      Query(recordType: "Item", predicate: try Predicate(parsing: predicate), resultsLimit: limit),
      key: FieldPath(key)!)
  }

  private func values(_ query: DistinctQuery) throws -> [DistinctValue] {
    var query = query
    var values: [DistinctValue] = []
    repeat {
      let page = try #require(try store.reader.distinct(query, budget: .max))
      #expect(page.values.count <= query.selection.resultsLimit)
      values += page.values
      query.selection.cursor = page.cursor
    } while query.selection.cursor != nil
    return values
  }

  private func declareIndex(_ keys: String...) {
    let done = Semaphore()
    store.store.declareIndex(recordType: "Item", paths: keys.map { FieldPath($0)! }) { _ in done.signal() }
    done.wait()
    store.reader.renew()
  }

  @Test("Values come once each in sort order, null among them, with their records counted")
  func values() throws {
    for (number, value) in ["3", "null", "1", "3", "2", "1", "3"].enumerated() {
      try store.save(#"{"n":"\#(number)","v":\#(value)}"#)
    }
    try store.save(#"{"n":"none"}"#)
    let expected = [
      DistinctValue(nil, count: 2), .init(.int64(1), count: 2), .init(.int64(2), count: 1),
      .init(.int64(3), count: 3),
    ]
    for isIndexed in [false, true] {
      if isIndexed { declareIndex("v") }
      for limit in 1...5 { #expect(try values(try query("v", limit: limit)) == expected) }
    }
    #expect(try values(try query("v", "v > 1")) == Array(expected[2...]))
    #expect(try values(try query("v", "v == 3")) == [expected[3]])
    #expect(try values(try query("v", "FALSEPREDICATE")) == [])
    #expect(try values(try query("w")) == [DistinctValue(nil, count: 8)])
    #expect(try values(try query("recordName", limit: 3)).count == 8)
  }

  @Test("Values that sorting can't tell apart are one, and texts are shown composed")
  func equalValues() throws {
    try store.save(#"{"n":"2","o":{"v":1},"x":"A\u030a"}"#)
    try store.save(#"{"n":"1","o":{"v":1.0},"x":"\u212b"}"#)
    for isIndexed in [false, true] {
      if isIndexed {
        declareIndex("o.v")
        declareIndex("x")
      }
      #expect(try values(try query("o.v")) == [DistinctValue(.double(1), count: 2)])
      #expect(try values(try query("x")) == [DistinctValue(.string("\u{c5}"), count: 2)])
    }
  }

  @Test("Values are found through references")
  func references() throws {
    try store.save(#"{"n":"a","type":"List","name":"Food"}"#)
    try store.save(#"{"n":"1","list":{"$reference":{"recordName":"a"}}}"#)
    try store.save(#"{"n":"2","list":{"$reference":{"recordName":"gone"}}}"#)
    #expect(
      try values(try query("list.name")) == [
        DistinctValue(nil, count: 1), DistinctValue(.string("Food"), count: 1),
      ])
  }

  @Test("Pages are those of random values, whatever the size and index", arguments: 0..<3 as Range<UInt64>)
  func pages(seed: UInt64) throws {
    var generator = Generator(seed: seed)
    var counts: [Int64: Int] = [:]
    for number in 0..<150 {
      let value = Int64.random(in: 0..<60, using: &generator)
      counts[value, default: 0] += 1
      try store.save(#"{"n":"\#(number)","v":\#(value),"w":\#(number)}"#)
    }
    let expected = counts.sorted { $0.key < $1.key }.map { DistinctValue(.int64($0.key), count: $0.value) }
    for isIndexed in [false, true] {
      if isIndexed { declareIndex("v", "w") }
      for limit in [1, 2, 7, 60, 1000] { #expect(try values(try query("v", limit: limit)) == expected) }
    }
  }

  @Test("A page ends before its values have too many bytes")
  func bytes() throws {
    for number in 0..<100 {
      let text = String(repeating: "x", count: 1000)
      try store.save(#"{"n":"\#(number)","v":"\#(number + 100)\#(text)"}"#)
    }
    var query = try query("v")
    query.selection.maximumBytes = 10_000
    #expect(try store.reader.distinct(query, budget: .max)?.values.count == 9)
    #expect(try values(query).count == 100)
  }

  @Test("A cursor is good for the same values only")
  func cursors() throws {
    for number in 0..<3 { try store.save(#"{"n":"\#(number)","v":\#(number),"w":\#(number)}"#) }
    var query = try query("v", limit: 1)
    query.selection.cursor = try store.reader.distinct(query, budget: .max)?.cursor
    #expect(query.selection.cursor != nil)
    query.key = FieldPath("w")!
    #expect(refusal { try store.reader.distinct(query, budget: .max) } == .invalidArguments)
    query.key = FieldPath("v")!
    query.selection.cursor = try store.reader.query(
      Query(
        recordType: "Item", predicate: query.selection.predicate,
        sortDescriptors: [SortDescriptor(FieldPath("v")!)], resultsLimit: 1), budget: .max)?.cursor
    #expect(refusal { try store.reader.distinct(query, budget: .max) } == .invalidArguments)
  }
}
