import JSONRPC
import Records
import Testing

@testable import RecordStore

/// The store's part in saved subscriptions: that they stay, and what is done to them.
@Suite struct SavedSubscriptionTests {
  let store: TestStore

  init() throws { store = try TestStore() }

  @discardableResult
  private func item(
    _ operation: WriteOperation, by user: UInt32 = 1000, in store: TestStore? = nil
  ) throws -> ItemResult {
    let store = store ?? self.store
    let request = WriteRequest(caller: Caller(userID: user, connection: 1), operations: [operation])
    let result = store.inbox.write(store.store.submit(request))
    store.reader.renew()
    switch result {
    case .success(let written): return try written.items[0].get()
    case .failure(let failure): throw failure.error
    }
  }

  /// Whether it begins anew.
  @discardableResult
  private func save(
    _ id: String, _ definition: String = "{}", since: ChangeToken? = nil, by user: UInt32 = 1000,
    in store: TestStore? = nil
  ) throws -> Bool {
    let operation = SaveSubscriptionOperation(id: id, definition: definition, since: since)
    guard
      case .savedSubscription(_, let isChanged) = try item(.saveSubscription(operation), by: user, in: store)
    else { throw RecordError(.internalError, "not saved") }
    return isChanged
  }

  private func acknowledge(_ id: String, _ token: ChangeToken, in store: TestStore? = nil) throws {
    try item(.acknowledge(AcknowledgeOperation(id: id, position: token)), in: store)
  }

  private func remove(_ id: String, ignoresMissing: Bool = false) throws {
    try item(.deleteSubscription(DeleteSubscriptionOperation(id: id, ignoresMissing: ignoresMissing)))
  }

  @Test("what was saved and acknowledged is there after a new start, and no position was made by it")
  func stays() throws {
    try store.save(#"{"n":"a","v":1}"#)
    let first = try store.reader.changeToken
    try save("b", #"{"recordType":"Item"}"#)
    try save("a")
    try save("a", by: 7)
    try store.save(#"{"n":"a","v":2}"#)
    let second = try store.reader.changeToken
    try acknowledge("b", second)
    #expect(try store.reader.changeToken == second)
    let expected = [
      SavedSubscription(id: "a", definition: "{}", position: first.text, isStarted: false),
      SavedSubscription(
        id: "b", definition: #"{"recordType":"Item"}"#, position: second.text, isStarted: true),
    ]
    #expect(try store.reader.savedSubscriptions(ofUser: 1000) == expected)
    store.close()
    let again = try TestStore(in: store.folder)
    #expect(try again.reader.savedSubscriptions(ofUser: 1000) == expected)
    #expect(try again.reader.savedSubscription("a", ofUser: 7) == expected[0])
    #expect(try again.reader.savedSubscription("b", ofUser: 7) == nil)
  }

  @Test("the same definition keeps its position, another begins anew")
  func definitions() throws {
    let start = try store.reader.changeToken
    #expect(try save("s", "{}", since: start))
    try store.save(#"{"n":"a","v":1}"#)
    let token = try store.reader.changeToken
    try acknowledge("s", token)
    try store.save(#"{"n":"a","v":2}"#)
    #expect(try !save("s", "{}", since: start))
    #expect(try store.reader.savedSubscription("s", ofUser: 1000)?.position == token.text)
    #expect(try save("s", #"{"zoneName":"_defaultZone"}"#))
    let anew = try #require(try store.reader.savedSubscription("s", ofUser: 1000))
    #expect(try anew.position == store.reader.changeToken.text && !anew.isStarted)
    #expect(try save("s", "{}", since: token))
    #expect(try store.reader.savedSubscription("s", ofUser: 1000)?.position == token.text)
  }

  @Test("an acknowledged position may go back, but never to another store or ahead of this one")
  func positions() throws {
    let start = try store.reader.changeToken
    try save("s")
    try store.save(#"{"n":"a","v":1}"#)
    let token = try store.reader.changeToken
    try acknowledge("s", token)
    try acknowledge("s", start)
    #expect(try store.reader.savedSubscription("s", ofUser: 1000)?.position == start.text)
    let other = ChangeToken(store: token.store ^ 1, epoch: token.epoch, sequence: token.sequence)
    let future = ChangeToken(store: token.store, epoch: token.epoch, sequence: token.sequence + 1)
    let undone = ChangeToken(store: token.store, epoch: token.epoch ^ 1, sequence: token.sequence)
    for bad in [other, future, undone] {
      #expect(refusal { try acknowledge("s", bad) } == .changeTokenExpired)
      #expect(refusal { try save("t", since: bad) } == .changeTokenExpired)
    }
    #expect(refusal { try acknowledge("t", token) } == .unknownItem)
    #expect(try store.reader.savedSubscriptions(ofUser: 1000).count == 1)
  }

  @Test("a position that is no longer kept may be acknowledged, but not begun at")
  func pruned() throws {
    var limits = StoreLimits()
    limits.maximumHistoryChanges = 5
    let store = try TestStore(inMemory: true, limits: limits)
    let start = try store.reader.changeToken
    try save("s", in: store)
    for number in 0..<20 { try store.save(#"{"n":"a","v":\#(number)}"#) }
    try acknowledge("s", start, in: store)
    #expect(refusal { try save("t", since: start, in: store) } == .changeTokenExpired)
    #expect(try store.reader.statistics().changes == 5)
  }

  @Test("what was deleted is gone")
  func deleted() throws {
    try save("s")
    try remove("s")
    #expect(try store.reader.savedSubscriptions(ofUser: 1000).isEmpty)
    #expect(refusal { try remove("s") } == .unknownItem)
    try remove("s", ignoresMissing: true)
  }

  @Test("a user has no more of them than the limit")
  func limit() throws {
    var limits = StoreLimits()
    limits.maximumSavedSubscriptions = 2
    let store = try TestStore(inMemory: true, limits: limits)
    for id in ["a", "b"] { try save(id, in: store) }
    #expect(refusal { try save("c", in: store) } == .limitExceeded)
    try save("b", #"{"recordType":"Item"}"#, in: store)
    try save("c", by: 7, in: store)
  }
}
