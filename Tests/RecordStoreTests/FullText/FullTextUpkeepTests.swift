import JSONRPC
import Records
import SQLite
import Testing

@testable import RecordStore

/// Full-text indexes of a store's types: how they are made, kept and made anew.
@Suite struct FullTextUpkeepTests {
  private let file: OpenFile

  init() throws { file = try OpenFile() }

  private static let declaration = RecordTypeDraft(
    name: "Item",
    fields: [RecordTypeDraft.Field(name: "a", type: FieldType(.string), uses: [.searchable])])

  private var index: DeclaredIndex {
    get throws { try #require(file.indexes().first { $0.kind == .fullText }) }
  }

  private static let words = ["alpha", "beta", "gamma", "delta", "中", "文", "20.04", "é", "👍"]

  /// Random saves and deletions, some of them in batches that fail.
  private func change(_ count: Int, _ generator: inout Generator) throws {
    for _ in 0..<count {
      var operations: [WriteOperation] = []
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let name = "r\(Int.random(in: 0..<30, using: &generator))"
        let texts = (0..<3).map { _ in Self.words.randomElement(using: &generator)! }
        if Int.random(in: 0..<4, using: &generator) == 0 {
          operations.append(deletion(name, ignoresMissing: true))
        } else {
          operations.append(
            .save(
              try draft(#"{"n":"\#(name)","a":"\#(texts[0]) \#(texts[1])","l":["\#(texts[2])","x"]}"#),
              policy: .allKeys))
        }
      }
      if Int.random(in: 0..<4, using: &generator) == 0 { operations.append(deletion("never there")) }
      try file.write(operations)
    }
  }

  /// That the index has every word of every record that it covers, and no other.
  private func check() throws {
    let index = try index
    #expect(index.isOfCurrentWords)
    let covered = try rows { _ in true }.filter { index.covers(record: $0) }
    for word in Self.words + ["x", "alpha-beta", "中文"] {
      for field in [nil, "a", "l"] {
        let condition = FullTextCondition(WordQuery(word, mode: .anyTerm)!, field: field)
        let expected = try rows(condition.holds).filter(covered.contains)
        var found: [Int64] = []
        let search = try FullTextSearch([condition], in: FullTextIndex(id: index.id), file.connection)
        try search.forEach(in: file.connection) { row, _ in
          found.append(row)
          return true
        }
        #expect(found == expected, "\(word) in \(field ?? "all")")
      }
    }
    #expect(
      try file.integer("SELECT entries FROM declaredIndex WHERE id = \(index.id)") == Int64(covered.count))
  }

  private func rows(_ isIncluded: (StoredRecord) -> Bool) throws -> [Int64] {
    var rows: [Int64] = []
    let bodies = try file.connection.database.prepare(
      "SELECT id, body FROM record WHERE type = ?1 AND body IS NOT NULL ORDER BY id")
    bodies.bind(file.type().id, at: 1)
    while try bodies.step() {
      if isIncluded(StoredRecord(body: JSON(unchecked: bodies.bytes(1)))) { rows.append(bodies.int64(0)) }
    }
    return rows
  }

  @Test("an index that is built while others write holds what there is, in the end and at every step")
  func building() throws {
    var generator = Generator(seed: 5)
    try file.save(#"{"n":"first","a":"alpha","l":["beta"]}"#)
    try change(20, &generator)
    try file.declare(Self.declaration)
    #expect(try !index.isReady)
    var steps = 0
    while try file.advance(rows: 3) {
      steps += 1
      try check()
      if steps == 2 { try file.crash { work in _ = try work.advanceIndexes { true } } }
      if steps < 10 { try change(2, &generator) }
      try check()
    }
    #expect(steps > 5)
    #expect(try index.isReady)
    try change(20, &generator)
    try check()
  }

  @Test("an index on a type without records is whole at once")
  func emptyType() throws {
    try file.declare(Self.declaration)
    #expect(try index.isReady)
    var generator = Generator(seed: 6)
    try change(30, &generator)
    try check()
  }

  @Test("a record that comes again with another type leaves the words of the first")
  func otherType() throws {
    try file.declare(Self.declaration)
    try file.save(#"{"n":"r","a":"alpha"}"#)
    _ = try file.write([deletion("r")]).get()
    try file.save(#"{"n":"r","type":"Other","a":"beta"}"#)
    try check()
    _ = try file.write([deletion("r")]).get()
    try file.save(#"{"n":"r","a":"gamma"}"#)
    try check()
  }

  @Test("an index of other rules is neither read nor written, and is made anew", arguments: [true, false])
  func otherRules(isWritten: Bool) throws {
    try file.declare(Self.declaration)
    try file.save(#"{"n":"r","a":"alpha"}"#)
    let old = try index
    // As if it had been made with words that would not be found any more.
    try file.crash { _ in }
    try file.connection.database.execute(
      "UPDATE declaredIndex SET collator = 'words 0' WHERE id = \(old.id); UPDATE store SET schema = schema + 1"
    )
    try file.crash { _ in }
    #expect(try !index.isReady)
    if isWritten {
      try file.save(#"{"n":"r","a":"beta"}"#)
      #expect(try index.id != old.id)
    }
    try file.finishIndexes()
    #expect(try index.isReady && index.id != old.id)
    try check()
    #expect(try file.integer("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'fullText\(old.id)%'") == 0)
    #expect(try file.integer("SELECT count(*) FROM fullTextField WHERE declaredIndex = \(old.id)") == 0)
  }

  @Test("an index that is not declared any more is removed with its tables")
  func dropping() throws {
    var generator = Generator(seed: 7)
    try file.declare(Self.declaration)
    try change(30, &generator)
    try file.declare(
      RecordTypeDraft(name: "Item", fields: [RecordTypeDraft.Field(name: "a", type: nil, uses: [])]))
    try change(5, &generator)
    try file.finishIndexes()
    #expect(try file.integer("SELECT count(*) FROM sqlite_schema WHERE name GLOB 'fullText[0-9]*'") == 0)
    #expect(try file.integer("SELECT count(*) FROM fullTextField") == 0)
    #expect(try file.integer("SELECT count(*) FROM declaredIndex WHERE kind = 'fullText'") == 0)
  }

  @Test("queries look at no more records than those with the words")
  func queries() throws {
    let store = try TestStore(inMemory: true)
    try store.declare(Self.declaration)
    let operations = try (0..<200).map { number -> WriteOperation in
      let text = number % 10 == 0 ? "rare Words here" : "common words \(number)"
      return .save(try draft(#"{"n":"\#(number)","a":"\#(text)","l":["other rare"]}"#), policy: .allKeys)
    }
    _ = try store.write(operations)
    for (text, count) in [
      ("SELF CONTAINS 'here'", 20), ("a TOKENMATCHES 'rare-words'", 20), ("a TOKENMATCHES 'rare 199'", 0),
      ("SELF CONTAINS 'here 199'", 21), ("a TOKENMATCHES[p] 'word he'", 20), ("SELF CONTAINS '\"'", 0),
      ("a TOKENMATCHES 'rare' AND recordName > '5'", 20),
    ] {
      let query = Query(recordType: "Item", predicate: try Predicate(parsing: text), resultsLimit: 1000)
      let result = try #require(try store.reader.query(query, budget: .max))
      #expect(result.plan.rowsExamined == count, "\(text): \(result.plan)")
      let records =
        try store.reader.query(
          Query(recordType: "Item", predicate: .everything, resultsLimit: 1000), budget: .max)?.records ?? []
      #expect(records.count == 200)
      #expect(
        result.records.map(\.recordName).sorted()
          == records.filter { query.predicate.matches($0) }.map(\.recordName).sorted(), "\(text)")
    }
  }
}
