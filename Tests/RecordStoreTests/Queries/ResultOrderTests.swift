import Records
import Testing

@testable import RecordStore

/// Who keeps a result up himself has its records in the order of its pages.
struct ResultOrderTests {
  let store: TestStore

  init() throws { store = try TestStore(inMemory: true) }

  private func query(_ keys: [String], section: String? = nil, _ predicate: String? = nil) throws -> Query {
    var query = Query(
      recordType: "Item", predicate: try predicate.map { try Predicate(parsing: $0) } ?? .everything,
      sortDescriptors: keys.map { SortDescriptor(FieldPath($0)!, ascending: $0 != "n2") },
      sections: section.map { SectionRequest(nameKey: $0, indexTitle: .firstLetter) })
    query.givesPlaces = true
    return query
  }

  private func fill() throws {
    for (name, kind, n) in [("a", "x", 1), ("b", "y", 2), ("c", "x", 2), ("d", "y", 1), ("e", "x", 1)] {
      try store.save(#"{"n":"\#(name)","kind":"\#(kind)","n2":\#(n)}"#)
    }
  }

  @Test("A page tells where its records stand, as the order says it of each", arguments: ["n2", "kind"])
  func places(key: String) throws {
    try fill()
    let query = try query([key, "recordName"])
    let page = try #require(try store.reader.query(query, budget: .max))
    let order = try ResultOrder(query)
    #expect(page.places.count == 5)
    for (record, place) in zip(page.records, page.places) {
      let own = try order.place(of: record, nil)
      #expect(own.isSame(as: place))
      #expect(place.recordName == record.recordName)
      #expect(place.zoneName == record.zoneName)
      #expect(
        place.identity == ResultPlace.identity(recordName: record.recordName, zoneName: record.zoneName))
    }
    for (before, after) in zip(page.places, page.places.dropFirst()) {
      #expect(before.isBefore(after) && !after.isBefore(before))
    }
  }

  @Test("What all that match have the same makes no difference to a place")
  func constantKeys() throws {
    try fill()
    let order = try ResultOrder(try query(["kind", "n2"], "kind == 'x'"))
    let plain = try ResultOrder(try query(["n2"]))
    let record = try #require(try store.reader.fetch(recordName: "a"))
    #expect(try order.place(of: record, nil).isSame(as: plain.place(of: record, nil)))
  }

  @Test("A place tells the section, which must be what is sorted by first")
  func sections() throws {
    try fill()
    let sectioned = try query(["kind"], section: "kind")
    let page = try #require(try store.reader.query(sectioned, budget: .max))
    #expect(page.places.map(\.sectionName) == ["x", "x", "x", "y", "y"])
    #expect(page.sections == nil)
    #expect(try ResultOrder(sectioned).indexTitle(ofSection: "x") == "X")
    #expect(throws: RecordError.self) { try ResultOrder(try query(["n2"], section: "kind")) }
  }
}
