import Records
import SQLite
import Testing

@testable import RecordStore

/// Which index a query takes, and at how many records it looks.
@Suite struct PlanTests {
  private let store: TestStore
  private static let count = 3000

  init() throws {
    store = try TestStore(inMemory: true)
    let operations = try (0..<Self.count).map { number in
      let fields = [
        #""n":"\#(number)""#, #""section":"\#(["net", "web", "doc", "x11", "kde"][number % 5])""#,
        #""size":\#((number * 7919) % 1009)"#, #""name":"p\#(number % 50)-\#(number)""#,
        #""rare":\#(number % 500 == 0)"#, #""tags":["t\#(number % 3)","u\#(number % 40)"]"#,
        number % 2 == 0 ? #""due":\#(number)"# : nil,
        #""place":{"$location":{"latitude":\#(Double(number % 170) - 85),"longitude":\#(number % 180)}}"#,
      ].compactMap { $0 }
      return WriteOperation.save(try draft("{\(fields.joined(separator: ","))}"), policy: .allKeys)
    }
    _ = try store.write(operations)
  }

  private func declare(_ keys: String..., kind: DeclaredIndex.Kind = .ordered) {
    let done = Semaphore()
    store.store.declareIndex(
      recordType: "Item", parts: keys.map { IndexPart(FieldPath($0)!) }, kind: kind
    ) { _ in done.signal() }
    done.wait()
    store.reader.renew()
  }

  private static func sort(
    _ key: String, _ ascending: Bool = true, _ nulls: SortDescriptor.Nulls = .default
  ) -> SortDescriptor {
    SortDescriptor(FieldPath(key)!, ascending: ascending, nulls: nulls)
  }

  private func plan(
    _ predicate: String, _ order: [SortDescriptor] = [], limit: Int = 20
  ) throws -> QueryPlan {
    try #require(
      try store.reader.query(
        Query(
          recordType: "Item", predicate: try Predicate(parsing: predicate), sortDescriptors: order,
          resultsLimit: limit, explains: true), budget: .max)
    ).plan
  }

  @Test("ranges of all conditions on a key are put together")
  func ranges() throws {
    declare("size")
    for (predicate, most) in [
      ("size >= 10 AND size < 12", 6), ("12 > size AND 10 <= size", 6), ("size BETWEEN {10, 11}", 6),
      ("size IN {10, 11}", 6), ("size == 10 OR size == 11", 6), ("NOT (size < 10 OR size > 11)", 6),
      ("size > 5 AND (size == 10 OR size == 11 OR size == 2)", 6), ("size == NULL", 0),
      ("NOT size != 10", 3), ("size > 2000", 0), ("size == 10 AND size == 11", 0),
    ] {
      let plan = try plan(predicate)
      #expect(plan.access == .index || plan.access == .none, "\(predicate)")
      #expect(plan.rowsExamined <= most && plan.rowsExamined == plan.rowsReturned, "\(predicate): \(plan)")
    }
  }

  @Test("a list of values in front of the key that is sorted by is merged into that order")
  func merge() throws {
    declare("section", "size")
    for ascending in [true, false] {
      let plan = try plan("section IN {'net', 'kde', 'none'}", [Self.sort("size", ascending)])
      #expect(plan.ordered && plan.index == ["section", "size"] && plan.rowsExamined == 21)
    }
    let sections = try plan("section IN {'net', 'kde'}", [Self.sort("section"), Self.sort("size")])
    #expect(sections.ordered && sections.rowsExamined == 21)
    let mixed = try plan("section IN {'net', 'kde'}", [Self.sort("section"), Self.sort("size", false)])
    #expect(!mixed.ordered && mixed.reason.contains("sorted"))
  }

  @Test(
    "nulls at the other end are no reason to sort", arguments: [true, false],
    [SortDescriptor.Nulls.first, .last])
  func nulls(ascending: Bool, nulls: SortDescriptor.Nulls) throws {
    declare("due")
    let plan = try plan("TRUEPREDICATE", [Self.sort("due", ascending, nulls)])
    #expect(plan.ordered && plan.index == ["due"] && plan.rowsExamined == 21)
  }

  @Test("branches of OR on different keys are found by an index each, and no record twice")
  func union() throws {
    declare("size")
    declare("name")
    let plan = try plan("size == 10 OR name BEGINSWITH 'p7-10' OR recordName == '3'", limit: 100)
    let expected = try store.names("size == 10 OR name BEGINSWITH 'p7-10' OR recordName == '3'")
    #expect(plan.access == .index && plan.index == nil)
    #expect(plan.rowsExamined == expected.count && plan.rowsReturned == expected.count && expected.count < 20)
    let open = try self.plan("size == 10 OR section == 'net'")
    #expect(open.access == .type && open.reason.contains("not every branch of OR has an index"))
  }

  @Test("elements of lists are found by an index of them")
  func elements() throws {
    declare("tags", kind: .elements)
    for predicate in [
      "ANY tags == 'u7'", "tags CONTAINS 'u7'", "'u7' IN tags", "NONE tags == 'x' AND ANY tags == 'u7'",
    ] {
      let plan = try plan(predicate, limit: 100)
      #expect(plan.index == ["tags"] && plan.rowsExamined == 75 && plan.rowsReturned == 75, "\(predicate)")
    }
    let first = try plan("ANY tags == 'u7'", limit: 10)
    #expect(first.ordered && first.rowsExamined == 11)
    let either = try plan("ANY tags IN {'u7', 'u8'}", limit: 10)
    #expect(either.ordered && either.rowsExamined <= 12)
    #expect(try plan("tags CONTAINS 'u7' AND tags CONTAINS 't1'", limit: 100).rowsExamined <= 75)
  }

  @Test("words are found by the full-text index, alone and in a branch of OR")
  func words() throws {
    #expect(try plan("SELF CONTAINS 'u7'").reason.contains("the type has no full-text index"))
    declare(kind: .fullText)
    declare("size")
    for (predicate, count) in [
      ("SELF CONTAINS 'u7'", 75), ("tags TOKENMATCHES 'u7'", 75), ("SELF TOKENMATCHES 'u7 t1'", 25),
    ] {
      let plan = try plan(predicate, limit: 100)
      #expect(plan.access == .fullText && plan.index == nil, "\(predicate)")
      #expect(plan.rowsReturned == count && plan.rowsExamined == count, "\(predicate): \(plan)")
    }
    let page = try plan("SELF CONTAINS 'u7'", limit: 10)
    #expect(page.ordered && page.rowsExamined == 11)
    let sorted = try plan("SELF CONTAINS 'u7'", [Self.sort("name")], limit: 10)
    #expect(!sorted.ordered && sorted.rowsExamined == 75)
    let either = try plan("SELF CONTAINS 'u7' OR size == 10", limit: 100)
    #expect(either.access == .index && either.rowsExamined == either.rowsReturned)
  }

  @Test("a stretch in another order is put in the order of names before records are read")
  func gathered() throws {
    declare("size")
    let plan = try plan("size >= 10 AND size < 60 AND section == 'net'", limit: 10)
    #expect(plan.ordered && plan.index == ["size"] && plan.rowsExamined < 70)
    let names = try store.names("size >= 10 AND size < 60", limit: 7)
    #expect(names.count > 100 && names == names.sorted())
  }

  @Test("places near another or in a box are looked for between two parallels")
  func places() throws {
    declare("place")
    let near = try plan("place WITHIN BOX(10.5, -180, 12.5, 180)", limit: 100)
    #expect(near.index == ["place"] && near.rowsExamined < 40 && near.rowsReturned == near.rowsExamined)
  }

  @Test("few matches are sorted, many are come upon in the order")
  func costs() throws {
    declare("rare")
    declare("section")
    declare("size")
    let few = try plan("rare == YES", [Self.sort("size")])
    #expect(few.index == ["rare"] && few.rowsExamined == 6 && !few.ordered)
    let many = try plan("section == 'net'", [Self.sort("size")])
    #expect(many.index == ["size"] && many.ordered && many.rowsExamined < 300)
    #expect(many.reason.contains("index on section"))
    // All are wanted: no order helps.
    #expect(
      try store.reader.count(
        Query(
          recordType: "Item", predicate: try Predicate(parsing: "section == 'net' AND size > 3"),
          resultsLimit: 1),
        budget: 700)?.count != nil)
  }

  @Test("a query says why no index is used")
  func reasons() throws {
    declare("name")
    #expect(try plan("size == 3").reason.contains("no index begins with 'size'"))
    #expect(
      try plan("name ==[c] 'P1-1'").reason.contains("[c] compares folded text, which no index has"))
    #expect(try plan("name ENDSWITH '7'").reason.contains("what texts end with is in no index"))
    #expect(try plan("ANY tags == 't1'").reason.contains("no index has the elements of 'tags'"))
    #expect(try plan("TRUEPREDICATE", [Self.sort("size")]).reason.contains("no index has the order"))
    let unknown = try plan("colour == 'red'", [Self.sort("shape")])
    #expect(unknown.access == .none && unknown.unknownKeys == ["colour", "shape"])
    #expect(unknown.reason == "no record has a field 'colour'" && unknown.rowsExamined == 0)
    #expect(try plan("colour != 'red' AND name == 'p1-1'").unknownKeys == ["colour"])
  }

  @Test(
    "a constant that a field never compares with is told, wherever it stands",
    arguments: [
      ("size > '20'", "'size' is an int64 and never compares with a text"),
      ("'20' < size AND name == 'p'", "'size' is an int64 and never compares with a text"),
      ("name == 'p' OR NOT size IN {'1', '2'}", "'size' is an int64 and never compares with a text"),
      ("size BETWEEN {'1', '2'}", "'size' is an int64 and never compares with a text"),
      ("size BEGINSWITH '1'", "'size' is an int64 and never compares with a text"),
      ("rare == 1", "'rare' is a boolean and never compares with a number"),
      ("name == 7", "'name' is a string and never compares with a number"),
      ("place == 'Rome'", "'place' is a location and never compares with a text"),
      ("modificationDate > '2026-12-01'", "'modificationDate' is a date and never compares with a text"),
      ("tags CONTAINS 7", "'tags' is a list<string> and never compares with a number"),
      ("ANY tags == 7", "'tags' is a list<string> and never compares with a number"),
      (
        "tags == 't1'",
        "'tags' is a list<string> and never compares with a text; ANY looks at its elements"
      ),
    ])
  func mismatches(predicate: String, sentence: String) throws {
    let plan = try plan(predicate)
    #expect(plan.reason.hasSuffix("; \(sentence)"), "\(plan.reason)")
  }

  @Test(
    "nothing is told of constants that a field may compare with",
    arguments: [
      "size > 20.5", "size == NULL", "size IN {'1', 2}", "size != '20'", "name == 'p'", "name IN 'page'",
      "tags CONTAINS 't1'", "ANY tags == 't1'", "rare == YES", "section.x == 7", "size == n",
    ])
  func noMismatch(predicate: String) throws {
    #expect(try !plan(predicate).reason.contains("never compares"))
  }

  @Test("an index that is still being built is not read, and named")
  func building() throws {
    declare("size")
    let file = try Database(path: store.reader.file.path, access: .readWrite, busyTimeout: 5000)
    try file.execute(
      """
      BEGIN IMMEDIATE;
      DELETE FROM entry WHERE declaredIndex = (SELECT max(id) FROM declaredIndex);
      UPDATE declaredIndex SET reached = 0 WHERE id = (SELECT max(id) FROM declaredIndex);
      UPDATE store SET schema = schema + 1;
      COMMIT
      """)
    store.reader.renew()
    let plan = try plan("size == 10")
    #expect(plan.access == .type && plan.rowsReturned == 3)
    #expect(plan.reason.contains("the index on size is still being built"))
  }

  @Test("counting reads no records where an index decides the predicate")
  func counting() throws {
    declare("section", "size")
    declare("tags", kind: .elements)
    for (predicate, count) in [
      ("section == 'net'", 600), ("section IN {'net', 'kde'}", 1200), ("NOT section == 'net'", 2400),
      ("section == 'net' AND size < 0", 0), ("ANY tags == 'u7'", 75),
    ] {
      let query = Query(recordType: "Item", predicate: try Predicate(parsing: predicate), resultsLimit: 1)
      let counted = try store.reader.read { connection, state throws(SQLiteError) -> Int? in
        var budget = RowBudget(rows: 200)
        return try PlannedQuery(query, for: .all, connection, state).countByIndex(&budget)
      }
      #expect(counted == count, "\(predicate)")
    }
    let open = Query(
      recordType: "Item", predicate: try Predicate(parsing: "section == 'net' AND name CONTAINS '1'"),
      resultsLimit: 1)
    #expect(
      try store.reader.read { connection, state throws(SQLiteError) -> Int? in
        var budget = RowBudget(rows: 200)
        return try PlannedQuery(open, for: .all, connection, state).countByIndex(&budget)
      } == nil)
  }

  @Test("the index that a query wants has its equal keys, its range and its order")
  func wanted() throws {
    func wanted(_ predicate: String, _ order: [SortDescriptor] = []) throws -> [String] {
      let query = Query(
        recordType: "Item", predicate: try Predicate(parsing: predicate), sortDescriptors: order)
      return try store.reader.read { connection, state throws(SQLiteError) in
        try PlannedQuery(query, connection, state).wantedIndex.map(\.descriptor.key)
      }
    }
    #expect(
      try wanted("section == 'net' AND rare == NO", [Self.sort("size")]) == ["rare", "section", "size"])
    #expect(try wanted("size > 3 AND section == 'net'") == ["section", "size"])
    #expect(try wanted("size > 3", [Self.sort("size"), Self.sort("name")]) == ["size", "name"])
    #expect(try wanted("name ENDSWITH 'a'") == [])
    #expect(try wanted("TRUEPREDICATE", [Self.sort("size"), Self.sort("name", false)]) == [])
  }
}
