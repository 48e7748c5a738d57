import JSONRPC
import Records
import Testing

@testable import RecordStore

@Suite struct SectionTests {
  let store: TestStore

  init() throws { store = try TestStore(inMemory: true) }

  private func query(_ key: String, sort: [String], title: SectionIndexTitle? = .firstLetter) -> Query {
    Query(
      recordType: "Item", predicate: .everything,
      sortDescriptors: sort.map { SortDescriptor(FieldPath($0)!) },
      sections: SectionRequest(nameKey: key, indexTitle: title))
  }

  private func page(_ query: Query) throws -> QueryResult {
    try #require(try store.reader.query(query, budget: .max))
  }

  /// Fruits (2), vegetables (3), a cheese; by name: Apple f, Brie c, Carrot v, Date f, Endive v, Leek v.
  private func fill() throws {
    for (name, kind) in [
      ("Leek", "vegetable"), ("Apple", "fruit"), ("Carrot", "vegetable"), ("Brie", "cheese"),
      ("Endive", "vegetable"), ("Date", "fruit"),
    ] {
      try store.save(#"{"n":"\#(name)","name":"\#(name)","kind":"\#(kind)"}"#)
    }
  }

  private let byName = [
    Section(name: "fruit", indexTitle: "F", numberOfRecords: 2, offset: 0),
    Section(name: "cheese", indexTitle: "C", numberOfRecords: 1, offset: 2),
    Section(name: "vegetable", indexTitle: "V", numberOfRecords: 3, offset: 3),
  ]

  @Test("Sections come as they appear first in the sort order, each with its records together")
  func firstAppearance() throws {
    try fill()
    let page = try page(query("kind", sort: ["name"]))
    #expect(page.sections == byName)
    #expect(page.records.map(\.recordName) == ["Apple", "Date", "Brie", "Carrot", "Endive", "Leek"])
    // Without any order it is that of the names.
    #expect(try self.page(query("kind", sort: [])).sections == byName)
  }

  @Test("What is equal in all records makes no other order of it")
  func constantKeys() throws {
    try fill()
    var query = query("kind", sort: ["kind", "name"])
    query.predicate = try Predicate(parsing: "kind == 'vegetable'")
    #expect(
      try page(query).sections == [
        Section(name: "vegetable", indexTitle: "V", numberOfRecords: 3, offset: 0)
      ])
    query.sortDescriptors = [SortDescriptor(FieldPath("name")!)]
    query.resultsLimit = 1
    let first = try page(query)
    query.cursor = first.cursor
    #expect(first.records.map(\.recordName) == ["Carrot"])
    #expect(try page(query).records.map(\.recordName) == ["Endive"])
  }

  @Test("A section's name is its value as text; null and an empty text are two sections without a name")
  func names() throws {
    let values = [
      "null", #""""#, #""text""#, "12", "1.5", "true", #"{"$date":"2026-12-01T09:30:00+01:00"}"#,
      #"["a","b"]"#,
    ]
    for (number, value) in values.enumerated() {
      try store.save(#"{"n":"\#(number)","o":{"v":0},"v\#(number)":\#(value)}"#)
    }
    let names = try values.indices.map { number in
      var query = query("v\(number)", sort: [])
      query.predicate = try Predicate(parsing: "recordName == '\(number)'")
      return try page(query).sections?.map(\.name)
    }
    #expect(
      names == [
        [""], [""], ["text"], ["12"], ["1.5"], ["true"], ["2026-12-01T08:30:00.000Z"], [#"["a","b"]"#],
      ])
    let both = try page(query("v1", sort: ["v1"])).sections
    #expect(both?.map(\.name) == ["", ""] && both?.map(\.numberOfRecords) == [7, 1])
  }

  @Test("A page starts at the first section with a title", arguments: [["name"], ["kind", "name"]])
  func fromIndexTitle(sort: [String]) throws {
    try fill()
    try store.save(#"{"n":"Zander","name":"Zander","kind":"fish"}"#)
    var query = query("kind", sort: sort)
    query.fromIndexTitle = "F"
    query.resultsLimit = 1
    var names: [String] = []
    repeat {
      let page = try page(query)
      names += page.records.map(\.recordName)
      query.cursor = page.cursor
    } while query.cursor != nil
    #expect(
      names
        == (sort == ["name"]
          ? ["Apple", "Date", "Brie", "Carrot", "Endive", "Leek", "Zander"]
          : ["Zander", "Apple", "Date", "Carrot", "Endive", "Leek"]))
    query.fromIndexTitle = "V"
    #expect(try page(query).records.map(\.recordName) == ["Carrot"])
  }

  @Test("Starting at a title agrees with an index in both directions", arguments: [true, false])
  func fromIndexTitleIndexed(ascending: Bool) throws {
    try fill()
    let done = Semaphore()
    store.store.declareIndex(recordType: "Item", paths: [FieldPath("kind")!, FieldPath("name")!]) { _ in
      done.signal()
    }
    done.wait()
    store.reader.renew()
    var query = query("kind", sort: [])
    query.sortDescriptors = ["kind", "name"].map { SortDescriptor(FieldPath($0)!, ascending: ascending) }
    query.fromIndexTitle = "F"
    #expect(
      try page(query).records.map(\.recordName)
        == (ascending ? ["Apple", "Date", "Carrot", "Endive", "Leek"] : ["Date", "Apple", "Brie"]))
  }

  @Test("An unknown title is told with those that there are")
  func unknownTitle() throws {
    try fill()
    var query = query("kind", sort: ["name"])
    query.fromIndexTitle = "f"
    do {
      _ = try page(query)
      Issue.record("no error")
    } catch let error as RecordError {
      #expect(error.code == .unknownItem)
      #expect(error.detail("known")?.text == #"["F","C","V"]"#)
    }
  }

  @Test("More sections than are kept are refused, with what to do")
  func tooMany() throws {
    _ = try store.write(
      try (0..<1001).map { .save(try draft(#"{"n":"\#($0)","v":\#($0),"w":\#(-$0)}"#), policy: .allKeys) })
    #expect(refusal { try page(self.query("v", sort: ["w"])) } == .limitExceeded)
    #expect(try page(self.query("v", sort: ["v"])).sections?.count == 1001)
    var query = self.query("v", sort: ["v"])
    query.maximumSections = 1000
    #expect(refusal { try page(query) } == .limitExceeded)
  }

  @Test("A cursor is good for the same order of sections only")
  func cursors() throws {
    try fill()
    var query = query("kind", sort: ["name"])
    query.resultsLimit = 1
    query.cursor = try page(query).cursor
    query.sections = nil
    #expect(refusal { try page(query) } == .invalidArguments)
  }

  @Test("Sections are counted once for a snapshot, and anew for the next")
  func countedOnce() throws {
    try fill()
    let done = Semaphore()
    store.store.declareIndex(recordType: "Item", paths: [FieldPath("kind")!]) { _ in done.signal() }
    done.wait()
    store.reader.renew()
    var query = query("kind", sort: ["kind"])
    query.resultsLimit = 1
    query.predicate = try Predicate(parsing: "name != 'Brie'")
    let first = try page(query)
    query.cursor = first.cursor
    let second = try page(query)
    #expect(second.sections == first.sections)
    #expect(second.plan.rowsExamined <= 3)
    // Other readers of the store know them too.
    let other = store.store.makeReader()
    #expect(try other.query(query, budget: .max)?.plan.rowsExamined == second.plan.rowsExamined)
    try store.save(#"{"n":"Fig","name":"Fig","kind":"fruit"}"#)
    #expect(try page(query).sections?.first?.numberOfRecords == 3)
  }
}
