import JSONRPC
import Records
import Synchronization
import Testing

@testable import RecordStore

@Suite struct IndexAdvisorTests {
  private final class Clock: Sendable {
    let now = Mutex<Int64>(0)
    func advance(_ milliseconds: Int64) { now.withLock { $0 += milliseconds } }
  }

  private final class Proposals: Sendable {
    let all = Mutex<[IndexAdvisor.Proposal]>([])
    var keys: [String] { all.withLock { $0.map { $0.parts.map(\.descriptor.key).joined(separator: ",") } } }
    var costs: [Int64] { all.withLock { $0.map(\.cost) } }
  }

  private let clock = Clock()
  private let proposals = Proposals()
  private let advisor: IndexAdvisor

  init() {
    let (clock, proposals) = (clock, proposals)
    advisor = IndexAdvisor(clock: { clock.now.withLock { $0 } }) { proposal in
      proposals.all.withLock { $0.append(proposal) }
    }
  }

  private static func parts(_ keys: String...) -> [IndexPart] { keys.map { IndexPart(FieldPath($0)!) } }

  private func note(_ keys: String..., examined: Int = 2000, returned: Int = 10, times: Int = 1) {
    for _ in 0..<times {
      advisor.note(
        recordType: "Item", wanted: keys.map { IndexPart(FieldPath($0)!) }, rowsExamined: examined,
        rowsReturned: returned)
    }
  }

  // MARK: What is proposed

  @Test("the third slow query for the same index proposes it, with what all have cost")
  func thirdSlowQuery() {
    note("v", times: 2)
    note("v", "s", times: 2)
    #expect(proposals.keys == [])
    note("v")
    #expect(proposals.keys == ["v"])
    #expect(proposals.costs == [3 * 1990])
    note("v", "s")
    #expect(proposals.keys == ["v", "v,s"])
  }

  @Test("queries that look at few records, or return much of what they look at, want nothing")
  func fastQueries() {
    note("v", examined: 1000, times: 10)
    note("v", examined: 5000, returned: 500, times: 10)
    note(examined: 5000, times: 10)
    #expect(proposals.keys == [])
    note("v", examined: 1001, returned: 0, times: 3)
    #expect(proposals.keys == ["v"])
  }

  @Test("an index that does not pay yet is proposed again only when twice as much was lost")
  func proposedAgain() {
    note("v", examined: 2000, returned: 0, times: 12)
    #expect(proposals.costs == [6000, 12000, 24000])
  }

  @Test("what lies an hour back is forgotten")
  func forgotten() {
    note("v", times: 2)
    clock.advance(3_600_001)
    note("v", times: 2)
    #expect(proposals.keys == [])
    clock.advance(3_600_000)
    note("v")
    #expect(proposals.costs == [3 * 1990])
  }

  @Test("behind a localized key nothing is wanted, and no key twice")
  func indexable() {
    let wanted =
      Self.parts("a", "a", "b") + [IndexPart(FieldPath("c")!, .localized)] + Self.parts("d")
    for _ in 0..<3 {
      advisor.note(recordType: "Item", wanted: wanted, rowsExamined: 2000, rowsReturned: 0)
    }
    #expect(proposals.keys == ["a,b,c"])
  }

  @Test("what is kept in mind is bounded, and the newest of it stays")
  func bounded() {
    for number in 0..<10_000 {
      clock.advance(1)
      note("k\(number)", times: 2)
    }
    note("k9999")
    note("k0")
    #expect(proposals.keys == ["k9999"])
  }

  @Test("where no indexes are made by themselves none are wanted, and uses are counted all the same")
  func off() {
    let advisor = IndexAdvisor(clock: { 7 }, propose: nil)
    for _ in 0..<10 {
      advisor.note(recordType: "Item", wanted: Self.parts("v"), rowsExamined: 5000, rowsReturned: 0)
    }
    advisor.noteUse(of: DeclaredIndex(id: 3, parts: Self.parts("v")))
    #expect(advisor.uses[3]?.count == 1)
    #expect(advisor.uses[3]?.last == 7)
  }

  @Test("uses that came while others were written down are not lost")
  func usesMeanwhile() {
    let index = DeclaredIndex(id: 3, parts: Self.parts("v"))
    advisor.noteUse(of: index)
    let kept = advisor.uses
    advisor.noteUse(of: index)
    advisor.forget(kept)
    #expect(advisor.uses[3]?.count == 1)
    advisor.forget(advisor.uses)
    #expect(advisor.uses.isEmpty)
    advisor.noteUse(of: DeclaredIndex(id: 1, parts: [], origin: .type))
    #expect(advisor.uses.isEmpty)
  }

  // MARK: What is made

  private func consider(_ file: OpenFile, _ keys: String..., cost: Int64 = 1000) throws {
    try file.transact { work in
      try work.consider(
        .init(recordType: "Item", parts: keys.map { IndexPart(FieldPath($0)!) }, cost: cost))
    }
  }

  private func file(records: Int = 10) throws -> OpenFile {
    let file = try OpenFile()
    for number in 0..<records {
      try file.save(#"{"n":"\#(number)","v":\#(number),"r":{"$reference":{"recordName":"0"}},"o":{"a":1}}"#)
    }
    return file
  }

  @Test("a proposal that costs more to build than was lost is not followed")
  func pays() throws {
    let file = try file()
    try consider(file, "v", cost: 20)
    #expect(file.indexes().isEmpty)
    try consider(file, "v", cost: 21)
    #expect(file.indexes().map(\.origin) == [.automatic])
    #expect(file.indexes().map(\.isReady) == [false])
  }

  @Test("an index that serves is not made twice, nor one through a reference, nor of an unknown type")
  func notMade() throws {
    let file = try file()
    try consider(file, "v", "o.a")
    try consider(file, "v")
    try consider(file, "r.name")
    #expect(file.indexes().count == 1)
    try file.transact { work in
      try work.consider(.init(recordType: "Other", parts: Self.parts("v"), cost: 1000))
    }
    #expect(file.state.types.count == 1)
  }

  @Test("no type gets indexes that wants none; those that it had go when it says so")
  func offForType() throws {
    let file = try file()
    try consider(file, "v")
    try file.declare(RecordTypeDraft(name: "Item", automaticIndexes: false))
    #expect(file.indexes().isEmpty)
    try consider(file, "v")
    #expect(file.indexes().isEmpty)
    try file.declare(RecordTypeDraft(name: "Item", automaticIndexes: true))
    try consider(file, "v")
    #expect(file.indexes().count == 1)
    file.configuration.makesAutomaticIndexes = false
    try consider(file, "o.a")
    #expect(file.indexes().count == 1)
  }

  @Test("an automatic index that is declared later stays as it is, and is not dropped for others")
  func declaredLater() throws {
    let file = try file()
    try consider(file, "v")
    try file.finishIndexes()
    let id = file.indexes()[0].id
    try file.declare(RecordTypeDraft(name: "Item", indexes: [.init(keys: [FieldPath("v")!])]))
    #expect(file.indexes().map(\.id) == [id])
    #expect(file.indexes().map(\.origin) == [.declared])
    try file.declare(RecordTypeDraft(name: "Item", automaticIndexes: false))
    #expect(file.indexes().count == 1)
  }

  @Test("of eight the one that was not used for the longest time makes room for a ninth")
  func leastUsed() throws {
    let file = try file()
    for number in 0..<8 { try consider(file, "k\(number)") }
    // None of them has had a chance yet.
    try consider(file, "new")
    #expect(file.indexes().count == 8)
    try file.finishIndexes()
    let ids = file.indexes().map(\.id)
    // k2 was never used, and is as old as the others.
    try file.transact { work in
      var uses: [Int64: IndexAdvisor.Use] = [:]
      for id in ids where id != ids[2] { uses[id] = .init(count: 1, last: 5000 + id) }
      try work.keep(uses)
    }
    try consider(file, "new")
    #expect(file.indexes().map(\.id).contains(ids[2]) == false)
    #expect(file.indexes().count == 8)
    try file.finishIndexes()
    try file.transact { work in try work.keep([file.indexes()[7].id: .init(count: 1, last: 9000)]) }
    try consider(file, "newer")
    #expect(file.indexes().map(\.id).contains(ids[0]) == false)
  }

  @Test(
    "a wanted index that another collator made is made anew, also a declared one",
    .enabled(if: IndexBuildingTests.hasCollator, "needs the ICU library"))
  func outdated() throws {
    let file = try file()
    try file.declare(
      RecordTypeDraft(name: "Item", indexes: [.init(keys: [FieldPath("s")!], collation: .localized)]))
    try file.finishIndexes()
    let id = file.indexes()[0].id
    func consider() throws {
      try file.transact { work in
        let part = IndexPart(FieldPath("s")!, .localized)
        try work.consider(.init(recordType: "Item", parts: [part], cost: 1))
      }
    }
    try consider()
    #expect(file.indexes()[0].id == id)
    file.configuration.collatorVersion = { "another" }
    try consider()
    #expect(file.indexes()[0].id != id)
    #expect(file.indexes()[0].origin == .declared)
  }

  // MARK: In a store

  @Test("queries that are slow get an index by themselves, which shows as such with its uses")
  func inStore() throws {
    let folder = TestFolder()
    let store = try TestStore(in: folder)
    try store.save(#"{"n":"a","v":1}"#)
    for _ in 0..<3 {
      store.reader.advisor.note(
        recordType: "Item", wanted: Self.parts("v"), rowsExamined: 2000, rowsReturned: 0)
    }
    store.turn()
    try store.finishIndexes()
    let index = try store.description().indexes[0]
    #expect(index.origin == .automatic)
    #expect(index.entries == 1)
    #expect(index.uses == 0)
    #expect(index.lastUsed == nil)
    let declared = try store.reader.read { (_, state) in state.types[Name("Item")]!.indexes[1] }
    store.reader.advisor.noteUse(of: declared)
    store.reader.advisor.noteUse(of: declared)
    #expect(try store.description().indexes[0].uses == 2)
    store.close()

    let again = try TestStore(in: folder)
    #expect(try again.description().indexes[0].uses == 2)
    #expect(try again.description().indexes[0].lastUsed == 1_796_000_000_000)
  }

  @Test("uses are written down at times")
  func usesAtTimes() throws {
    let clock = Clock()
    let store = try TestStore(clock: { clock.now.withLock { $0 } })
    try store.declare(RecordTypeDraft(name: "Item", indexes: [.init(keys: [FieldPath("v")!])]))
    let index = try store.reader.read { (_, state) in state.types[Name("Item")]!.indexes[1] }
    store.reader.advisor.noteUse(of: index)
    store.turn()
    #expect(store.reader.advisor.uses.count == 1)
    clock.advance(600_000)
    store.turn()
    #expect(store.reader.advisor.uses.isEmpty)
    #expect(try store.description().indexes[0].uses == 1)
  }

  @Test("a store that may make none by itself makes none")
  func offForStore() throws {
    let store = try TestStore(inMemory: true, configure: { $0.makesAutomaticIndexes = false })
    try store.save(#"{"n":"a","v":1}"#)
    for _ in 0..<5 {
      store.reader.advisor.note(
        recordType: "Item", wanted: Self.parts("v"), rowsExamined: 2000, rowsReturned: 0)
    }
    store.turn()
    #expect(try store.description().indexes.isEmpty)
  }
}
