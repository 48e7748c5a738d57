import Glibc
import JSONRPC
import Records
import Synchronization
import Testing

@testable import RecordStore

/// The store's part in requests that are sent again.
@Suite struct IdempotencyTests {
  /// A clock that the test sets.
  private final class Clock: Sendable {
    private let now = Mutex<Int64>(1_796_000_000_000)

    func advance(hours: Int64) { now.withLock { $0 += hours * 3_600_000 } }
    var read: @Sendable () -> Int64 { { self.now.withLock { $0 } } }
  }

  private func request(
    _ json: String, _ key: String, user: UInt32 = 1000, answer: String? = nil
  ) throws -> WriteRequest {
    WriteRequest(
      caller: Caller(userID: user, connection: 1), operations: [.save(try draft(json), policy: .changedKeys)],
      idempotencyKey: IdempotencyKey(text: key, digest: Array(json.utf8)) { written in
        Array((answer ?? written.changeToken.text).utf8)
      })
  }

  private func ask(_ store: TestStore, _ request: WriteRequest) -> Outcome {
    let outcome = store.inbox.outcome(of: store.store.submit(request))
    store.reader.renew()
    return outcome
  }

  /// The kept answer; nil when the request was carried out.
  private func repeated(_ outcome: Outcome) throws -> String? {
    switch outcome {
    case .repeated(let result): return String(decoding: try result.get(), as: UTF8.self)
    case .write(let result):
      _ = try result.get()
      return nil
    case .read: fatalError("not a read")
    }
  }

  private let increment = #"{"n":"a","v":{"$increment":1}}"#

  private func value(in store: TestStore) throws -> String? { try store.fetch("a")?.fieldsText }

  @Test(
    "the same request is answered as before and not done again, also twice in one commit and after a new start"
  )
  func again() throws {
    let store = try TestStore()
    let first = store.store.submit(try request(increment, "k"))
    let second = store.store.submit(try request(increment, "k"))
    let token = try store.inbox.write(first).get().changeToken.text
    #expect(try repeated(store.inbox.outcome(of: second)) == token)
    store.reader.renew()
    #expect(try value(in: store) == #"{"v":1}"#)
    try store.save(#"{"n":"b"}"#)
    #expect(try repeated(ask(store, request(increment, "k"))) == token)
    store.close()
    let later = try TestStore(in: store.folder)
    #expect(try repeated(ask(later, request(increment, "k"))) == token)
    #expect(try value(in: later) == #"{"v":1}"#)
    #expect(try repeated(ask(later, request(increment, "k", user: 7))) == nil)
    #expect(try value(in: later) == #"{"v":2}"#)
  }

  @Test("another request under the key is refused, a failed one leaves the key free")
  func otherContent() throws {
    let store = try TestStore()
    _ = ask(store, try request(increment, "k"))
    let error = try #require(throws: RecordError.self) {
      try repeated(ask(store, request(#"{"n":"a","v":5}"#, "k")))
    }
    #expect(error.code == .invalidArguments && error.detail("reason")?.stringValue == "keyReused")
    #expect(try value(in: store) == #"{"v":1}"#)
    let wrong = #"{"n":"a","v":"text"}"#
    guard case .write(.failure) = ask(store, try request(wrong, "l")) else { Issue.record("done"); return }
    #expect(try repeated(ask(store, request(increment, "l"))) == nil)
  }

  @Test("an answer counts for its time, then the key is free")
  func age() throws {
    let clock = Clock()
    let store = try TestStore(clock: clock.read)
    #expect(try repeated(ask(store, request(increment, "k"))) == nil)
    clock.advance(hours: 23)
    #expect(try repeated(ask(store, request(increment, "k"))) != nil)
    clock.advance(hours: 1)
    #expect(try repeated(ask(store, request(increment, "k"))) == nil)
    #expect(try value(in: store) == #"{"v":2}"#)
    #expect(try repeated(ask(store, request(increment, "k"))) != nil)
  }

  @Test("beyond the limits the oldest go, by number and by bytes")
  func limits() throws {
    let clock = Clock()
    var limits = StoreLimits()
    limits.maximumAnswers = 3
    let store = try TestStore(limits: limits, clock: clock.read)
    for key in ["a", "b", "c", "d"] {
      _ = ask(store, try request(increment, key))
      clock.advance(hours: 1)
    }
    #expect(try repeated(ask(store, request(increment, "b"))) != nil)
    #expect(try repeated(ask(store, request(increment, "a"))) == nil)

    limits.maximumAnswerBytes = 100
    let small = try TestStore(limits: limits, clock: clock.read)
    let long = String(repeating: "x", count: 60)
    for key in ["a", "b"] {
      _ = ask(small, try request(increment, key, answer: long))
      clock.advance(hours: 1)
    }
    #expect(try repeated(ask(small, request(increment, "b"))) == long)
    #expect(try repeated(ask(small, request(increment, "a"))) == nil)
    // One that is longer than all may be is kept alone.
    let longer = String(repeating: "x", count: 200)
    _ = ask(small, try request(increment, "c", answer: longer))
    #expect(try repeated(ask(small, request(increment, "c"))) == longer)
  }

  @Test("a save that changes nothing keeps its answer, too")
  func noChange() throws {
    let store = try TestStore()
    try store.save(#"{"n":"a","v":1}"#)
    let same = #"{"n":"a","v":1}"#
    #expect(try repeated(ask(store, request(same, "k"))) == nil)
    let token = try store.reader.changeToken.text
    try store.save(#"{"n":"a","v":2}"#)
    #expect(try repeated(ask(store, request(same, "k"))) == token)
    #expect(try value(in: store) == #"{"v":2}"#)
  }

  @Test("what was done is told also when there is no room left", .enabled(if: SmallDisk.isAvailable))
  func fullDisk() throws {
    let disk = try #require(SmallDisk(megabytes: 4))
    let inbox = Inbox()
    let configuration = RecordStoreConfiguration(location: .file(disk.path + "/a.db"))
    let store = try RecordStore(configuration, deliver: inbox.deliver)
    let token = try inbox.write(store.submit(try request(increment, "k"))).get().changeToken.text
    disk.fill()
    #expect(try repeated(inbox.outcome(of: store.submit(try request(increment, "k")))) == token)
    guard case .write(.failure(let failure)) = inbox.outcome(of: store.submit(try request(increment, "l")))
    else { Issue.record("done"); return }
    #expect(failure.error.code == .storageFull)
    store.close()
  }
}
