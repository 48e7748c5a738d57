import JSONRPC
import Records
import SQLite
import Synchronization
import Testing

@testable import RecordStore

@Suite struct HistoryAgeTests {
  /// A clock that goes when it is told to.
  private final class HandClock: Sendable {
    let time = Atomic<Int64>(1_796_000_000_000)
    var now: Int64 {
      get { time.load(ordering: .relaxed) }
      set { time.store(newValue, ordering: .relaxed) }
    }
  }

  private static let hour: Int64 = 3_600_000
  private static let day = 24 * hour

  private let clock = HandClock()
  private let store: TestStore

  /// A store that keeps its changes for ten days.
  init() throws {
    var limits = StoreLimits()
    limits.maximumHistoryAge = 10 * Self.day
    store = try TestStore(limits: limits, clock: { [clock] in clock.now })
  }

  @discardableResult
  private func save(_ name: String = "a") throws -> ChangeToken {
    try store.save(#"{"n":"\#(name)","v":\#(store.reader.sequence)}"#)
    return try store.reader.changeToken
  }

  /// Why the token is refused; nil when it is not.
  private func refusal(_ token: ChangeToken) throws -> String? {
    do {
      _ = try store.reader.changes(after: token, limit: 100)
      return nil
    } catch {
      return error.detail("reason")?.stringValue
    }
  }

  private var moments: Int64? {
    get throws {
      let file = try Database(path: store.path, access: .readWrite, busyTimeout: 100)
      return try file.integer("SELECT count(*) FROM moment")
    }
  }

  @Test("changes older than what is kept are pruned, newer ones stay")
  func age() throws {
    let first = try save()
    try save()
    clock.now += 5 * Self.day
    let second = try save()
    try save()
    clock.now += 5 * Self.day
    try save()
    #expect(try refusal(first) == nil)
    clock.now += 60_000
    try save()
    #expect(try refusal(first) == "pruned")
    #expect(try refusal(second) == nil)
    #expect(
      try store.reader.changes(after: second, limit: 9).changeSet.changes.map(\.commits) == [[4, 5, 6]])
    clock.now += 5 * Self.day
    try save()
    #expect(try refusal(second) == "pruned")
    #expect(try store.reader.statistics().changes == 3)
  }

  @Test("a store that nobody wrote to for long keeps the positions of who has everything")
  func quiet() throws {
    try save()
    let all = try save()
    clock.now += 100 * Self.day
    try save("b")
    #expect(try refusal(all) == nil)
  }

  @Test("times are noted once a minute, and go with the changes that they are of")
  func notes() throws {
    for _ in 0..<10 {
      try save()
      clock.now += 30_000
    }
    #expect(try moments == 5)
    clock.now += 11 * Self.day
    try save()
    try save()
    #expect(try moments == 1)
  }

  @Test("a clock that was behind for a while makes nothing seem older than it is")
  func clockBehind() throws {
    let first = try save()
    clock.now -= 9000 * Self.day
    for _ in 0..<5 {
      try save()
      clock.now += Self.hour
    }
    clock.now += 9000 * Self.day - 5 * Self.hour
    for _ in 0..<5 {
      try save()
      clock.now += Self.hour
    }
    #expect(try refusal(first) == nil)
    clock.now += 11 * Self.day
    try save()
    #expect(try refusal(first) == "pruned")
  }

  @Test("what is pruned by number leaves behind how late it was")
  func clockBehindAndPruned() throws {
    var limits = StoreLimits()
    limits.maximumHistoryAge = 10 * Self.day
    limits.maximumHistoryChanges = 6
    let store = try TestStore(limits: limits, clock: { [clock] in clock.now })
    func save() throws { try store.save(#"{"n":"a","v":\#(store.reader.sequence)}"#) }
    try save()
    clock.now -= 9000 * Self.day
    for _ in 0..<10 {
      try save()
      clock.now += Self.hour
    }
    clock.now += 9000 * Self.day - 10 * Self.hour
    try save()
    #expect(try store.reader.statistics().changes == 6)
    clock.now += Self.hour
    try save()
    #expect(try store.reader.statistics().changes == 6)
  }

  @Test("a clock that was far ahead for a while does not keep changes from being pruned")
  func clockAhead() throws {
    let first = try save()
    clock.now += 9000 * Self.day
    try save()
    clock.now -= 9000 * Self.day
    let second = try save()
    clock.now += 3 * Self.day
    try save()
    #expect(try refusal(first) == nil)
    clock.now += 8 * Self.day
    try save()
    #expect(try refusal(first) == "pruned" && refusal(second) == nil)
    #expect(try store.reader.statistics().changes == 2)
  }

  @Test("each commit takes out a bounded number")
  func bounded() throws {
    let count = 1000
    for _ in 0..<count {
      store.submit([.save(try draft(#"{"n":"a","v":{"$increment":1}}"#), policy: .changedKeys)])
    }
    try save()
    clock.now += 11 * Self.day
    var kept = try store.reader.statistics().changes
    #expect(kept == count + 1)
    while kept > 20 {
      try save()
      let left = try store.reader.statistics().changes
      #expect(left < kept && kept - left < 300)
      kept = left
      clock.now += Self.hour
    }
  }

  @Test("with no limit of age nothing is pruned by it")
  func noLimit() throws {
    var limits = StoreLimits()
    limits.maximumHistoryAge = 0
    let store = try TestStore(limits: limits, clock: { [clock] in clock.now })
    for _ in 0..<5 {
      try store.save(#"{"n":"a","v":\#(store.reader.sequence)}"#)
      clock.now += 1000 * Self.day
    }
    #expect(try store.reader.statistics().changes == 5)
  }

  @Test("changes from before times were noted are as old as the first that is")
  func olderFile() throws {
    let first = try save()
    try save()
    let file = try Database(path: store.path, access: .readWrite, busyTimeout: 100)
    try file.execute("DELETE FROM moment")
    clock.now += 100 * Self.day
    try save()
    clock.now += 10 * Self.day
    try save()
    #expect(try refusal(first) == nil)
    clock.now += 60_000
    try save()
    #expect(try refusal(first) == "pruned")
  }
}
