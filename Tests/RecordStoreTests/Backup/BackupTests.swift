import Files
import Glibc
import JSONRPC
import Records
import SQLite
import Synchronization
import Testing

@testable import RecordStore

/// Copies of a store that is in use, and their return.
@Suite struct BackupTests {
  /// A store with what there can be in one.
  private func filled(_ folder: TestFolder = TestFolder()) throws -> TestStore {
    let store = try TestStore(in: folder)
    try store.declare(
      RecordTypeDraft(
        name: "Item",
        fields: [
          .init(name: "v", type: FieldType(.int64), uses: [.queryable, .sortable]),
          .init(name: "s", type: FieldType(.string), uses: [.searchable]),
        ]))
    for number in 0..<50 {
      try store.save(
        #"{"n":"\#(number)","v":\#(number),"s":"word\#(number)","o":{"$reference":{"recordName":"0"}}}"#)
    }
    try store.delete("7")
    return store
  }

  private func problems(in path: String) throws -> [StoreReport.Problem] {
    let database = try Database(path: path, access: .readWrite, busyTimeout: 1000)
    return try #require(try StoreCheck(Connection(database), isStopped: { false }).run()).problems
  }

  private func copy(_ backup: StoreBackup, to path: String) {
    var content = [UInt8](repeating: 0, count: backup.size)
    #expect(pread(backup.file.rawValue, &content, content.count, 0) == content.count)
    File.write(content, to: path)
  }

  /// Tells threads that it is over.
  private final class Flag: Sendable {
    private let isRaised = Atomic<Bool>(false)
    var isUp: Bool { isRaised.load(ordering: .relaxed) }
    func raise() { isRaised.store(true, ordering: .relaxed) }
  }

  private static func save(_ json: String) -> WriteRequest {
    WriteRequest(caller: TestStore.caller, operations: [.save(try! draft(json), policy: .allKeys)])
  }

  private func replaced(in folder: TestFolder) -> [String] {
    TestFolder.names(in: folder.path).filter { $0.contains(".replaced-") }
  }

  @Test("a backup is of one moment and whole, however much is written meanwhile")
  func consistent() throws {
    let store = try TestStore()
    let isOver = Flag()
    let (records, inbox) = (store.store, store.inbox)
    // Each commit makes the two the same.
    let writer = WorkerThread {
      var number = 0
      while !isOver.isUp {
        number += 1
        let text = String(repeating: "\(number) ", count: 500)
        let operations = ["a", "b"].map {
          WriteOperation.save(try! draft(#"{"n":"\#($0)","v":\#(number),"s":"\#(text)"}"#), policy: .allKeys)
        }
        _ = inbox.write(records.submit(WriteRequest(caller: TestStore.caller, operations: operations)))
      }
    }
    for number in 0..<10 {
      let backup = try store.store.backUp()
      #expect(SHA256.isText(backup.checksum) && backup.records <= 2)
      let path = store.folder.file("copy\(number).db")
      copy(backup, to: path)
      #expect(try problems(in: path) == [])
      let copied = try TestStore(in: store.folder, file: "copy\(number).db")
      #expect(try copied.reader.changeToken == backup.changeToken)
      #expect(try copied.fetch("a")?.fieldsText == copied.fetch("b")?.fieldsText)
    }
    isOver.raise()
    writer?.join()
    #expect(TestFolder.names(in: store.folder.path).filter { $0.contains(".new-") } == [])
  }

  @Test("what is restored is as it was; what there was is kept; positions of between are told as such")
  func restore() throws {
    let store = try filled()
    let token = try store.reader.changeToken
    let export = try store.names()
    let backup = try store.store.backUp()
    try store.save(#"{"n":"new","v":1}"#)
    try store.delete("3")
    let later = try store.reader.changeToken
    store.reader.renew()
    let restored = try store.store.restore(backup.file, checksum: backup.checksum, isForced: true)
    store.reader.renew()
    #expect(restored.records == 49 && export.count == 49)
    #expect(try store.names() == export)
    #expect(try store.names("SELF CONTAINS 'word3'") == ["3"])
    #expect(try store.reader.changeToken == restored.changeToken)
    #expect(store.inbox.groups.filter(\.isOfOtherRecords).count == 1)
    // Whoever knew what was backed up goes on; whoever knew more is told.
    #expect(try store.reader.changes(after: token, limit: 10).changeSet.changes.isEmpty)
    let error = try #require(throws: RecordError.self) { try store.reader.changes(after: later, limit: 10) }
    #expect(error.code == .changeTokenExpired && error.detail("reason")?.stringValue == "restored")
    try store.save(#"{"n":"after","v":1}"#)
    #expect(try store.reader.changes(after: token, limit: 10).changeSet.changes.count == 1)

    let kept = replaced(in: store.folder)
    #expect(kept.count == 1)
    let old = try TestStore(in: store.folder, file: kept[0])
    #expect(try old.fetch("new") != nil)
    #expect(try old.fetch("3") == nil)
    store.close()
    #expect(try problems(in: store.path) == [])
    let reopened = try TestStore(in: store.folder)
    #expect(try reopened.names().sorted() == (export + ["after"]).sorted())
  }

  @Test("a store with records is replaced only when that is meant; an empty one always")
  func notEmpty() throws {
    let store = try filled()
    let backup = try store.store.backUp()
    store.reader.renew()
    let error = try #require(throws: RecordError.self) {
      try store.store.restore(backup.file, checksum: backup.checksum, isForced: false)
    }
    #expect(error.code == .constraintViolation && error.detail("numberOfRecords")?.int64Value == 49)
    try store.save(#"{"n":"still","v":1}"#)
    let other = try TestStore()
    let restored = try other.store.restore(backup.file, checksum: backup.checksum, isForced: false)
    other.reader.renew()
    #expect(try restored.records == 49 && other.names().count == 49)
    #expect(replaced(in: store.folder) == [])
  }

  @Test("a store that is read from for long is not replaced, and goes on")
  func busy() throws {
    var limits = StoreLimits()
    limits.busyTimeout = 50
    let store = try TestStore(limits: limits)
    try store.save(#"{"n":"a","v":1}"#)
    let backup = try store.store.backUp()
    try store.save(#"{"n":"b","v":1}"#)
    // A snapshot that needs the log.
    _ = try store.reader.sequence
    let other = store.store.makeReader()
    _ = try other.sequence
    store.submit([.save(try draft(#"{"n":"c","v":1}"#), policy: .allKeys)])
    let error = try #require(throws: RecordError.self) {
      try store.store.restore(backup.file, checksum: backup.checksum, isForced: true)
    }
    #expect(error.code == .storeBusy && error.retryAfter != nil)
    #expect(try store.save(#"{"n":"d","v":1}"#).recordName == "d")
    other.renew()
    store.reader.renew()
    _ = try store.store.restore(backup.file, checksum: backup.checksum, isForced: true)
    store.reader.renew()
    #expect(try store.names() == ["a"])
  }

  @Test("a log that could not be copied is kept with what it belongs to")
  func keptLog() throws {
    let folder = TestFolder()
    let path = folder.file("a.db")
    File.write([1], to: path)
    File.write([2], to: path + "-wal")
    File.write([3], to: path + "-shm")
    let configuration = RecordStoreConfiguration(location: .file(path))
    for _ in 0..<2 {
      let next = try Draft(of: path, "restore")
      File.write([4], to: next.path)
      let assets = AssetFolder(besideStore: path, isDurable: true, random: 1, log: { _ in })
      try StoreFile(path, configuration).replace(with: next, assets: assets) { 1_796_000_000_000 }
    }
    let kept = folder.file("a.replaced-20261130T005320Z")
    #expect(File.read(path) == [4] && File.read(kept + "-2.db") == [4])
    #expect(File.read(kept + ".db") == [1] && File.read(kept + ".db-wal") == [2])
    #expect(access(path + "-wal", F_OK) != 0 && access(path + "-shm", F_OK) != 0)
  }

  @Test("a backup tells its assets, is restored only with them, and what is replaced keeps its own")
  func assets() throws {
    let store = try TestStore()
    func save(_ name: String, _ content: String, in store: TestStore) throws -> String {
      let asset = try store.receive(content)
      _ = try store.write([.saveAsset(asset)])
      let value = #"{"$asset":{"checksum":"\#(asset.asset.checksum)","size":\#(content.utf8.count)}}"#
      try store.save(#"{"n":"\#(name)","photo":\#(value)}"#)
      return asset.asset.checksum
    }
    let first = try save("a", "first", in: store)
    _ = try store.write([.saveAsset(try store.receive("unused"))])
    let backup = try store.store.backUp()
    #expect(backup.assets.map(\.checksum) == [first])
    let second = try save("a", "second", in: store)
    store.reader.renew()
    _ = try store.store.restore(backup.file, checksum: backup.checksum, isForced: true)
    store.reader.renew()
    #expect(try store.fetch("a")?.fieldsText.contains(first) == true)
    #expect(try store.reader.assets().map(\.checksum) == [first])
    let kept = try #require(
      TestFolder.names(in: store.folder.path).first { $0.contains(".replaced-") && $0.hasSuffix(".assets") })
    for (checksum, content) in [(first, "first"), (second, "second")] {
      let path = store.folder.file("\(kept)/\(checksum.prefix(2))/\(checksum)")
      #expect(File.read(path) == Array(content.utf8))
    }

    let other = try TestStore()
    let error = try #require(throws: RecordError.self) {
      try other.store.restore(backup.file, checksum: backup.checksum, isForced: false)
    }
    #expect(error.code == .assetFileNotFound && error.detail("numberOfMissing")?.int64Value == 1)
    #expect(error.detail("missing")?.elements.map(\.stringValue) == [first])
    let held = try other.receive("first")
    _ = try other.store.restore(backup.file, checksum: backup.checksum, isForced: false)
    other.reader.renew()
    #expect(held.asset.checksum == first)
    #expect(try other.fetch("a")?.fieldsText.contains(first) == true)
  }

  @Test("a damaged store is replaced, and kept", arguments: [false, true])
  func damaged(isOpen: Bool) throws {
    let folder = TestFolder()
    let directory = StoreDirectory(
      .folder(folder.path), template: RecordStoreConfiguration(location: .memory), maximumContainers: 1
    ) { _, _ in }
    let id = StoreID(database: .public)
    let source = try filled()
    let backup = try source.store.backUp()
    if isOpen { _ = try directory.store(id) }
    let path = folder.file("default/public.db")
    mkdir(folder.file("default"), 0o700)
    if isOpen { unlink(path) }
    File.write(Array("text".utf8), to: path)
    #expect(
      refusal { try directory.restore(id, from: backup.file, checksum: backup.checksum, isForced: false) }
        == .storeDamaged)
    let restored = try directory.restore(id, from: backup.file, checksum: backup.checksum, isForced: true)
    #expect(restored.records == 49)
    #expect(try directory.store(id).makeReader().statistics().records == 49)
    let names = TestFolder.names(in: folder.file("default"))
    let kept = try #require(names.first { $0.contains(".replaced-") && $0.hasSuffix(".db") })
    #expect(File.read(folder.file("default/" + kept)) == Array("text".utf8))
    #expect(try directory.containers().map { $0.databases.map(\.database) } == [[.public]])
    directory.close()
  }

  @Test("what a process left in the making when it ended is removed at the next start")
  func leftovers() throws {
    let folder = TestFolder()
    mkdir(folder.file("default"), 0o700)
    let kept = ["private-1.replaced-20261130T000000Z.db", "private-10.new-restore-5"]
    for name in kept + ["private-1.new-restore-5", "private-1.new-restore-5-wal", "private-1.new-backup-7"] {
      File.write([1], to: folder.file("default/" + name))
    }
    let directory = StoreDirectory(
      .folder(folder.path), template: RecordStoreConfiguration(location: .memory), maximumContainers: 1
    ) { _, _ in }
    _ = try directory.store(StoreID(database: .private(1)))
    let names = TestFolder.names(in: folder.file("default"))
    #expect(names.filter { $0.contains("new-") || $0.contains("replaced") } == kept)
    directory.close()
  }

  @Test("readers, a writer and backups see one store or the other whole while they are exchanged")
  func underLoad() throws {
    let store = try TestStore()
    func content(_ mark: String) throws -> StoreBackup {
      for name in 0..<40 { try store.save(#"{"n":"\#(name)","mark":"\#(mark)"}"#) }
      return try store.store.backUp()
    }
    let backups = [try content("x"), try content("y")]
    let isOver = Flag()
    let (records, inbox) = (store.store, store.inbox)
    let faults = TestLog()
    var threads: [WorkerThread?] = []
    for _ in 0..<3 {
      threads.append(
        WorkerThread {
          let reader = records.makeReader()
          while !isOver.isUp {
            reader.renew()
            do {
              var marks: Set<String> = []
              for name in 0..<40 {
                marks.insert(try reader.fetch(recordName: "\(name)")?.fieldsText ?? "none")
              }
              // A read may meet the exchange: then the rest is of the other one.
              if marks.contains("none") || marks.count > 2 { faults.add("\(marks)") }
            } catch {
              faults.add("\(error)")
            }
          }
        })
    }
    threads.append(
      WorkerThread {
        while !isOver.isUp {
          if (try? records.backUp()) == nil { faults.add("no backup") }
        }
      })
    threads.append(
      WorkerThread {
        var number = 0
        while !isOver.isUp {
          number += 1
          let write = records.submit(Self.save(#"{"n":"w","v":\#(number)}"#))
          if case .failure(let failure) = inbox.write(write) { faults.add("\(failure)") }
        }
      })
    store.reader.renew()
    for round in 0..<12 {
      let backup = backups[round % 2]
      do {
        _ = try store.store.restore(backup.file, checksum: backup.checksum, isForced: true)
        let reader = store.store.makeReader()
        #expect(try reader.fetch(recordName: "0")?.fieldsText == #"{"mark":"\#(["x", "y"][round % 2])"}"#)
      } catch {
        #expect(error.code == .storeBusy)
      }
    }
    isOver.raise()
    for thread in threads { thread?.join() }
    #expect(faults.all == [])
    let exchanges = store.inbox.groups.filter(\.isOfOtherRecords).count
    #expect(exchanges > 0)
    store.close()
    #expect(try problems(in: store.path) == [])
  }
}
