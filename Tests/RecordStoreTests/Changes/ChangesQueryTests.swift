import Records
import Testing

@testable import RecordStore

/// Changes that are asked for in pages.
@Suite struct ChangesQueryTests {
  let store: TestStore

  init() throws { store = try TestStore(inMemory: true) }

  /// A page that is made at once, or apart when it is to be, as a service does it.
  private func page(_ query: ChangesQuery) throws -> ChangesResult {
    var sent = query
    // As a client would: the place goes through its text.
    if let since = query.since {
      let received: ChangesCursor = try #require(ChangesCursor(text: since.text))
      sent.since = received
    }
    if let page = try store.reader.changes(sent, nanoseconds: .max) { return page }
    guard case .changes(let page) = try store.inbox.read(store.store.submit(.changes(sent))) else {
      throw RecordError(.internalError, "no changes")
    }
    return page
  }

  private func pages(
    _ query: ChangesQuery, betweenPages: () throws -> Void = {}
  ) throws -> (changes: [RecordChange], end: ChangesCursor) {
    var query = query
    var changes: [RecordChange] = []
    while true {
      let page = try page(query)
      changes += page.changes
      guard page.moreComing else { return (changes, page.cursor) }
      query.since = page.cursor
      try betweenPages()
    }
  }

  private func apply(_ changes: [RecordChange], to held: inout [String: StoredRecord]) {
    for change in changes {
      #expect(held[change.recordName] == change.before, "\(change.recordName)")
      held[change.recordName] = change.after
    }
  }

  private func everything(type: String? = nil) throws -> [String: StoredRecord] {
    let query = Query(recordType: type, predicate: .everything, resultsLimit: .max, maximumBytes: .max)
    let records = try #require(try store.reader.query(query, budget: .max)).records
    return Dictionary(uniqueKeysWithValues: records.map { ($0.recordName, $0) })
  }

  private func randomWrite(_ generator: inout Generator) throws {
    let operations = try (0..<Int.random(in: 1...9, using: &generator)).map { _ in
      let name = "\("abcdefghijklmnop".randomElement(using: &generator)!)"
      if Int.random(in: 0..<3, using: &generator) == 0 { return deletion(name, ignoresMissing: true) }
      let value = Int.random(in: 0..<3, using: &generator)
      return WriteOperation.save(try draft(#"{"n":"\#(name)","v":\#(value)}"#), policy: .changedKeys)
    }
    _ = try store.write(operations)
  }

  @Test(
    "what pages tell adds up to what is there, whatever is written between them",
    arguments: 0..<12 as Range<UInt64>)
  func addsUp(seed: UInt64) throws {
    var generator = Generator(seed: seed)
    for _ in 0..<10 { try randomWrite(&generator) }
    var held: [String: StoredRecord] = [:]
    var query = ChangesQuery(since: nil, resultsLimit: Int.random(in: 1...5, using: &generator))
    var writes = 12
    while true {
      let page = try page(query)
      #expect(page.changes.count <= query.resultsLimit + 1)
      apply(page.changes, to: &held)
      query.since = page.cursor
      if writes > 0, Bool.random(using: &generator) {
        writes -= 1
        try randomWrite(&generator)
      } else if !page.moreComing {
        break
      }
    }
    #expect(try held == everything())
    #expect(try query.since?.changeToken == store.reader.changeToken)
  }

  @Test("everything is told as of one position, and what changed meanwhile after it")
  func onePosition() throws {
    for name in ["a", "b", "c", "d"] { try store.save(#"{"n":"\#(name)","v":1}"#) }
    let first = try page(ChangesQuery(since: nil, resultsLimit: 2))
    #expect(first.changes.map(\.recordName) == ["a", "b"] && first.moreComing)
    #expect(first.changes.allSatisfy { $0.before == nil && $0.origin?.userID == 1000 })
    #expect(first.cursor.changeToken == nil)
    try store.save(#"{"n":"c","v":2}"#)
    try store.delete("d")
    try store.save(#"{"n":"a","v":2}"#)
    try store.save(#"{"n":"e","v":1}"#)
    let second = try page(ChangesQuery(since: first.cursor, resultsLimit: 10))
    #expect(second.changes.map(\.recordName) == ["c", "d"])
    #expect(second.changes.map { $0.after?.fieldsText } == [#"{"v":1}"#, #"{"v":1}"#])
    #expect(second.moreComing && second.cursor.changeToken != nil)
    let third = try page(ChangesQuery(since: second.cursor, resultsLimit: 10))
    #expect(third.changes.map(\.recordName) == ["c", "d", "a", "e"])
    #expect(third.changes.map { $0.before == nil } == [false, false, false, true])
    #expect(!third.moreComing)
  }

  @Test("a commit of many changes is divided, and no part of it told twice")
  func dividedCommit() throws {
    let token = try store.reader.changeToken
    _ = try store.write(
      try (0..<50).map { .save(try draft(#"{"n":"\#(100 + $0)","v":1}"#), policy: .allKeys) })
    let first = try page(ChangesQuery(since: ChangesCursor(token), resultsLimit: 20))
    #expect(first.changes.count == 20 && first.cursor.changeToken == nil)
    try store.save(#"{"n":"145","v":2}"#)
    let rest = try pages(ChangesQuery(since: first.cursor, resultsLimit: 20))
    #expect((first.changes + rest.changes).map(\.recordName) == (100..<150).map(String.init) + ["145"])
    #expect(try rest.end.changeToken == store.reader.changeToken)
  }

  @Test("only the records of the type are told, also of those that changed since")
  func ofType() throws {
    for name in ["a", "b", "c"] { try store.save(#"{"n":"\#(name)","v":1}"#) }
    try store.save(#"{"n":"o","type":"Other","v":1}"#)
    var query = ChangesQuery(since: nil, recordType: "Other", resultsLimit: 1)
    #expect(try pages(query).changes.map(\.recordName) == ["o"])
    query.recordType = "Item"
    let first = try page(query)
    try store.delete("b")
    try store.save(#"{"n":"b","type":"Other","v":2}"#)
    query.since = first.cursor
    let rest = try pages(query)
    #expect((first.changes + rest.changes).map(\.recordName) == ["a", "b", "c", "b"])
    #expect(rest.changes.last?.after == nil)
    query.recordType = "Nothing"
    query.since = nil
    #expect(try pages(query).changes.isEmpty)
  }

  @Test("pages are of bounded size, and end all the same")
  func bounded() throws {
    let text = String(repeating: "x", count: 1000)
    for number in 0..<20 { try store.save(#"{"n":"\#(100 + number)","v":"\#(text)"}"#) }
    let start = ChangesCursor(ChangeToken(store: try store.reader.changeToken.store, epoch: 0, sequence: 0))
    for since in [nil, start] {
      let query = ChangesQuery(since: since, resultsLimit: 100, maximumBytes: 3000)
      #expect(try page(query).changes.count == 3)
      #expect(try pages(query).changes.count == 20)
    }
    // The budget is spent at once.
    let none = ChangesQuery(since: nil, recordType: "Other", resultsLimit: 100)
    let page = try #require(try store.reader.changes(none, nanoseconds: 0))
    #expect(page.changes.isEmpty && !page.moreComing)
  }

  @Test("a long log is gone through apart")
  func apart() throws {
    let start = ChangesCursor(ChangeToken(store: try store.reader.changeToken.store, epoch: 0, sequence: 0))
    for round in 0..<3 {
      _ = try store.write(
        try (0..<1000).map { .save(try draft(#"{"n":"\#($0)","v":\#(round)}"#), policy: .allKeys) })
    }
    let query = ChangesQuery(since: start, resultsLimit: 300)
    #expect(try store.reader.changes(query, nanoseconds: .max) == nil)
    let told = try pages(query).changes
    #expect(told.count == 1000 && told.allSatisfy { $0.before == nil && $0.after?.fieldsText == #"{"v":2}"# })
  }

  @Test("pages that started from what is no longer kept are refused")
  func pruned() throws {
    var limits = StoreLimits()
    limits.maximumHistoryChanges = 5
    let store = try TestStore(inMemory: true, limits: limits)
    for name in ["a", "b", "c"] { try store.save(#"{"n":"\#(name)","v":1}"#) }
    let first = try #require(
      try store.reader.changes(ChangesQuery(since: nil, resultsLimit: 1), nanoseconds: .max))
    for number in 0..<9 { try store.save(#"{"n":"a","v":\#(number)}"#) }
    let code = refusal { try store.reader.changes(ChangesQuery(since: first.cursor), nanoseconds: .max) }
    #expect(code == .changeTokenExpired)
  }

  @Test("a zone that isn't there is refused")
  func noZone() {
    #expect(
      refusal { try store.reader.changes(ChangesQuery(since: nil, zoneName: "z"), nanoseconds: .max) }
        == .zoneNotFound)
  }

  @Test(
    "text that is no place is told from one",
    arguments: [
      "", ".", "r.1", "r.1.1-2-3-1-4", "r.-1.1-2-3", "r.01.1-2-3", "x.1.1-2-3", "v.1.1-2-3", "v.1.1-2-3-1-4",
      "r.1.2.1-2-3", "1-2-3.", ".1-2-3",
    ])
  func noPlace(_ text: String) {
    #expect(ChangesCursor(text: text) == nil)
  }
}
