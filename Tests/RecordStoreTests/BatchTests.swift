import JSONRPC
import Records
import Testing

@testable import RecordStore

@Suite struct BatchTests {
  let store: TestStore

  init() throws { store = try TestStore(inMemory: true) }

  private func save(_ json: String, policy: SavePolicy = .allKeys) throws -> WriteOperation {
    .save(try draft(json), policy: policy)
  }

  @Test("an atomic batch is one commit, in order")
  func atomic() throws {
    let result = try store.write([
      save(#"{"n":"a","v":1}"#), save(#"{"n":"b","v":1}"#), deletion("a"), save(#"{"n":"b","v":2}"#),
    ])
    #expect(result.items.count == 4)
    #expect(try store.fetch("a") == nil)
    #expect(try store.fetch("b")?.fieldsText == #"{"v":2}"#)
    #expect(store.inbox.changeSets.count == 1)
    // What came and went within the commit is told to nobody.
    #expect(store.inbox.changeSets[0].changes.map(\.recordName) == ["b"])
    #expect(store.inbox.changeSets[0].changeToken == result.changeToken)
  }

  @Test("each version within a batch has a tag of its own")
  func tags() throws {
    let result = try store.write([
      save(#"{"n":"a","v":1}"#), save(#"{"n":"a","v":2}"#), save(#"{"n":"a","v":3}"#),
    ])
    let tags = result.items.compactMap { item -> String? in
      guard case .saved(let record)? = try? item.get() else { return nil }
      return record.recordChangeTag
    }
    #expect(Set(tags).count == 3)
    #expect(try store.fetch("a")?.recordChangeTag == tags[2])
    #expect(refusal { try store.delete("a", tag: tags[0]) } == .serverRecordChanged)
  }

  @Test(
    "a batch that fails leaves nothing, and the true cause stands at the true operation", arguments: 0..<3)
  func failure(_ place: Int) throws {
    try store.save(#"{"n":"old","v":1}"#)
    let token = try store.reader.changeToken
    let changeSets = store.inbox.changeSets.count
    var operations = try [
      save(#"{"n":"a","v":1,"new":true}"#), deletion("old"), save(#"{"n":"c","type":"New","x":1}"#),
    ]
    operations.insert(
      try save(#"{"n":"old","v":2,"t":"bogus"}"#, policy: .ifServerRecordUnchanged), at: place)
    if place > 1 { operations[1] = try save(#"{"n":"old","v":3}"#) }
    let failure = try #require(throws: WriteFailure.self) { try store.write(operations) }
    #expect(failure.error.code == .batchRequestFailed)
    #expect(
      failure.items.map(\.code)
        == (0..<4).map { $0 == place ? .serverRecordChanged : .batchRequestFailed })
    #expect(try store.reader.changeToken == token)
    #expect(store.inbox.changeSets.count == changeSets)
    #expect(try store.names() == ["old"] && store.names(type: "New") == [])
    #expect(try store.reader.statistics().records == 1)
    // Neither the fields nor the types of the batch were registered.
    try store.save(#"{"n":"b","new":"text"}"#)
    try store.save(#"{"n":"d","type":"New","x":"text"}"#)
  }

  @Test("without atomicity each operation is for itself, a commit each")
  func each() throws {
    let result = try store.write(
      [save(#"{"n":"a","v":1}"#), deletion("none"), save(#"{"n":"b","v":"x"}"#), save(#"{"n":"c","v":2}"#)],
      atomic: false)
    let codes = result.items.map { item -> RecordError.Code? in
      if case .failure(let error) = item { error.code } else { nil }
    }
    #expect(codes == [nil, .unknownItem, .fieldTypeMismatch, nil])
    #expect(store.inbox.changeSets.map { $0.changes.map(\.recordName) } == [["a"], ["c"]])
    #expect(store.inbox.changeSets.last?.changeToken == result.changeToken)
  }

  @Test("a failed batch does not concern those that share its transaction")
  func neighbours() throws {
    let store = try TestStore()
    let locked = try LockedFile(store.path)
    let first = store.submit([try save(#"{"n":"a","v":1}"#)])
    let failing = store.submit([try save(#"{"n":"b","v":1}"#), deletion("none")])
    let last = store.submit([try save(#"{"n":"c","v":1}"#), try save(#"{"n":"d","v":1}"#)])
    locked.release()
    _ = try store.inbox.write(first).get()
    #expect(throws: WriteFailure.self) { try store.inbox.write(failing).get() }
    _ = try store.inbox.write(last).get()
    store.reader.renew()
    #expect(try store.names() == ["a", "c", "d"])
  }

  @Test("a record deleted and made anew in one commit is told as both")
  func madeAnew() throws {
    let old = try store.save(#"{"n":"a","v":1}"#)
    _ = try store.write([deletion("a"), save(#"{"n":"a","v":2}"#)])
    let changes = try #require(store.inbox.changeSets.last?.changes)
    #expect(changes.map(\.before) == [old, nil])
    #expect(changes.map { $0.after?.fieldsText } == [nil, #"{"v":2}"#])
  }
}
