import JSONRPC
import Records
import Testing

@testable import RecordStore

@Suite struct ChangesTests {
  let store: TestStore

  init() throws { store = try TestStore(inMemory: true) }

  /// All pages of a replay.
  private func replay(
    _ store: TestStore, after token: ChangeToken, limit: Int = 1000, betweenPages: () throws -> Void = {}
  ) throws -> (changes: [RecordChange], token: ChangeToken) {
    var changes: [RecordChange] = []
    var token = token
    while true {
      // As a client would: the token goes through its text.
      let sent = try #require(ChangeToken(text: token.text))
      let page = try store.reader.changes(after: sent, limit: limit)
      changes += page.changeSet.changes
      token = page.changeSet.changeToken
      guard page.moreComing else { return (changes, token) }
      try betweenPages()
    }
  }

  @Test("a replay tells each record once, as it was and as it is")
  func coalesced() throws {
    try store.save(#"{"n":"a","v":1}"#)
    try store.save(#"{"n":"b","v":1}"#)
    try store.save(#"{"n":"c","v":1}"#)
    let token = try store.reader.changeToken
    try store.save(#"{"n":"a","v":2}"#)
    try store.save(#"{"n":"a","v":3}"#)
    try store.delete("b")
    try store.save(#"{"n":"d","v":1}"#)
    try store.save(#"{"n":"e","v":1}"#)
    try store.delete("e")
    let (changes, end) = try replay(store, after: token)
    // The last came and went: whoever was cut off may have been told of it.
    #expect(changes.map(\.recordName) == ["a", "b", "d", "e"])
    #expect(changes.map { $0.before?.fieldsText } == [#"{"v":1}"#, #"{"v":1}"#, nil, nil])
    #expect(changes.map { $0.after?.fieldsText } == [#"{"v":3}"#, nil, #"{"v":1}"#, nil])
    #expect(changes.allSatisfy { $0.origin == Caller(userID: 1000, connection: 0) })
    #expect(try end == store.reader.changeToken)
    #expect(try replay(store, after: end).changes.isEmpty)
  }

  @Test("a record deleted and made anew is told as both")
  func madeAnew() throws {
    let old = try store.save(#"{"n":"a","v":1}"#)
    let token = try store.reader.changeToken
    try store.delete("a")
    let new = try store.save(#"{"n":"a","type":"Other","v":2}"#)
    let (changes, _) = try replay(store, after: token)
    #expect(changes.map(\.before) == [old, nil] && changes.map(\.after) == [nil, new])
    #expect(changes.map(\.recordType) == ["Item", "Other"])
  }

  @Test("live change sets and a replay of the same time say the same")
  func sameAsLive() throws {
    try store.save(#"{"n":"a","v":1}"#)
    let token = try store.reader.changeToken
    _ = try store.write([
      .save(try draft(#"{"n":"a","v":2}"#), policy: .allKeys),
      .save(try draft(#"{"n":"b"}"#), policy: .allKeys),
    ])
    let live = try #require(store.inbox.changeSets.last)
    let page = try store.reader.changes(after: token, limit: 10)
    #expect(page.changeSet.sequence == live.sequence && page.changeSet.changeToken == live.changeToken)
    #expect(page.changeSet.changes.map(\.before) == live.changes.map(\.before))
    #expect(page.changeSet.changes.map(\.after) == live.changes.map(\.after))
  }

  // MARK: The property

  /// What a client holds that applies changes, checking that each fits what it holds.
  private func apply(_ changes: [RecordChange], to held: inout [String: StoredRecord]) {
    for change in changes {
      #expect(held[change.recordName] == change.before, "\(change.recordName)")
      held[change.recordName] = change.after
    }
  }

  private func everything(_ store: TestStore) throws -> [String: StoredRecord] {
    let query = Query(recordType: nil, predicate: .everything, resultsLimit: .max, maximumBytes: .max)
    let records = try #require(try store.reader.query(query, budget: .max)).records
    return Dictionary(uniqueKeysWithValues: records.map { ($0.recordName, $0) })
  }

  private func randomRequest(_ generator: inout Generator) throws -> (
    operations: [WriteOperation], atomic: Bool
  ) {
    let count = Int.random(in: 1...4, using: &generator)
    let operations = try (0..<count).map { _ in
      let name = "\("abcdefgh".randomElement(using: &generator)!)"
      if Int.random(in: 0..<3, using: &generator) == 0 { return deletion(name, ignoresMissing: true) }
      let value = Int.random(in: 0..<3, using: &generator)
      return WriteOperation.save(try draft(#"{"n":"\#(name)","v":\#(value)}"#), policy: .changedKeys)
    }
    return (operations, Bool.random(using: &generator))
  }

  @Test(
    "applying a replay to what was there gives what is there, whatever the pages and what is written meanwhile",
    arguments: 0..<12 as Range<UInt64>)
  func property(seed: UInt64) throws {
    var generator = Generator(seed: seed)
    var snapshots: [(token: ChangeToken, records: [String: StoredRecord])] = []
    for _ in 0..<40 {
      if Int.random(in: 0..<4, using: &generator) == 0 {
        snapshots.append((try store.reader.changeToken, try everything(store)))
      }
      let (operations, atomic) = try randomRequest(&generator)
      _ = try store.write(operations, atomic: atomic)
    }
    for snapshot in snapshots {
      var held = snapshot.records
      let limit = Int.random(in: 1...5, using: &generator)
      var writes = 3
      var token = snapshot.token
      while true {
        let page = try store.reader.changes(after: token, limit: limit)
        apply(page.changeSet.changes, to: &held)
        token = page.changeSet.changeToken
        if writes > 0, Bool.random(using: &generator) {
          writes -= 1
          let (operations, atomic) = try randomRequest(&generator)
          _ = try store.write(operations, atomic: atomic)
        } else if !page.moreComing {
          break
        }
      }
      #expect(try held == everything(store))
      #expect(try token == store.reader.changeToken)
    }
  }

  // MARK: Tokens

  private func reason(_ store: TestStore, _ token: ChangeToken) throws -> String? {
    do {
      _ = try store.reader.changes(after: token, limit: 10)
      return nil
    } catch {
      #expect(error.code == .changeTokenExpired)
      #expect(try error.detail("changeToken")?.stringValue == store.reader.changeToken.text)
      return error.detail("reason")?.stringValue
    }
  }

  @Test("a token of another store is refused with a fresh one")
  func otherStore() throws {
    let other = try TestStore()
    try other.save(#"{"n":"a","v":1}"#)
    try store.save(#"{"n":"a","v":1}"#)
    #expect(try reason(store, other.reader.changeToken) == "otherStore")
  }

  @Test("a token from the future is refused")
  func future() throws {
    try store.save(#"{"n":"a","v":1}"#)
    let token = try store.reader.changeToken
    let later = ChangeToken(store: token.store, epoch: token.epoch, sequence: token.sequence + 1)
    #expect(try reason(store, later) == "future")
  }

  @Test("a token from before the kept changes is refused, one from after is not")
  func pruned() throws {
    var limits = StoreLimits()
    limits.maximumHistoryChanges = 5
    let store = try TestStore(inMemory: true, limits: limits)
    try store.save(#"{"n":"gone","v":1}"#)
    let old = try store.reader.changeToken
    try store.delete("gone")
    for number in 0..<20 { try store.save(#"{"n":"a","v":\#(number)}"#) }
    #expect(try reason(store, old) == "pruned")
    #expect(try store.reader.statistics().changes == 5)
    let recent = ChangeToken(store: old.store, epoch: old.epoch, sequence: try store.reader.sequence - 5)
    #expect(try replay(store, after: recent).changes.map(\.recordName) == ["a"])
    let tooOld = ChangeToken(store: old.store, epoch: old.epoch, sequence: try store.reader.sequence - 6)
    #expect(try reason(store, tooOld) == "pruned")
  }

  @Test("changes are pruned by bytes too, and deleted records leave no row behind")
  func prunedByBytes() throws {
    var limits = StoreLimits()
    limits.maximumHistoryBytes = 5000
    let store = try TestStore(inMemory: true, limits: limits)
    let text = String(repeating: "x", count: 1000)
    for number in 0..<20 {
      try store.save(#"{"n":"\#(number)","v":"\#(text)"}"#)
      try store.delete("\(number)")
    }
    let statistics = try store.reader.statistics()
    #expect(statistics.changes < 12 && statistics.records == 0)
    try store.save(#"{"n":"0","v":"x"}"#)
    #expect(try store.names() == ["0"])
  }

  @Test("a backup that was put back knows the tokens of its past, and none of the time that was undone")
  func restored() throws {
    let store = try TestStore()
    try store.save(#"{"n":"a","v":1}"#)
    let past = try store.reader.changeToken
    store.close()
    let backup = File.read(store.path)
    let original = try TestStore(in: store.folder)
    let undone = try (0..<3).map { number in
      try original.save(#"{"n":"b","v":\#(number)}"#)
      return try original.reader.changeToken
    }
    let tag = try #require(try original.fetch("b")?.recordChangeTag)
    original.close()
    let folder = TestFolder()
    File.write(backup, to: folder.file("a.db"))
    let restored = try TestStore(in: folder)
    #expect(try reason(restored, undone[0]) == "future")
    for number in 0..<3 { try restored.save(#"{"n":"b","v":\#(number)}"#) }
    for token in undone { #expect(try reason(restored, token) == "restored") }
    #expect(try replay(restored, after: past).changes.map(\.recordName) == ["b"])
    #expect(try restored.fetch("b")?.recordChangeTag != tag)
    #expect(refusal { try restored.delete("b", tag: tag) } == .serverRecordChanged)
  }

  @Test("a token and a replay go on after a new start")
  func newStart() throws {
    let store = try TestStore()
    for name in ["a", "b", "c", "d"] { try store.save(#"{"n":"\#(name)","v":1}"#) }
    let zero = ChangeToken(store: try store.reader.changeToken.store, epoch: 0, sequence: 0)
    let page = try store.reader.changes(after: zero, limit: 2)
    #expect(page.moreComing && page.changeSet.changes.map(\.recordName) == ["a", "b"])
    store.close()
    let again = try TestStore(in: store.folder)
    try again.save(#"{"n":"c","v":2}"#)
    let next = try again.reader.changes(after: page.changeSet.changeToken, limit: 10)
    #expect(next.changeSet.changes.map(\.recordName) == ["c", "d"])
    #expect(next.changeSet.changes[0].after?.fieldsText == #"{"v":1}"#)
    #expect(next.moreComing)
    let last = try again.reader.changes(after: next.changeSet.changeToken, limit: 10)
    #expect(last.changeSet.changes.map { $0.after?.fieldsText } == [#"{"v":2}"#])
    #expect(!last.moreComing)
  }

  @Test(
    "text that is no token is told from one",
    arguments: [
      "", "x", "1-2", "1-2-3-4", "1-2-3-", "1-2--3", "01-2-3", "1-2-3-4-5", "1-2-3-1-2", "1-2-+3", "A-2-3",
      "zzzzzzzzzzzzzzzzz-1-1",
    ])
  func noToken(_ text: String) {
    #expect(ChangeToken(text: text) == nil)
  }
}
