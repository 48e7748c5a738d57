import JSONRPC
import Records
import Testing

@testable import RecordStore

@Suite struct QueryTests {
  let store: TestStore

  init() throws { store = try TestStore(inMemory: true) }

  private static func sort(
    _ key: String, _ ascending: Bool = true, nulls: SortDescriptor.Nulls = .default
  ) -> SortDescriptor {
    SortDescriptor(FieldPath(key)!, ascending: ascending, nulls: nulls)
  }

  private func declareIndex(_ keys: String...) {
    let done = Semaphore()
    store.store.declareIndex(recordType: "Item", paths: keys.map { FieldPath($0)! }) { _ in done.signal() }
    done.wait()
    store.reader.renew()
  }

  @Test("without an order, records come by name")
  func byName() throws {
    for name in ["b", "a", "c", "B", "é", "a b"] { try store.save(#"{"n":"\#(name)","v":1}"#) }
    try store.save(#"{"n":"other","type":"Other","v":1}"#)
    #expect(try store.names() == ["B", "a", "a b", "b", "c", "é"])
    #expect(try store.names("v == 2") == [])
    #expect(try store.names(type: "Never") == [])
  }

  @Test("a field in which there were only empty lists is found by them, though it has no type yet")
  func emptyLists() throws {
    try store.save(#"{"n":"empty","l":[]}"#)
    try store.save(#"{"n":"none"}"#)
    #expect(try store.names("l = {}") == ["empty"])
    #expect(try store.names("NOT l != {}") == ["empty"])
    #expect(try store.names("l.@count = 0 AND l != NIL") == ["empty"])
    #expect(try store.names("l = {1}") == [])
    #expect(try store.names("l = NIL") == ["none"])
    #expect(try store.names("ANY l = 1") == [])
    try store.save(#"{"n":"full","l":[1]}"#)
    #expect(try store.names("l = {}") == ["empty"])
  }

  @Test(
    "pages hold every record once, whatever their size, direction, nulls and index",
    arguments: [true, false], [SortDescriptor.Nulls.default, .first, .last])
  func paging(ascending: Bool, nulls: SortDescriptor.Nulls) throws {
    let values = ["1", "1", "null", "null", "2", "0", "1", "3", "2", "null"]
    for (number, value) in values.enumerated() { try store.save(#"{"n":"\#(number)","r":\#(value)}"#) }
    try store.save(#"{"n":"missing"}"#)
    let order = [Self.sort("r", ascending, nulls: nulls)]
    let some = ascending ? ["5", "0", "1", "6", "4", "8", "7"] : ["7", "4", "8", "0", "1", "6", "5"]
    let none = ["2", "3", "9", "missing"]
    let nullsFirst = nulls == .first || nulls == .default && ascending
    let expected = nullsFirst ? none + some : some + none
    for isIndexed in [false, true] {
      if isIndexed { declareIndex("r") }
      for limit in 1...12 {
        #expect(try store.names(sort: order, limit: limit) == expected)
      }
    }
  }

  @Test("pages stay right while others write", arguments: [true, false], [true, false])
  func stablePages(ascending: Bool, isIndexed: Bool) throws {
    if isIndexed {
      try store.save(#"{"n":"first","r":0}"#)
      declareIndex("r")
    }
    for number in 10..<30 { try store.save(#"{"n":"\#(number)","r":\#(number / 3)}"#) }
    var added = 100
    let names = try store.names(sort: [Self.sort("r", ascending)], limit: 3) {
      try store.save(#"{"n":"\#(added)","r":\#(added % 12)}"#)
      try store.delete("\(added - 1)", ignoresMissing: true)
      added += 1
    }
    #expect(Set(names).isSuperset(of: (10..<30).map { "\($0)" }))
    #expect(Set(names).count == names.count)
  }

  @Test(
    "many records with one value keep the order of their names in both directions", arguments: [true, false])
  func manyTies(ascending: Bool) throws {
    let operations = try (100..<400).map { number in
      WriteOperation.save(try draft(#"{"n":"\#(number)","v":\#(number / 150)}"#), policy: .allKeys)
    }
    _ = try store.write(operations)
    declareIndex("v")
    let parts = [(100..<150), (150..<300), (300..<400)].map { $0.map { "\($0)" } }
    let expected = ascending ? parts[0] + parts[1] + parts[2] : parts[2] + parts[1] + parts[0]
    for limit in [7, 64, 65, 1000] {
      #expect(try store.names(sort: [Self.sort("v", ascending)], limit: limit) == expected)
    }
    let query = Query(
      recordType: "Item", predicate: .everything, sortDescriptors: [Self.sort("v", ascending)],
      resultsLimit: 5)
    let plan = try #require(try store.reader.query(query, budget: .max)).plan
    #expect(plan.index == ["v"] && plan.ordered && plan.rowsExamined == 6)
  }

  @Test("an index with an equal beginning gives the rest in order, and looks at no more than it must")
  func planned() throws {
    let operations = try (0..<200).map { number in
      let json =
        #"{"n":"\#(number)","list":"\#(number % 10)","done":\#(number % 2 == 0),"name":"\#(999 - number)"}"#
      return WriteOperation.save(try draft(json), policy: .allKeys)
    }
    _ = try store.write(operations)
    declareIndex("list", "done", "name")
    var query = Query(
      recordType: "Item", predicate: try Predicate(parsing: "list == '3' AND done == NO"),
      sortDescriptors: [Self.sort("name")], resultsLimit: 5)
    let result = try #require(try store.reader.query(query, budget: .max))
    #expect(result.plan.index == ["list", "done", "name"])
    #expect(result.plan.ordered && result.plan.rowsExamined == 6 && result.plan.rowsReturned == 5)
    #expect(result.records.map(\.recordName) == ["193", "183", "173", "163", "153"])
    query.predicate = try Predicate(parsing: "'3' == list AND name BEGINSWITH '8' AND done == NO")
    let narrow = try #require(try store.reader.query(query, budget: .max))
    #expect(narrow.records.map(\.recordName) == ["193", "183", "173", "163", "153"])
    query.predicate = try Predicate(parsing: "list == '3' AND done == NO AND name < '815'")
    #expect(try store.reader.query(query, budget: .max)?.plan.rowsExamined == 1)
  }

  @Test("a name in the predicate is looked up")
  func lookup() throws {
    for number in 0..<50 { try store.save(#"{"n":"\#(number)","v":\#(number)}"#) }
    let query = Query(
      recordType: "Item", predicate: try Predicate(parsing: "recordName IN {'7', '8', 'none'} AND v > 7"))
    let result = try #require(try store.reader.query(query, budget: .max))
    #expect(result.records.map(\.recordName) == ["8"])
    #expect(result.plan.rowsExamined == 2)
  }

  // MARK: Index or none: the same

  private static let predicates = [
    "a == 1", "a != 1", "a < 2", "a <= 2", "a > 1", "a >= 1", "2 > a", "a BETWEEN {1, 2}", "a == nil",
    "a != nil",
    "a == 1.5", "a > 1.25 AND b == 'x'", "b BEGINSWITH 'x'", "b == 'x' AND a > 0", "a == 1 AND b >= 'x'",
    "b < 'y'",
    "NOT a == 1", "a == 1 OR b == 'x'", "b ==[c] 'X'", "a IN {1, 2}", "c == YES", "c != NO AND a == 2",
    "b == 'é'",
    "b BEGINSWITH 'é'", "a == 1 AND a == 2", "recordName == '3' OR a == 1", "recordName > '3' AND a <= 1",
    "a > 0 AND a < 2 AND b > 'w'",
  ]

  @Test("every query gives the same with and without an index", arguments: 0..<4 as Range<UInt64>)
  func agreement(seed: UInt64) throws {
    var generator = Generator(seed: seed)
    let texts = ["null", #""x""#, #""xy""#, #""X""#, #""y""#, #""e\u0301""#, #""\u00e9""#, #""""#]
    for number in 0..<60 {
      let a = ["null", "0", "1", "1.5", "2", "3"].randomElement(using: &generator)!
      let c = ["null", "true", "false"].randomElement(using: &generator)!
      let b = texts.randomElement(using: &generator)!
      // The double comes first, so that all numbers fit the field.
      if number == 0 { try store.save(#"{"n":"type","a":0.5}"#) }
      try store.save(#"{"n":"\#(number)","a":\#(a),"b":\#(b),"c":\#(c)}"#)
    }
    let orders: [[SortDescriptor]] = [
      [], [Self.sort("a")], [Self.sort("a", false)], [Self.sort("b"), Self.sort("a", false)],
      [Self.sort("b", false), Self.sort("a", false)], [Self.sort("recordName", false)],
      [Self.sort("recordName")],
      [Self.sort("a"), Self.sort("recordName"), Self.sort("b")], [Self.sort("c", nulls: .last)],
    ]
    func answers() throws -> [[String]] {
      try Self.predicates.flatMap { predicate in
        try orders.map { try store.names(predicate, sort: $0, limit: 29) }
      }
    }
    let without = try answers()
    declareIndex("a")
    declareIndex("b", "a")
    declareIndex("a", "b")
    declareIndex("c")
    // Entries follow what is written after the index was made as well.
    for number in 0..<20 {
      let record = try #require(try store.fetch("\(number)"))
      try store.delete("\(number)")
      let fields = record.fieldsText.dropFirst()
      try store.save(#"{"n":"\#(number)""# + (fields == "}" ? "}" : "," + fields))
    }
    let with = try answers()
    for (place, pair) in zip(without, with).enumerated() {
      #expect(
        pair.0 == pair.1, "\(Self.predicates[place / orders.count]), order \(place % orders.count)")
    }
  }

  // MARK: Sections and counts

  @Test("sections are those of the whole result, on every page", arguments: [true, false])
  func sections(isIndexed: Bool) throws {
    let names = ["Banana", "apple", "Äpfel", "Cherry", "Blueberry"]
    for (number, name) in names.enumerated() {
      for copy in 0..<(number + 1) { try store.save(#"{"n":"\#(number)\#(copy)","s":"\#(name)"}"#) }
    }
    try store.save(#"{"n":"none"}"#)
    if isIndexed { declareIndex("s") }
    var query = Query(
      recordType: "Item", predicate: try Predicate(parsing: "s != 'Cherry'"),
      sortDescriptors: [Self.sort("s")],
      resultsLimit: 4, sections: SectionRequest(nameKey: "s", indexTitle: .firstLetter))
    let expected = [
      Section(name: "", indexTitle: "", numberOfRecords: 1, offset: 0),
      Section(name: "Banana", indexTitle: "B", numberOfRecords: 1, offset: 1),
      Section(name: "Blueberry", indexTitle: "B", numberOfRecords: 5, offset: 2),
      Section(name: "apple", indexTitle: "A", numberOfRecords: 2, offset: 7),
      Section(name: "Äpfel", indexTitle: "Ä", numberOfRecords: 3, offset: 9),
    ]
    var count = 0
    repeat {
      let page = try #require(try store.reader.query(query, budget: .max))
      #expect(page.sections == expected)
      count += page.records.count
      query.cursor = page.cursor
    } while query.cursor != nil
    #expect(count == 12)
  }

  @Test("counts are those of the query")
  func counts() throws {
    for number in 0..<20 { try store.save(#"{"n":"\#(number)","v":\#(number)}"#) }
    try store.delete("3")
    func count(_ predicate: String, type: String? = "Item") throws -> Int? {
      try store.reader.count(
        Query(recordType: type, predicate: try Predicate(parsing: predicate), resultsLimit: 1), budget: .max)?
        .count
    }
    #expect(try count("TRUEPREDICATE") == 19)
    #expect(try count("v < 10") == 9)
    #expect(try count("FALSEPREDICATE") == 0)
    #expect(try count("TRUEPREDICATE", type: "Never") == 0)
    #expect(try count("TRUEPREDICATE", type: nil) == 19)
  }

  // MARK: Cursors and limits

  @Test("a cursor is good for its own query only, and text that is no cursor is refused")
  func cursors() throws {
    for number in 0..<5 { try store.save(#"{"n":"\#(number)","v":\#(number)}"#) }
    var query = Query(recordType: "Item", predicate: try Predicate(parsing: "v >= 0"), resultsLimit: 2)
    let cursor = try #require(try store.reader.query(query, budget: .max)?.cursor)
    query.cursor = cursor
    query.resultsLimit = 3
    #expect(try store.reader.query(query, budget: .max)?.records.map(\.recordName) == ["2", "3", "4"])
    query.predicate = try Predicate(parsing: "v >= 1")
    #expect(refusal { try store.reader.query(query, budget: .max) } == .invalidArguments)
    for text in [
      "", "x", "abcd", cursor + "a", cursor + "aa", cursor + cursor, String(cursor.dropLast()),
      String(repeating: "p", count: 64),
    ] {
      query.predicate = try Predicate(parsing: "v >= 0")
      query.cursor = text
      // What is behind the key is a name, of which there is no wrong one.
      #expect(refusal { try store.reader.query(query, budget: .max) } == .invalidArguments, "\(text)")
    }
  }

  @Test("a page ends before it has too many bytes, with one record at least", arguments: [[], ["v"]])
  func bytes(_ sort: [String]) throws {
    let text = String(repeating: "x", count: 1000)
    for number in 0..<10 { try store.save(#"{"n":"\#(number)","v":\#(number),"text":"\#(text)"}"#) }
    var query = Query(
      recordType: "Item", predicate: .everything, sortDescriptors: sort.map { Self.sort($0) },
      maximumBytes: 4500)
    let page = try #require(try store.reader.query(query, budget: .max))
    #expect(page.records.count == 3 && page.cursor != nil)
    query.maximumBytes = 1
    var names: [String] = []
    repeat {
      let page = try #require(try store.reader.query(query, budget: .max))
      #expect(page.records.count == 1)
      names += page.records.map(\.recordName)
      query.cursor = page.cursor
    } while query.cursor != nil
    #expect(names == (0..<10).map { "\($0)" })
  }

  @Test("records of all types come by name")
  func allTypes() throws {
    try store.save(#"{"n":"b","v":1}"#)
    try store.save(#"{"n":"a","type":"Other","v":1}"#)
    try store.save(#"{"n":"c","type":"Third","v":1}"#)
    var query = Query(recordType: nil, predicate: .everything, resultsLimit: 2)
    let page = try #require(try store.reader.query(query, budget: .max))
    #expect(page.records.map(\.recordName) == ["a", "b"])
    query.cursor = page.cursor
    #expect(try store.reader.query(query, budget: .max)?.records.map(\.recordName) == ["c"])
  }
}
