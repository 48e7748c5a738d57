import Records
import SQLite
import Testing

@testable import RecordStore

struct StoreRepairTests {
  let folder = TestFolder()
  var path: String { folder.file("a.db") }

  /// Of 300 records, some with more text than a page holds, some deleted, in two zones, with a declared index.
  private static let file = Result { () throws -> [UInt8] in
    let folder = TestFolder()
    let store = try TestStore(in: folder)
    _ = try store.write([.saveZone(zoneName: "work")])
    try store.declare(
      RecordTypeDraft(name: "Item", fields: [.init(name: "v", type: FieldType(.int64), uses: [.queryable])]))
    let long = String(repeating: "x", count: 9000)
    _ = try store.write(
      try (100..<400).map { number in
        let text = number % 50 == 0 ? long : "text \(number)"
        var draft = try draft(#"{"n":"\#(number)","v":\#(number),"text":"\#(text)"}"#)
        if number % 10 == 0 { draft.zoneName = "work" }
        return .save(draft, policy: .allKeys)
      })
    for number in stride(from: 101, to: 400, by: 20) { try store.delete("\(number)") }
    store.close()
    return File.read(store.path)
  }

  private func makeStore() throws { File.write(try Self.file.get(), to: path) }

  private func remaining() -> [String] {
    (100..<400).filter { ($0 - 101) % 20 != 0 }.map(String.init)
  }

  private func repair() throws -> RepairReport {
    let configuration = RecordStoreConfiguration(location: .file(path), clock: { 1_796_000_000_000 })
    let draft = try Draft(of: path, "repair")
    let report = try StoreRepair.run(of: path, into: draft, assets: nil, configuration)
    File.write(File.read(draft.path), to: folder.file("new.db"))
    return report
  }

  private func check(_ file: String = "new.db") throws -> StoreReport {
    let database = try Database(path: folder.file(file), access: .readOnly, busyTimeout: 100)
    return try #require(try StoreCheck(Connection(database), isStopped: { false }).run())
  }

  private func damage(pages: Range<Int>) {
    var content = File.read(path)
    for index in pages.lowerBound * 4096..<min(pages.upperBound * 4096, content.count) {
      content[index] = UInt8(truncatingIfNeeded: index &* 31)
    }
    File.write(content, to: path)
  }

  @Test("Of a whole store everything is taken over, but for its log")
  func whole() throws {
    try makeStore()
    let before = File.read(path)
    #expect(try check("a.db") == StoreReport(records: 285, changes: 315))
    let outcome = try repair()
    #expect(outcome[.records].kept == 285)
    #expect(outcome.lost == [])
    #expect(File.read(path).elementsEqual(before))
    #expect(try check() == StoreReport(records: 285, changes: 15))
    #expect(outcome[.deletedRecords].kept == 15)
    let new = try TestStore(in: folder, file: "new.db")
    #expect(try new.names() == remaining())
    #expect(try new.fetch("150") == nil, "it is in a zone")
    #expect(try new.reader.fetch(recordName: "150", zoneName: "work")?.fieldsText.count ?? 0 > 9000)
    #expect(try new.names("v = 153") == ["153"])
    #expect(try new.description().indexes.contains { $0.keys == ["v"] && $0.progress == nil })
    let tag = try new.fetch("153")?.recordChangeTag
    let saved = try new.save(#"{"n":"153","v":1}"#)
    #expect(saved.recordChangeTag != tag)
    #expect(try new.save(#"{"n":"new","v":1}"#).recordName == "new")
  }

  @Test("Whichever page is damaged, what stands on the others is taken over", arguments: 0..<48)
  func anyPage(_ page: Int) throws {
    try makeStore()
    damage(pages: page..<page + 1)
    let outcome = try repair()
    let new = try TestStore(in: folder, file: "new.db")
    let names = try new.names()
    #expect(Set(names).isSubset(of: remaining()))
    // A page has about 20 of these records.
    #expect(names.count > 285 - 60)
    #expect(outcome[.records].kept == names.count)
    new.close()
    #expect(try check().problems == [])
  }

  @Test("Without its first pages, where a file says what is in it, its records are still found")
  func noSchema() throws {
    try makeStore()
    damage(pages: 0..<4)
    let outcome = try repair()
    #expect(outcome[.records].kept > 200)
    #expect(try check().problems == [])
  }

  @Test("A record that can be read no more is named")
  func lostNames() throws {
    try makeStore()
    var content = File.read(path)
    let place =
      try #require(content.firstRange(of: Array(#""recordName":"222""#.utf8))).lowerBound / 4096 * 4096
    for index in place..<place + 4096 { content[index] = 0xFF }
    File.write(content, to: path)
    let outcome = try repair()
    #expect(outcome.lost.contains("222"))
    #expect(outcome[.records].lost ?? 0 >= 285 - outcome[.records].kept)
  }
}

extension StoreReport {
  fileprivate init(records: Int, changes: Int) {
    self.init()
    self.records = records
    self.changes = changes
  }
}
