import Glibc
import JSONRPC
import Records
import SQLite
import Testing

@testable import RecordStore

@Suite struct FaultTests {
  /// No client is told how the store is made.
  private func expectNoInternals(_ error: RecordError) {
    for word in ["SQL", "sqlite", "database", "/", ".db", "malformed", "disk image", "constraint", "WAL"] {
      #expect(!error.message.contains(word), "\(error.message)")
    }
  }

  private func openingError(_ folder: TestFolder, file: String = "a.db") -> RecordError? {
    do {
      let store = try TestStore(in: folder, file: file)
      // What can't be seen on opening is seen at the first read.
      _ = try store.reader.sequence
      return nil
    } catch {
      return error as? RecordError
    }
  }

  // MARK: Locks

  @Test("a lock held for less than the timeout only delays")
  func shortLock() throws {
    let store = try TestStore()
    let locked = try LockedFile(store.path)
    let ticket = store.submit([.save(try draft(#"{"n":"a","v":1}"#), policy: .allKeys)])
    // Reads go on meanwhile.
    #expect(try store.names() == [])
    locked.release()
    _ = try store.inbox.write(ticket).get()
  }

  @Test("a lock held for longer is told, with when to try again, and nothing is half done")
  func longLock() throws {
    var limits = StoreLimits()
    limits.busyTimeout = 50
    let store = try TestStore(limits: limits)
    try store.save(#"{"n":"old","v":1}"#)
    let locked = try LockedFile(store.path)
    let tickets = try (0..<5).map { number in
      store.submit([
        .save(try draft(#"{"n":"\#(number)","v":1}"#), policy: .allKeys),
        .save(try draft(#"{"n":"\#(number)b","v":1}"#), policy: .allKeys),
      ])
    }
    for ticket in tickets {
      let failure = try #require(throws: WriteFailure.self) { try store.inbox.write(ticket).get() }
      #expect(failure.error.code == .storeBusy && failure.error.retryAfter != nil)
      expectNoInternals(failure.error)
    }
    #expect(try store.names() == ["old"])
    locked.release()
    try store.save(#"{"n":"new","v":1}"#)
    #expect(try store.names() == ["new", "old"])
  }

  @Test("what another program wrote is taken into account")
  func otherWriter() throws {
    let store = try TestStore()
    try store.save(#"{"n":"a","v":1}"#)
    let other = try TestStore(in: store.folder)
    try other.save(#"{"n":"b","w":1}"#)
    try other.save(#"{"n":"c","w":1}"#)
    try store.save(#"{"n":"d","v":1}"#)
    #expect(refusal { try store.save(#"{"n":"e","w":"text"}"#) } == .fieldTypeMismatch)
    #expect(try store.names() == ["a", "b", "c", "d"])
    #expect(try store.reader.sequence == 4)
  }

  // MARK: Damage

  /// What became of a store of 200 records.
  private func storeFile() throws -> TestFolder {
    let store = try TestStore()
    let text = String(repeating: "x", count: 200)
    _ = try store.write(
      (100..<300).map { .save(try draft(#"{"n":"\#($0)","v":"\#(text)"}"#), policy: .allKeys) })
    store.close()
    return store.folder
  }

  @Test(
    "a file that is no store is told and left as it is",
    arguments: ["cut off", "text", "empty", "another program's", "zeroes"])
  func noStore(_ what: String) throws {
    let folder = try storeFile()
    let path = folder.file("a.db")
    switch what {
    case "cut off": File.write(Array(File.read(path)[..<100]), to: path)
    case "text": File.write(Array("This is not the file that you are looking for.".utf8), to: path)
    case "empty": File.write([], to: path)
    case "zeroes": File.write([UInt8](repeating: 0, count: 8192), to: path)
    default:
      unlink(path)
      let database = try Database(path: path, access: .readWriteCreate, busyTimeout: 0)
      try database.execute("CREATE TABLE t (a)")
    }
    let before = File.read(path)
    let error = try #require(openingError(folder))
    #expect(error.code == .storeDamaged)
    expectNoInternals(error)
    #expect(File.read(path).elementsEqual(before))
    #expect(TestFolder.names(in: folder.path).contains("a.db"))
  }

  @Test("a damaged page is told where it is met; the rest can be read, and nothing is written any more")
  func damagedPage() throws {
    let folder = try storeFile()
    let path = folder.file("a.db")
    var content = File.read(path)
    // Records 150 to 160, more or less, lie on this page.
    let place = try #require(content.firstRange(of: Array(#""recordName":"150""#.utf8))).lowerBound
    let page = place / 4096 * 4096
    for index in page..<page + 4096 { content[index] = 0xFF }
    File.write(content, to: path)
    let store = try TestStore(in: folder)
    #expect(try store.fetch("100") != nil)
    let error = try #require(throws: RecordError.self) { try store.fetch("150") }
    #expect(error.code == .storeDamaged)
    expectNoInternals(error)
    #expect(try store.fetch("299") != nil)
    #expect(refusal { try store.names() } == .storeDamaged)
    #expect(refusal { try store.save(#"{"n":"150","v":"new"}"#) } == .storeDamaged)
    #expect(refusal { try store.save(#"{"n":"299","v":"new"}"#) } == .storeDamaged)
    #expect(try store.fetch("299") != nil)
    #expect(store.log.all.contains { $0.contains(path) })
    store.close()
    #expect(File.read(path).elementsEqual(content))
  }

  @Test("a store whose file is taken away says so, and does not begin a new one")
  func removed() throws {
    let store = try TestStore()
    try store.save(#"{"n":"a","v":1}"#)
    rename(store.path, store.path + ".away")
    #expect(refusal { try store.save(#"{"n":"b","v":1}"#) } == .storeMissing)
    #expect(access(store.path, F_OK) != 0)
    rename(store.path + ".away", store.path)
    try store.save(#"{"n":"c","v":1}"#)
    #expect(try store.names() == ["a", "c"])
  }

  // MARK: Schema

  @Test("a file of a later version is refused and left as it is")
  func newer() throws {
    let folder = try storeFile()
    let path = folder.file("a.db")
    do {
      let database = try Database(path: path, access: .readWrite, busyTimeout: 0)
      try database.execute("PRAGMA user_version = 99")
      try database.checkpoint(.truncate)
    }
    let before = File.read(path)
    let error = try #require(openingError(folder))
    #expect(error.code == .storeTooNew)
    #expect(error.message.contains("newer version"))
    #expect(File.read(path).elementsEqual(before))
  }

  @Test("the file that is made first is not there until it is whole")
  func made() throws {
    let store = try TestStore()
    #expect(TestFolder.names(in: store.folder.path).allSatisfy { !$0.contains("new") })
    var status = stat()
    stat(store.path, &status)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  // MARK: Room

  @Test(
    "on a full disk saves are refused as such, reads and deletions go on, and room makes saves work again",
    .enabled(if: SmallDisk.isAvailable, "needs the right to mount a file system"))
  func full() throws {
    let disk = try #require(SmallDisk(megabytes: 4))
    let inbox = Inbox()
    let store = try RecordStore(
      RecordStoreConfiguration(location: .file(disk.path + "/a.db")), deliver: inbox.deliver)
    defer { store.close() }
    func write(_ operation: WriteOperation) -> RecordError? {
      let request = WriteRequest(caller: TestStore.caller, operations: [operation])
      if case .failure(let failure) = inbox.write(store.submit(request)) { return failure.error }
      return nil
    }
    let text = String(repeating: "x", count: 10_000)
    func save(_ name: Int) throws -> RecordError? {
      write(.save(try draft(#"{"n":"\#(name)","v":"\#(text)"}"#), policy: .allKeys))
    }
    var saved = 0
    while saved < 1000 {
      guard let error = try save(saved) else {
        saved += 1
        continue
      }
      #expect(error.code == .storageFull)
      expectNoInternals(error)
      break
    }
    #expect(saved > 50 && saved < 500)
    let reader = store.makeReader()
    func names() throws -> Int? {
      reader.renew()
      defer { reader.renew() }
      return try reader.count(Query(recordType: "Item", predicate: .everything), budget: .max)?.count
    }
    #expect(try names() == saved)
    for name in 0..<20 { #expect(write(deletion("\(name)")) == nil) }
    #expect(try names() == saved - 20)
    for name in 0..<5 { #expect(try save(name) == nil) }
    disk.fill()
    var others = 0
    while try save(1000 + others) == nil { others += 1 }
    #expect(try names() == saved - 15 + others)
    for name in 20..<30 { #expect(write(deletion("\(name)")) == nil) }
    disk.removeFiller()
    for name in 20..<30 { #expect(try save(name) == nil) }
    #expect(try names() == saved - 15 + others)
  }

  @Test(
    "a store on a full disk opens, and what was acknowledged is there",
    .enabled(if: SmallDisk.isAvailable, "needs the right to mount a file system"))
  func opensFull() throws {
    let disk = try #require(SmallDisk(megabytes: 2))
    let inbox = Inbox()
    let configuration = RecordStoreConfiguration(location: .file(disk.path + "/a.db"))
    func save(_ store: RecordStore, _ name: String) throws -> RecordError? {
      let operation = WriteOperation.save(try draft(#"{"n":"\#(name)","v":1}"#), policy: .allKeys)
      let ticket = store.submit(WriteRequest(caller: TestStore.caller, operations: [operation]))
      if case .failure(let failure) = inbox.write(ticket) { return failure.error }
      return nil
    }
    let first = try RecordStore(configuration, deliver: inbox.deliver)
    #expect(try save(first, "a") == nil)
    first.close()
    disk.fill()
    let other = Inbox()
    let second = try RecordStore(configuration, deliver: other.deliver)
    let reader = second.makeReader()
    #expect(try reader.fetch(recordName: "a") != nil)
    let operation = WriteOperation.save(try draft(#"{"n":"b","v":1}"#), policy: .allKeys)
    let request = WriteRequest(caller: TestStore.caller, operations: [operation])
    let failure = #expect(throws: WriteFailure.self) { try other.write(second.submit(request)).get() }
    #expect(failure?.error.code == .storageFull)
    disk.removeFiller()
    _ = try other.write(second.submit(request)).get()
    reader.renew()
    #expect(try reader.fetch(recordName: "b") != nil)
    reader.renew()
    second.close()
  }

  @Test(
    "a read-only folder can be read, is not taken for empty, and is written to when it can be",
    .enabled(if: SmallDisk.isAvailable, "needs the right to mount a file system"),
    arguments: ["closed", "killed", "killed, and without the log's index"])
  func readOnly(_ state: String) throws {
    let disk = try #require(SmallDisk(megabytes: 4))
    let inbox = Inbox()
    let configuration = RecordStoreConfiguration(location: .file(disk.path + "/a.db"))
    let first = try RecordStore(configuration, deliver: inbox.deliver)
    let operation = WriteOperation.save(try draft(#"{"n":"a","v":1}"#), policy: .allKeys)
    _ = try inbox.write(first.submit(WriteRequest(caller: TestStore.caller, operations: [operation]))).get()
    // As after a kill: the files are what they are while the store is open.
    let copies = ["a.db", "a.db-wal", "a.db-shm"].map { ($0, File.read(disk.path + "/" + $0)) }
    first.close()
    for (name, content) in copies where state != "closed" {
      File.write(content, to: disk.path + "/" + name)
    }
    if state.hasSuffix("index") { unlink(disk.path + "/a.db-shm") }
    try #require(disk.setReadOnly(true))

    let other = Inbox()
    let store = try RecordStore(configuration, deliver: other.deliver)
    let reader = store.makeReader()
    #expect(try reader.fetch(recordName: "a") != nil)
    reader.renew()
    let next = WriteOperation.save(try draft(#"{"n":"b","v":1}"#), policy: .allKeys)
    let request = WriteRequest(caller: TestStore.caller, operations: [next])
    let failure = try #require(throws: WriteFailure.self) { try other.write(store.submit(request)).get() }
    #expect(failure.error.code == .storageReadOnly)
    expectNoInternals(failure.error)
    let empty = RecordStoreConfiguration(location: .file(disk.path + "/none.db"))
    #expect(refusal { try RecordStore(empty, deliver: other.deliver) } == .storageReadOnly)

    try #require(disk.setReadOnly(false))
    _ = try other.write(store.submit(request)).get()
    reader.renew()
    #expect(try reader.fetch(recordName: "b") != nil)
    reader.renew()
    store.close()
  }
}
