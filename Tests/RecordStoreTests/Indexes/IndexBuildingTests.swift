import JSONRPC
import Records
import SQLite
import Synchronization
import Testing

@testable import RecordStore

/// Indexes built in parts while others write.
@Suite struct IndexBuildingTests {
  static let hasCollator = (try? Collator.shared()) != nil

  static func index(_ keys: String..., localized: Bool = false) -> RecordTypeDraft.Index {
    RecordTypeDraft.Index(
      keys: keys.map { FieldPath($0)! }, collation: localized ? .localized : .codePoint)
  }

  private func fill(_ file: OpenFile, _ count: Int, type: String = "Item") throws {
    for number in 0..<count {
      try file.save(#"{"n":"\#(type)\#(number)","type":"\#(type)","v":\#(number % 7),"s":"s\#(number)"}"#)
    }
  }

  private func checkEntries(
    _ file: OpenFile, _ comment: @autoclosure () -> String = "", at place: SourceLocation = #_sourceLocation
  ) throws {
    for (name, type) in file.state.types {
      for index in type.indexes {
        if index.kind == .fullText {
          let (words, expected) = try file.words(of: index, type)
          #expect(words == expected, "\(index) of \(name.text) \(comment())", sourceLocation: place)
          continue
        }
        let entries = try file.entries(of: index)
        let expected = try file.expectedEntries(of: index, type)
        #expect(
          entries == expected, "\(index) of \(name.text) \(comment())", sourceLocation: place)
        guard index.origin != .type else { continue }
        let row = "FROM declaredIndex WHERE id = \(index.id)"
        #expect(try file.integer("SELECT entries \(row)") == Int64(entries.count), sourceLocation: place)
        #expect(
          try file.integer("SELECT bytes \(row)")
            == entries.reduce(0) { $0 + Int64($1.key.count + $1.tie.count) }, sourceLocation: place)
      }
    }
  }

  @Test("an index is not ready before its last part, and covers the records up to where it has come")
  func inParts() throws {
    let file = try OpenFile()
    try fill(file, 10)
    try fill(file, 5, type: "Other")
    try file.declare(RecordTypeDraft(name: "Item", indexes: [Self.index("v")]))
    #expect(file.indexes()[0].reached == 0)
    var parts = 0
    while try file.advance(rows: 4) {
      parts += 1
      try checkEntries(file)
      if parts == 2 {
        #expect(file.indexes()[0].reached == 8)
        #expect(!file.areAllReady)
      }
    }
    #expect(parts == 4)
    #expect(file.areAllReady)
    #expect(try file.entries(of: file.indexes()[0]).count == 10)
  }

  @Test("indexes that are begun together are built by one reading of the records")
  func together() throws {
    let file = try OpenFile()
    try fill(file, 10)
    try file.declare(RecordTypeDraft(name: "Item", indexes: [Self.index("v"), Self.index("s", "v")]))
    try file.advance(rows: 6)
    #expect(file.indexes().map(\.reached) == [6, 6])
    try file.advance(rows: 6)
    #expect(file.areAllReady)
    try checkEntries(file)
  }

  @Test("an index of a type without records is ready at once")
  func withoutRecords() throws {
    let file = try OpenFile()
    try file.declare(RecordTypeDraft(name: "New", indexes: [Self.index("v")]))
    #expect(file.areAllReady)
    try file.save(#"{"n":"a","type":"New","v":1}"#)
    try checkEntries(file)
  }

  @Test("readers are told of an index once it is whole")
  func readersSeeWholeOnes() throws {
    let file = try OpenFile()
    try fill(file, 6)
    try file.declare(RecordTypeDraft(name: "Item", indexes: [Self.index("v")]))
    let declared = file.state.schema
    try file.advance(rows: 3)
    #expect(file.state.schema == declared)
    try file.advance()
    #expect(file.state.schema > declared)
    #expect(try StoreState(reading: file.connection).types[Name("Item")]?.indexes.last?.isReady == true)
  }

  @Test("whatever happens while indexes are built, their entries are those of a fresh one", arguments: 0..<24)
  func interleavings(seed: UInt64) throws {
    var random = Generator(seed: seed)
    let file = try OpenFile()
    var history: [String] = []
    for _ in 0..<140 {
      let step = try Step.random(&random, file)
      history.append("\(step)")
      if Int.random(in: 0..<12, using: &random) == 0 {
        history.append("crash")
        try file.crash { work in try step.run(&work) }
      } else {
        try file.transact { work in try step.run(&work) }
      }
      try checkEntries(file, history.suffix(6).joined(separator: "; "))
    }
    try file.finishIndexes()
    #expect(file.areAllReady)
    try checkEntries(file)
    #expect(
      try file.integer("SELECT count(*) FROM entry WHERE declaredIndex NOT IN (SELECT id FROM declaredIndex)")
        == 0)
    #expect(try file.integer("SELECT count(*) FROM declaredIndex WHERE isDropped = 1") == 0)
    let tables = "SELECT count(*) FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%'"
    #expect(try file.integer(tables) == Int64(file.indexes().count { $0.kind == .fullText }))
  }

  @Test("a part that a crash takes away is made again, and nothing twice")
  func crash() throws {
    let file = try OpenFile()
    try fill(file, 20)
    try file.declare(RecordTypeDraft(name: "Item", indexes: [Self.index("v", "s")]))
    try file.advance(rows: 5)
    try file.crash { work in
      var left = 5
      _ = try work.advanceIndexes {
        left -= 1
        return left > 0
      }
    }
    #expect(file.indexes()[0].reached == 5)
    try file.save(#"{"n":"Item2","v":100}"#)
    try file.save(#"{"n":"Item15","v":100}"#)
    try file.finishIndexes()
    try checkEntries(file)
    #expect(try file.entries(of: file.indexes()[0]).count == 20)
  }

  // MARK: Dropping

  @Test("a dropped index is gone at once, its entries part by part")
  func dropping() throws {
    let file = try OpenFile()
    try fill(file, 300)
    try file.declare(RecordTypeDraft(name: "Item", indexes: [Self.index("v")]))
    try file.finishIndexes()
    let index = file.indexes()[0]
    try file.declare(RecordTypeDraft(name: "Item", indexes: []))
    #expect(file.indexes().isEmpty)
    #expect(try file.entries(of: index).count == 300)
    var counts: [Int] = []
    while try file.advance(rows: 1) { counts.append(try file.entries(of: index).count) }
    #expect(counts == counts.sorted(by: >))
    #expect(counts.count > 4)
    #expect(counts.last == 0)
    #expect(try file.integer("SELECT count(*) FROM declaredIndex WHERE id = \(index.id)") == 0)
  }

  @Test("an index that is declared again while the old one is removed is a new one")
  func againWhileDropping() throws {
    let file = try OpenFile()
    try fill(file, 200)
    try file.declare(RecordTypeDraft(name: "Item", indexes: [Self.index("v")]))
    try file.finishIndexes()
    let old = file.indexes()[0].id
    try file.declare(RecordTypeDraft(name: "Item", indexes: []))
    try file.advance(rows: 1)
    try file.declare(RecordTypeDraft(name: "Item", indexes: [Self.index("v")]))
    try file.finishIndexes()
    #expect(file.indexes().count == 1)
    #expect(file.indexes()[0].id != old)
    try checkEntries(file)
  }

  // MARK: Localized order

  @Test(
    "an index in localized order is made anew when the collator is another one, and no save fails for it",
    .enabled(if: hasCollator, "needs the ICU library"))
  func anotherCollator() throws {
    let file = try OpenFile()
    try fill(file, 8)
    try file.declare(RecordTypeDraft(name: "Item", indexes: [Self.index("s", localized: true)]))
    try file.finishIndexes()
    let first = file.indexes()[0]
    #expect(first.isReady)
    #expect(first.isOfCurrentCollator)
    #expect(first.collator == (try Collator.shared().version))

    file.configuration.collatorVersion = { "another" }
    try file.save(#"{"n":"Item3","s":"zebra"}"#)
    let second = file.indexes()[0]
    #expect(second.id != first.id)
    #expect(!second.isReady)
    try file.finishIndexes()
    #expect(file.indexes()[0].collator == "another")
    #expect(!file.indexes()[0].isOfCurrentCollator)
    try checkEntries(file)
  }

  @Test(
    "without a collator saves go on, and the index waits for one",
    .enabled(if: hasCollator, "needs the ICU library"))
  func withoutCollator() throws {
    let file = try OpenFile()
    try fill(file, 8)
    try file.declare(RecordTypeDraft(name: "Item", indexes: [Self.index("v", "s", localized: true)]))
    try file.advance(rows: 4)
    let known = file.configuration.collatorVersion
    file.configuration.collatorVersion = { nil }
    try file.save(#"{"n":"Item1","s":"zebra"}"#)
    #expect(file.indexes()[0].reached == 0)
    // What the old one had is removed; building waits.
    try file.finishIndexes()
    #expect(!file.areAllReady)
    try file.save(#"{"n":"Item2","s":"zebra"}"#)
    file.configuration.collatorVersion = known
    try file.finishIndexes()
    #expect(file.areAllReady)
    try checkEntries(file)
  }

  @Test(
    "an index that another collator has begun is begun anew",
    .enabled(if: hasCollator, "needs the ICU library"))
  func anotherCollatorWhileBuilding() throws {
    let file = try OpenFile()
    try fill(file, 8)
    try file.declare(RecordTypeDraft(name: "Item", indexes: [Self.index("s", localized: true)]))
    try file.advance(rows: 4)
    file.configuration.collatorVersion = { "another" }
    try file.finishIndexes()
    #expect(file.indexes().map(\.collator) == ["another"])
    try checkEntries(file)
  }

  @Test("an index without localized order never asks for the collator")
  func noCollatorNeeded() throws {
    let file = try OpenFile()
    file.configuration.collatorVersion = {
      Issue.record("the collator was loaded")
      return nil
    }
    try fill(file, 3)
    try file.declare(RecordTypeDraft(name: "Item", indexes: [Self.index("s")]))
    try file.finishIndexes()
    try file.save(#"{"n":"Item1","s":"x"}"#)
    #expect(file.areAllReady)
  }
}

// MARK: -

/// Something that may happen while indexes are built.
private enum Step {
  case write([WriteOperation], isAtomic: Bool)
  case advance(rows: Int)
  case declare([RecordTypeDraft.Index], isSearchable: Bool)

  static func random(_ random: inout Generator, _ file: OpenFile) throws -> Step {
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<5: return .write([try operation(&random)], isAtomic: true)
    case 5:
      // Often refused, and undone, because of a name that is not there.
      let operations = try (0..<3).map { _ in try operation(&random, ignoresMissing: false) }
      return .write(operations, isAtomic: Bool.random(using: &random))
    case 6..<9: return .advance(rows: Int.random(in: 1...6, using: &random))
    default:
      return .declare(
        indexes.filter { _ in Bool.random(using: &random) }, isSearchable: Bool.random(using: &random))
    }
  }

  private static let indexes = [
    IndexBuildingTests.index("v"), IndexBuildingTests.index("s", "v"),
    IndexBuildingTests.index("modificationDate"),
    IndexBuildingTests.index("o.a"), IndexBuildingTests.index("l.@count"),
    RecordTypeDraft.Index(keys: [FieldPath("l")!], isOfElements: true),
    RecordTypeDraft.Index(keys: [FieldPath("s")!], isOfElements: true),
  ]

  private static func operation(
    _ random: inout Generator, ignoresMissing: Bool = true
  ) throws -> WriteOperation {
    let name = "r\(Int.random(in: 0..<14, using: &random))"
    if Int.random(in: 0..<4, using: &random) == 0 {
      return deletion(name, ignoresMissing: ignoresMissing)
    }
    let type = Int.random(in: 0..<8, using: &random) == 0 ? "Other" : "Item"
    var fields = [#""n":"\#(name)""#, #""type":"\#(type)""#]
    func some(_ json: String) { if Bool.random(using: &random) { fields.append(json) } }
    some(#""v":\#(Int.random(in: 0..<4, using: &random))"#)
    some(#""s":"\#(["", "a", "ä b", "b", "東京 a"].randomElement(using: &random)!)""#)
    some(
      #""l":[\#((0..<Int.random(in: 0..<4, using: &random)).map { "\"\($0 % 2)\"" }.joined(separator: ","))]"#
    )
    some(#""o":{"a":\#(Int.random(in: 0..<3, using: &random))}"#)
    return .save(try draft("{\(fields.joined(separator: ","))}"), policy: .allKeys)
  }

  func run(_ work: inout WriteTransaction) throws {
    switch self {
    case .write(let operations, let isAtomic):
      _ = try work.carryOut(
        WriteRequest(caller: TestStore.caller, operations: operations, isAtomic: isAtomic))
    case .advance(let rows):
      var left = rows
      _ = try work.advanceIndexes {
        left -= 1
        return left > 0
      }
    case .declare(let indexes, let isSearchable):
      let text = RecordTypeDraft.Field(
        name: "s", type: FieldType(.string), uses: isSearchable ? [.searchable] : [])
      let draft = RecordTypeDraft(name: "Item", fields: [text], indexes: indexes)
      _ = try work.carryOut(WriteRequest(caller: TestStore.caller, operations: [.saveRecordType(draft)]))
        .get()
    }
  }
}
