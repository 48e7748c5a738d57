import Files
import Glibc
import JSONRPC
import Records
import SQLite
import Testing

@testable import RecordStore

/// What a repaired store has of everything that a store keeps.
@Suite struct RepairedContentTests {
  let folder = TestFolder()
  private let id = StoreID(database: .public)
  private var path: String { folder.file("default/public.db") }

  private func directory() -> StoreDirectory {
    mkdir(folder.file("default"), 0o700)
    return StoreDirectory(
      .folder(folder.path),
      template: RecordStoreConfiguration(location: .memory, clock: { 1_796_000_000_000 }),
      maximumContainers: 1
    ) { _, _ in }
  }

  private static let key = IdempotencyKey(text: "once", digest: SHA256.digest(of: [1])) { _ in
    Array(#"{"done":true}"#.utf8)
  }

  /// Records 0 to 59 of a type with rules, words and references, in a zone, deleted, with a key and a subscription.
  private func makeStore() throws -> ChangeToken {
    mkdir(folder.file("default"), 0o700)
    let store = try TestStore(in: folder, file: "default/public.db")
    defer { store.close() }
    _ = try store.write([.saveZone(zoneName: "work"), .saveZone(zoneName: "empty")])
    var unique = RecordTypeDraft.Field(name: "u", type: FieldType(.int64))
    unique.rules = [.init(.unique, try JSON(parsing: "true"))]
    try store.declare(
      RecordTypeDraft(
        name: "Item",
        fields: [
          .init(name: "v", type: FieldType(.int64), uses: [.queryable, .sortable]),
          .init(name: "s", type: FieldType(.string), uses: [.searchable]), unique,
        ]))
    for number in 0..<60 {
      try store.save(
        #"{"n":"\#(number)","v":\#(number),"u":\#(number),"s":"word\#(number)","o":{"$reference":{"recordName":"0"}}}"#
      )
    }
    try store.save(#"{"n":"3","v":33,"u":3,"s":"changed"}"#)
    try store.delete("50")
    try store.delete("51")
    try store.save(#"{"n":"51","v":1}"#)
    var draft = try draft(#"{"n":"w","v":100}"#)
    draft.zoneName = "work"
    let keyed = WriteRequest(
      caller: TestStore.caller, operations: [.save(draft, policy: .allKeys)], idempotencyKey: Self.key)
    _ = store.inbox.write(store.store.submit(keyed))
    _ = try store.write([
      .saveSubscription(
        SaveSubscriptionOperation(id: "inbox", definition: #"{"recordType":"Item"}"#, since: nil))
    ])
    store.reader.renew()
    return try store.reader.changeToken
  }

  private func repair(_ directory: StoreDirectory, isForced: Bool = true) throws -> RepairReport {
    try #require(try directory.repair(id, isForced: isForced, isDryRun: false).report)
  }

  @Test("What was deleted can be brought back, keys answer, rules and subscriptions go on, old tokens say so")
  func everything() throws {
    let token = try makeStore()
    let directory = directory()
    let report = try repair(directory)
    directory.close()
    #expect(report[.records].kept == 60 && report[.deletedRecords].kept == 1)
    #expect(
      report.inOrder.allSatisfy(\.1.isWhole) && report.notes == [] && report.remaining.problemCount == 0)
    #expect(
      report[.zones].kept == 3 && report[.subscriptions].kept == 1 && report[.idempotencyKeys].kept == 1)
    let store = try TestStore(in: folder, file: "default/public.db")
    let deleted = try store.reader.deletedRecords(
      DeletedRecordsQuery(resultsLimit: 10))
    #expect(deleted.records.map(\.record.recordName) == ["50"])
    _ = try store.write([.restore(RestoreOperation(zoneName: Identifier.defaultZone, recordName: "50"))])
    #expect(try store.fetch("50")?.fieldsText.contains("word50") == true)
    #expect(try store.names("s CONTAINS 'changed'") == ["3"])
    #expect(refusal { try store.save(#"{"n":"new","u":5}"#) } == .constraintViolation)
    let error = try #require(throws: RecordError.self) { try store.reader.changes(after: token, limit: 10) }
    #expect(error.code == .changeTokenExpired && error.detail("reason")?.stringValue == "restored")
    let again = WriteRequest(
      caller: TestStore.caller, operations: [.save(try draft(#"{"n":"never"}"#), policy: .allKeys)],
      idempotencyKey: Self.key)
    guard case .repeated(.success(let answer)) = store.inbox.outcome(of: store.store.submit(again)) else {
      Issue.record("done again")
      return
    }
    #expect(String(decoding: answer, as: UTF8.self) == #"{"done":true}"#)
    store.reader.renew()
    #expect(try store.reader.savedSubscriptions(ofUser: TestStore.caller.userID).map(\.id) == ["inbox"])
  }

  @Test("Whichever page is damaged, no record that stands on another is lost", arguments: 0..<45)
  func anyPage(_ page: Int) throws {
    _ = try makeStore()
    var content = File.read(path)
    guard (page + 1) * 4096 <= content.count else { return }
    let range = page * 4096..<(page + 1) * 4096
    // Of the record as it is now: of its last version.
    let elsewhere = try TestStore(in: folder, file: "default/public.db")
    let records = try (0..<60).compactMap { try elsewhere.fetch("\($0)") }
    elsewhere.close()
    for index in range { content[index] = UInt8(truncatingIfNeeded: index &* 37) }
    File.write(content, to: path)
    let readable = records.filter { content.firstRange(of: Array($0.body.bytes)) != nil }
    let directory = directory()
    defer { directory.close() }
    let report = try repair(directory)
    #expect(report.remaining.problems == [])
    #expect(try directory.check(id).problems == [])
    let reader = try directory.store(id).makeReader()
    defer { reader.renew() }
    for record in readable {
      #expect(try reader.fetch(recordName: record.recordName)?.body.text == record.body.text)
    }
    #expect(readable.count > 20)
  }

  @Test(
    "What contradicts the records gives way to them",
    arguments: [
      "UPDATE record SET name = 'wrong' WHERE name = '7'", "UPDATE record SET zone = 99 WHERE name = '7'",
      "UPDATE record SET version = version + 1 WHERE name = '7'", "DELETE FROM type", "DELETE FROM zone",
      "UPDATE field SET valueType = 'string' WHERE name = 'v'", "DELETE FROM field",
      "DELETE FROM declaredIndex", "DELETE FROM entry", "DELETE FROM reference", "DELETE FROM change",
      "UPDATE store SET records = 1, lastCommit = 1", "DELETE FROM epoch",
      #"""
      UPDATE record SET body = CAST(replace(CAST(body AS TEXT), '"u":8', '"u":7') AS BLOB) WHERE name = '8'
      """#,
    ])
  func contradictions(sql: String) throws {
    _ = try makeStore()
    try Database(path: path, access: .readWrite, busyTimeout: 100).execute(sql)
    let directory = directory()
    defer { directory.close() }
    let report = try repair(directory, isForced: false)
    #expect(report[.records].kept == 60)
    #expect(report.remaining.problems == [], "\(report.notes)")
    #expect(try directory.check(id).problems == [])
  }

  @Test("While a store is repaired it is read and not written; afterwards it is")
  func suspended() throws {
    let store = try TestStore()
    try store.save(#"{"n":"a","v":1}"#)
    let suspended = Semaphore()
    #expect(store.store.suspend { _ in suspended.signal() })
    suspended.wait()
    #expect(refusal { try store.save(#"{"n":"b","v":1}"#) } == .serviceUnavailable)
    #expect(try store.fetch("a") != nil)
    let second = Mailbox<RecordError?>()
    _ = store.store.suspend { error in second.put { _ in error } }
    #expect(second.takeFirst()??.code == .serviceUnavailable, "one at a time")
    store.store.resume()
    store.turn()
    try store.save(#"{"n":"b","v":1}"#)
  }

  @Test("Whenever an exchange ends, a log that could not be copied is beside the file that it belongs to")
  func movedLog() throws {
    for isExchanged in [false, true] {
      let folder = TestFolder()
      let (path, kept) = (folder.file("a.db"), folder.file("a.replaced-20261130T005320Z.db"))
      let file = StoreFile(path, RecordStoreConfiguration(location: .file(path)))
      File.write([1], to: isExchanged ? kept : path)
      File.write([2], to: isExchanged ? path : kept)
      var status = stat()
      #expect(stat(isExchanged ? kept : path, &status) == 0)
      File.write([3], to: folder.file("a.new-log-\(status.st_ino)"))
      file.finishReplacing()
      #expect(File.read((isExchanged ? kept : path) + "-wal") == [3])
      #expect(TestFolder.names(in: folder.path).count == 3)
    }
  }

  @Test("Without room nothing is done", .enabled(if: SmallDisk.isAvailable))
  func noRoom() throws {
    _ = try makeStore()
    let disk = try #require(SmallDisk(megabytes: 3))
    mkdir("\(disk.path)/default", 0o700)
    let place = "\(disk.path)/default/public.db"
    File.write(File.read(path), to: place)
    disk.fill()
    let before = File.read(place)
    let directory = StoreDirectory(
      .folder(disk.path), template: RecordStoreConfiguration(location: .memory), maximumContainers: 1
    ) { _, _ in }
    defer { directory.close() }
    #expect(refusal { try directory.repair(id, isForced: true, isDryRun: false) } == .storageFull)
    #expect(try directory.repair(id, isForced: true, isDryRun: true).report?[.records].kept == 60)
    #expect(File.read(place) == before)
    #expect(TestFolder.names(in: "\(disk.path)/default").filter { $0.contains(".new-") } == [])
  }
}
