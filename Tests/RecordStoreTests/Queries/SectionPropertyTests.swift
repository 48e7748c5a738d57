import Records
import Testing

@testable import RecordStore

/// Sections and their pages against what they are by definition, worked out in memory.
@Suite struct SectionPropertyTests {
  let store: TestStore

  init() throws { store = try TestStore(inMemory: true) }

  /// The result: sorted, then each section's records moved to where its first one is.
  private struct Definition {
    var names: [String] = []
    var sections: [Section] = []

    init(_ records: [StoredRecord], _ query: Query) throws {
      let sorted = try records.map { (record: $0, key: try SortKey.key(of: $0, by: query.sortDescriptors)) }
        .sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.record)
      var groups: [(value: FieldValue?, names: [String])] = []
      for record in sorted {
        let value = record.value(at: FieldPath("s")!)
        if let place = groups.firstIndex(where: { Self.isSame($0.value, value) }) {
          groups[place].names.append(record.recordName)
        } else {
          groups.append((value, [record.recordName]))
        }
      }
      for group in groups {
        let name =
          switch group.value {
          case .string(let text): text
          case nil: ""
          default: fatalError("no other values are made")
          }
        sections.append(
          Section(
            name: name, indexTitle: String(name.prefix(1)), numberOfRecords: group.names.count,
            offset: names.count))
        names += group.names
      }
    }

    private static func isSame(_ left: FieldValue?, _ right: FieldValue?) -> Bool {
      guard let left, let right else { return left == nil && right == nil }
      return left.equals(right)
    }
  }

  private static let orders: [[SortDescriptor]] =
    [
      [], ["s"], ["v"], ["v", "s"], ["s", "v"], ["recordName"],
    ].map { $0.map { SortDescriptor(FieldPath($0)!) } } + [
      [SortDescriptor(FieldPath("s")!, ascending: false), SortDescriptor(FieldPath("v")!)],
      [SortDescriptor(FieldPath("v")!, ascending: false, nulls: .first)],
      [SortDescriptor(FieldPath("v")!), SortDescriptor(FieldPath("s")!, ascending: false)],
      [SortDescriptor(FieldPath("s")!, nulls: .last), SortDescriptor(FieldPath("v")!, ascending: false)],
    ]

  private func record(_ name: String, _ generator: inout Generator) -> String {
    let section = ["null", #""""#, #""A""#, #""B""#, #""C""#, #""D""#].randomElement(using: &generator)!
    let value = ["null", "1", "2", "3", "4"].randomElement(using: &generator)!
    return #"{"n":"\#(name)","s":\#(section),"v":\#(value)}"#
  }

  private func declareIndexes() {
    for paths in [["s", "v"], ["v"], ["s"]] {
      let done = Semaphore()
      store.store.declareIndex(recordType: "Item", paths: paths.map { FieldPath($0)! }) { _ in done.signal() }
      done.wait()
    }
    store.reader.renew()
  }

  private func query(_ order: [SortDescriptor], limit: Int) -> Query {
    Query(
      recordType: "Item", predicate: .everything, sortDescriptors: order, resultsLimit: limit,
      sections: SectionRequest(nameKey: "s", indexTitle: .firstLetter))
  }

  @Test("Pages are the definition cut into pieces", arguments: 0..<6 as Range<UInt64>)
  func pages(seed: UInt64) throws {
    var generator = Generator(seed: seed)
    for number in 10..<50 { try store.save(record("\(number)", &generator)) }
    if seed % 2 == 1 { declareIndexes() }
    let records = try (10..<50).map { try #require(try store.fetch("\($0)")) }
    for order in Self.orders {
      for limit in [1, 2, 3, 7, 39, 40, 41] {
        var query = query(order, limit: limit)
        let definition = try Definition(records, query)
        var names: [String] = []
        repeat {
          let page = try #require(try store.reader.query(query, budget: .max))
          #expect(page.sections == definition.sections)
          names += page.records.map(\.recordName)
          query.cursor = page.cursor
        } while query.cursor != nil
        #expect(names == definition.names, "\(order.map(\.key)), \(limit) a page")
      }
    }
  }

  @Test(
    "While others write, what they leave alone comes exactly once, in its section and its order",
    arguments: 0..<6 as Range<UInt64>)
  func pagesWhileOthersWrite(seed: UInt64) throws {
    var generator = Generator(seed: seed + 100)
    for number in 10..<40 { try store.save(record("\(number)", &generator)) }
    for number in 0..<20 { try store.save(record("w\(number)", &generator)) }
    if seed % 2 == 1 { declareIndexes() }
    let stable = try (10..<40).map { try #require(try store.fetch("\($0)")) }
    for order in Self.orders {
      for limit in [1, 3, 8] {
        var query = query(order, limit: limit)
        var names: [String] = []
        repeat {
          let page = try #require(try store.reader.query(query, budget: .max))
          names += page.records.map(\.recordName)
          query.cursor = page.cursor
          let name = "w\(Int.random(in: 0..<20, using: &generator))"
          if Bool.random(using: &generator) {
            try store.save(record(name, &generator))
          } else {
            try store.delete(name, ignoresMissing: true)
          }
        } while query.cursor != nil
        let seen = names.filter { !$0.hasPrefix("w") }
        #expect(seen.sorted() == (10..<40).map { "\($0)" }, "\(order.map(\.key)), \(limit) a page")
        try expectOrder(seen, of: stable, order)
      }
    }
  }

  /// Each section in one piece, and sorted.
  private func expectOrder(_ names: [String], of records: [StoredRecord], _ order: [SortDescriptor]) throws {
    let byName = Dictionary(uniqueKeysWithValues: records.map { ($0.recordName, $0) })
    var finished: [[UInt8]] = []
    var last: (section: [UInt8], key: [UInt8])?
    for name in names {
      let record = try #require(byName[name])
      var section: [UInt8] = []
      SortKey.append(record.value(at: FieldPath("s")!), to: &section)
      let key = try SortKey.key(of: record, by: order)
      if let last, last.section == section {
        #expect(last.key.lexicographicallyPrecedes(key))
      } else {
        #expect(!finished.contains(section), "a section in two pieces")
        finished.append(section)
      }
      last = (section, key)
    }
  }
}
