import Glibc
import JSONRPC
import Records
import Testing

@testable import RecordStore

/// Stores repaired where they are.
@Suite struct StoreDirectoryRepairTests {
  let folder = TestFolder()
  private let id = StoreID(database: .public)
  private var path: String { folder.file("default/public.db") }

  private func directory() -> StoreDirectory {
    StoreDirectory(
      .folder(folder.path), template: RecordStoreConfiguration(location: .memory), maximumContainers: 1
    ) { _, _ in }
  }

  /// A store with what there can be in one; tells the assets of its records.
  @discardableResult
  private func makeStore() throws -> (Asset, Asset) {
    mkdir(folder.file("default"), 0o700)
    let store = try TestStore(in: folder, file: "default/public.db")
    defer { store.close() }
    _ = try store.write([.saveZone(zoneName: "work")])
    var unique = RecordTypeDraft.Field(name: "u", type: FieldType(.int64))
    unique.rules = [.init(.unique, try JSON(parsing: "true"))]
    try store.declare(
      RecordTypeDraft(
        name: "Item",
        fields: [
          .init(name: "v", type: FieldType(.int64), uses: [.queryable, .sortable]),
          .init(name: "s", type: FieldType(.string), uses: [.searchable]), unique,
        ]))
    let (first, second) = (try store.saveAsset("first"), try store.saveAsset("second"))
    try store.save(store.record("a", first, second))
    try store.save(store.record("b", second))
    for number in 0..<120 {
      try store.save(
        #"{"n":"\#(number)","v":\#(number),"u":\#(number),"s":"word\#(number)","o":{"$reference":{"recordName":"0","action":"restrict"}}}"#
      )
    }
    for number in 100..<110 { try store.delete("\(number)") }
    return (first, second)
  }

  private func damage(pages: Range<Int>) {
    var content = File.read(path)
    for index in pages.lowerBound * 4096..<min(pages.upperBound * 4096, content.count) {
      content[index] = UInt8(truncatingIfNeeded: index &* 31)
    }
    File.write(content, to: path)
  }

  private var kept: [String] {
    TestFolder.names(in: folder.file("default")).filter { $0.contains(".replaced-") && $0.hasSuffix(".db") }
  }

  @Test("A store that is open goes on with the new file; the old one is kept as it was")
  func whole() throws {
    try makeStore()
    let directory = directory()
    defer { directory.close() }
    let store = try directory.store(id)
    let reader = store.makeReader()
    let before = try reader.changeToken
    #expect(try directory.repair(id, isForced: false, isDryRun: false).report == nil, "nothing is wrong")
    let names = TestFolder.names(in: folder.file("default"))
    let dry = try #require(try directory.repair(id, isForced: true, isDryRun: true).report)
    #expect(dry[.records].kept == 112 && dry.store == nil)
    #expect(TestFolder.names(in: folder.file("default")) == names)
    let repaired = try #require(try directory.repair(id, isForced: true, isDryRun: false).report)
    #expect(repaired[.records].kept == 112 && repaired[.records].lost == nil && repaired[.records].isWhole)
    #expect(kept == [try #require(repaired.store?.keptAs)])
    reader.renew()
    #expect(try reader.changeToken == repaired.store?.changeToken)
    #expect(try reader.statistics().records == 112)
    #expect(throws: RecordError.self) { try reader.changes(after: before, limit: 10) }
    #expect(try directory.check(id, readsAssets: true).problems == [])
    #expect(try directory.check(id).assets == 2)
    reader.renew()
  }

  @Test("Rules, references and words act in a repaired store as before")
  func rules() throws {
    try makeStore()
    let first = directory()
    _ = try first.repair(id, isForced: true, isDryRun: false)
    first.close()
    let store = try TestStore(in: folder, file: "default/public.db")
    #expect(throws: RecordError.self) { try store.save(#"{"n":"new","u":5}"#) }
    #expect(throws: RecordError.self) { try store.delete("0") }
    #expect(try store.names("s CONTAINS 'word7'").contains("7"))
    try store.save(#"{"n":"new","u":500}"#)
  }

  @Test("Whichever page is damaged, the repaired store is whole and what it kept is true", arguments: 0..<40)
  func anyPage(_ page: Int) throws {
    try makeStore()
    guard (page + 1) * 4096 <= File.read(path).count else { return }
    damage(pages: page..<page + 1)
    let directory = directory()
    defer { directory.close() }
    let report = try directory.repair(id, isForced: true, isDryRun: false).report
    let repaired = try #require(report)
    #expect(repaired[.records].kept > 112 - 40)
    #expect(repaired.remaining.problems == [])
    #expect(try directory.check(id, readsAssets: true).problems == [])
  }

  @Test("A file that is cut off anywhere is repaired", arguments: [0.1, 0.5, 0.9])
  func cutOff(_ share: Double) throws {
    try makeStore()
    let content = File.read(path)
    File.write(Array(content[..<Int(Double(content.count) * share)]), to: path)
    let directory = directory()
    defer { directory.close() }
    _ = try directory.repair(id, isForced: true, isDryRun: false)
    #expect(try directory.check(id).problems == [])
    #expect(kept.count == 1)
  }

  @Test("An empty file keeps its log, from which it is repaired")
  func emptyFile() throws {
    mkdir(folder.file("default"), 0o700)
    let store = try TestStore(in: folder, file: "default/public.db")
    for number in 0..<50 { try store.save(#"{"n":"\#(number)","v":\#(number)}"#) }
    let log = File.read(path + "-wal")
    store.close()
    File.write([], to: path)
    File.write(log, to: path + "-wal")
    unlink(path + "-shm")
    let directory = directory()
    defer { directory.close() }
    #expect(throws: RecordError.storeDamaged) { try directory.store(id) }
    #expect(try directory.check(id).problemCount > 0)
    #expect(File.read(path + "-wal") == log)
    #expect(try directory.repair(id, isForced: false, isDryRun: false).report?[.records].kept == 50)
    #expect(try directory.check(id).problems == [])
  }

  @Test("Where a store's file is gone, the files of its assets are kept")
  func assetsWithoutStore() throws {
    let (first, _) = try makeStore()
    unlink(path)
    let directory = directory()
    defer { directory.close() }
    #expect(try directory.store(id).makeReader().statistics().records == 0)
    let kept = try #require(
      TestFolder.names(in: folder.file("default")).first {
        $0.hasSuffix(".assets") && $0.contains(".replaced-")
      })
    let file = "default/\(kept)/\(first.checksum.prefix(2))/\(first.checksum)"
    #expect(File.read(folder.file(file)) == Array("first".utf8))
  }

  @Test("Where there is no file nothing is made")
  func missing() throws {
    mkdir(folder.file("default"), 0o700)
    let directory = directory()
    defer { directory.close() }
    _ = try directory.store(id)
    unlink(path)
    #expect(throws: RecordError.storeMissing) {
      try directory.repair(id, isForced: true, isDryRun: false)
    }
    #expect(throws: RecordError.storeMissing) { try directory.check(id) }
    #expect(kept == [])
  }

  @Test("Files of assets that are missing, cut off or others are found")
  func assets() throws {
    let (first, second) = try makeStore()
    let directory = directory()
    defer { directory.close() }
    let files = [first, second].map {
      folder.file("default/public.assets/\($0.checksum.prefix(2))/\($0.checksum)")
    }
    File.write(Array("thirst".utf8.prefix(5)), to: files[0])
    #expect(try directory.check(id).problems == [], "the size is the same")
    let problems = try directory.check(id, readsAssets: true).problems
    #expect(problems.map(\.kind) == [.asset])
    #expect(problems.first?.message.contains("another checksum") == true)
    File.write(Array("fir".utf8), to: files[0])
    unlink(files[1])
    let others = try directory.check(id).problems.map(\.message)
    #expect(
      others.contains { $0.contains("has 3 of 5 bytes") } && others.contains { $0.contains("is missing") })
  }
}
