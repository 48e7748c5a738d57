import Records
import Testing

@testable import RecordStore

@Suite struct InclusionTests {
  let store: TestStore

  init() throws { store = try TestStore(inMemory: true) }

  private func reference(_ name: String) -> String { #"{"$reference":{"recordName":"\#(name)"}}"# }

  private func query(_ include: String..., limit: Int = 100) -> Query {
    Query(
      recordType: "Item", predicate: .everything, resultsLimit: limit,
      include: include.map { FieldPath($0)! })
  }

  private func page(_ query: Query) throws -> QueryResult {
    try #require(try store.reader.query(query, budget: .max))
  }

  private func fill() throws {
    try store.save(#"{"n":"ann","type":"Person","name":"Ann"}"#)
    try store.save(#"{"n":"home","type":"List","owner":\#(reference("ann"))}"#)
    try store.save(#"{"n":"work","type":"List","owner":\#(reference("gone"))}"#)
    try store.save(
      #"{"n":"1","list":\#(reference("home")),"seen":[\#(reference("ann")),\#(reference("bob"))]}"#)
    try store.save(#"{"n":"2","list":\#(reference("work"))}"#)
    try store.save(#"{"n":"3","list":\#(reference("home"))}"#)
    try store.save(#"{"n":"4","text":"home"}"#)
  }

  @Test("Each record that is referred to comes once, in the order in which it is named")
  func once() throws {
    try fill()
    let included = try page(query("list", "seen")).included
    #expect(included.map(\.recordName) == ["home", "ann", "bob", "work"])
    #expect(included.map { $0.record?.recordType } == ["List", "Person", nil, "List"])
    #expect(included.allSatisfy { $0.zoneName == Identifier.defaultZone })
    #expect(try page(query()).included == [])
    #expect(try page(query("text", "list.name", "list.recordName", "recordName", "none")).included == [])
  }

  @Test("A path through a reference leads to what the other record refers to")
  func hops() throws {
    try fill()
    let included = try page(query("list.owner")).included
    #expect(included.map(\.recordName) == ["ann", "gone"])
    #expect(included.map { $0.record == nil } == [false, true])
  }

  @Test("A page ends before it refers to more records than it may bring along")
  func endsEarlier() throws {
    for number in 0..<6 { try store.save(#"{"n":"\#(number)","to":\#(reference("r\(number / 2)"))}"#) }
    var query = query("to")
    query.maximumIncluded = 2
    var pages: [[String]] = []
    var included: [[String]] = []
    repeat {
      let page = try page(query)
      pages.append(page.records.map(\.recordName))
      included.append(page.included.map(\.recordName))
      query.cursor = page.cursor
    } while query.cursor != nil
    #expect(pages == [["0", "1", "2", "3"], ["4", "5"]])
    #expect(included == [["r0", "r1"], ["r2"]])
  }

  @Test("Bytes of what comes along count", arguments: [[], ["to"]])
  func bytes(sort: [String]) throws {
    let text = String(repeating: "x", count: 1000)
    for number in 0..<4 {
      try store.save(#"{"n":"r\#(number)","type":"Other","text":"\#(text)"}"#)
      try store.save(#"{"n":"\#(number)","to":\#(reference("r\(number)"))}"#)
    }
    var query = query("to")
    query.sortDescriptors = sort.map { SortDescriptor(FieldPath($0)!) }
    query.maximumBytes = 4000
    let first = try page(query)
    #expect(first.records.map(\.recordName) == ["0", "1"] && first.included.count == 2)
    query.cursor = first.cursor
    let second = try page(query)
    #expect(second.records.map(\.recordName) == ["2", "3"] && second.cursor == nil)
    // One record comes whatever it needs, up to the length of a reply.
    query.cursor = nil
    query.maximumBytes = 1000
    #expect(try page(query).records.count == 1)
    query.maximumBytes = 600
    #expect(refusal { try page(query) } == .limitExceeded)
  }

  @Test("A record that alone refers to too many others is refused")
  func tooMany() throws {
    let list = (0..<5).map { reference("r\($0)") }.joined(separator: ",")
    try store.save(#"{"n":"1","to":[\#(list)]}"#)
    var query = query("to")
    query.maximumIncluded = 4
    #expect(refusal { try page(query) } == .limitExceeded)
    query.maximumIncluded = 5
    #expect(try page(query).included.count == 5)
  }

  @Test("Looking up what comes along counts as looking at rows")
  func budget() throws {
    try fill()
    #expect(try store.reader.query(query("list"), budget: 5) == nil)
    #expect(try store.reader.query(query("list"), budget: 6) != nil)
  }
}
