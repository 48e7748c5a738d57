import Glibc
import JSONRPC
import SQLite
import Testing

@testable import RecordStore
@testable import Records

/// That indexes change no answer: random records, predicates, orders and indexes. Each round has a seed, told
/// with what fails; `LISTS_AGREEMENT_ROUNDS` asks for more rounds than the few of an ordinary run, and
/// `LISTS_AGREEMENT_SEED` for others.
@Suite struct AgreementTests {
  private static func number(_ name: String) -> UInt64? {
    getenv(name).flatMap { UInt64(String(cString: $0)) }
  }

  static var seeds: [UInt64] {
    let first = number("LISTS_AGREEMENT_SEED") ?? 1
    return (0..<(number("LISTS_AGREEMENT_ROUNDS") ?? 4)).map { first + $0 }
  }

  @Test("a query with indexes, one without any, and a live filter agree", arguments: seeds)
  func agreement(seed: UInt64) throws {
    var round = try AgreementRound(seed: seed)
    do {
      try round.check(queries: 20)
      try round.declareIndexes()
      try round.check(queries: 50)
    } catch {
      Issue.record("seed \(seed): \(error), \(round.log)")
    }
  }
}

/// A store with random records, and what a query of it must give.
private struct AgreementRound {
  private let seed: UInt64
  private let store: TestStore
  private var random: RandomRecords
  /// Neither changed between pages nor taken away.
  private var steady: [StoredRecord] = []
  private var others: [StoredRecord] = []

  private static let zone = "second"

  var log: [String] { store.log.all }

  init(seed: UInt64) throws {
    self.seed = seed
    random = RandomRecords(generator: Generator(seed: seed))
    store = try TestStore(inMemory: true)
    let file = try Database(path: store.reader.file.path, access: .readWrite, busyTimeout: 5000)
    try file.execute("INSERT INTO zone (name) VALUES ('\(Self.zone)'); UPDATE store SET schema = schema + 1")
    var operations = [WriteOperation.save(try draft(RandomRecords.first), policy: .allKeys)]
    for name in ["o1", "o2"] {
      operations.append(.save(try draft(random.record(named: name, type: "Other")), policy: .allKeys))
    }
    for number in 0..<50 {
      var sent = try draft(random.record(named: "\(number)"))
      if random.one(in: 4) { sent.zoneName = Self.zone }
      operations.append(.save(sent, policy: .allKeys))
    }
    // The same name in both zones.
    var twin = try draft(random.record(named: "3"))
    twin.zoneName = Self.zone
    operations.append(.save(twin, policy: .allKeys))
    for result in try store.write(operations).items {
      guard case .saved(let record) = try result.get() else { continue }
      steady.removeAll { $0.recordName == record.recordName && $0.zoneName == record.zoneName }
      if record.recordType == "Item" { steady.append(record) } else { others.append(record) }
    }
    store.reader.renew()
  }

  mutating func declareIndexes() throws {
    for (kind, keys) in RandomRecords.indexes where random.one(in: 3) {
      let done = Semaphore()
      store.store.declareIndex(recordType: "Item", parts: RandomRecords.parts(keys), kind: kind) { error in
        if let error { Issue.record("\(keys): \(error)") }
        done.signal()
      }
      done.wait()
    }
    // One that is not built yet holds less than it should, and must not be read.
    if random.one(in: 2) {
      let file = try Database(path: store.reader.file.path, access: .readWrite, busyTimeout: 5000)
      try file.execute(
        """
        BEGIN IMMEDIATE;
        DELETE FROM entry WHERE declaredIndex = (SELECT max(id) FROM declaredIndex WHERE kind = 'ordered');
        UPDATE declaredIndex SET reached = 0 WHERE id =
          (SELECT max(id) FROM declaredIndex WHERE kind = 'ordered') AND keys <> '[]';
        UPDATE store SET schema = schema + 1;
        COMMIT
        """)
    }
    store.reader.renew()
  }

  // MARK: What is right

  /// The records by the letter of the predicate.
  private struct Lookup: RecordResolver {
    let records: [StoredRecord]

    func record(named recordName: String, inZone zoneName: String) -> StoredRecord? {
      records.first { $0.recordName == recordName && $0.zoneName == zoneName }
    }
  }

  private func expected(_ query: Query) throws -> [StoredRecord] {
    let lookup = Lookup(records: steady + others)
    let order = QueryOrder(query, constant: [])
    return try steady.filter { record in
      let isMatch = query.predicate.matchesByDefinition(record, resolver: lookup)
      #expect(query.predicate.matches(record, resolver: lookup) == isMatch, "\(query.predicate.text)")
      return isMatch && query.zoneName.map { $0 == record.zoneName } ?? true
    }.map { (record: $0, position: try order.position(of: $0, lookup)) }
      .sorted { $0.position < $1.position }.map(\.record)
  }

  // MARK: Checks

  mutating func check(queries count: Int) throws {
    var read = 0
    for _ in 0..<count {
      var predicates = RandomPredicates(random)
      let predicate: Predicate?
      do { predicate = try predicates.predicate() } catch let error as RecordError {
        // A text that says nothing of sense for the types of its parts.
        #expect(error.code == .invalidArguments)
        predicate = nil
      }
      random = predicates.records
      guard let predicate else { continue }
      read += 1
      try check(predicate)
    }
    #expect(read > count / 2)
  }

  private mutating func check(_ predicate: Predicate) throws {
    var query = Query(
      recordType: "Item", zoneName: random.one(in: 5) ? random.pick([Self.zone, "_defaultZone"]) : nil,
      predicate: predicate, sortDescriptors: random.order(), resultsLimit: random.pick([1, 2, 3, 7, 1000]))
    let expected = try expected(query)
    let isDisturbed = random.one(in: 3)
    var found: [StoredRecord] = []
    var plan: QueryPlan?
    repeat {
      let page = try #require(try store.reader.query(query, budget: .max))
      plan = page.plan
      #expect(page.records.count <= query.resultsLimit)
      found += page.records
      query.cursor = page.cursor
      if isDisturbed, page.cursor != nil { try disturb() }
    } while query.cursor != nil
    let names = found.filter { !$0.recordName.hasPrefix("x") }.map { "\($0.recordName) \($0.zoneName)" }
    let account = "seed \(seed), \(predicate.text), \(query.sortDescriptors), plan \(plan as Any)"
    #expect(names == expected.map { "\($0.recordName) \($0.zoneName)" }, "\(account)")
    if isDisturbed { try calm() }
    #expect(try store.reader.count(query, budget: .max)?.count == expected.count, "\(account)")
    try checkKeys(query, expected, account)
  }

  /// Writes that concern none of the steady records.
  private mutating func disturb() throws {
    let name = "x\(Int.random(in: 0..<4, using: &random.generator))"
    if random.one(in: 3) {
      try store.delete(name, ignoresMissing: true)
    } else {
      try store.save(random.record(named: name))
    }
  }

  private func calm() throws {
    for number in 0..<4 { try store.delete("x\(number)", ignoresMissing: true) }
  }

  /// Counts by a key, where an index gives them.
  private mutating func checkKeys(_ query: Query, _ expected: [StoredRecord], _ account: String) throws {
    let path = FieldPath(random.pick(["x", "i", "b", "d", "o.a", "tags"]))!
    let isDescending = random.one(in: 2)
    var counts: [[UInt8]: Int] = [:]
    for record in expected {
      var key: [UInt8] = []
      SortKey.append(record.value(at: path), to: &key)
      counts[key, default: 0] += 1
    }
    let found = try store.reader.read { connection, state throws(SQLiteError) -> [KeyCounting.Count]? in
      let planned = try PlannedQuery(query, for: .all, connection, state)
      guard let counting = planned.keyCounting(of: path) else { return nil }
      var counts: [KeyCounting.Count] = []
      var budget = RowBudget(rows: .max)
      _ = try counting.forEach(descending: isDescending, &budget) { count in
        counts.append(count)
        return true
      }
      return counts
    }
    guard let found else { return }
    let keys = counts.keys.sorted { $0.lexicographicallyPrecedes($1) }
    #expect(found.map(\.key) == (isDescending ? keys.reversed() : keys), "\(account), by \(path)")
    for count in found { #expect(count.count == counts[count.key], "\(account), by \(path)") }
  }
}
