import Glibc
import JSONRPC
import Records
import Synchronization
import Testing

@testable import RecordStore

@Suite struct StoreDirectoryTests {
  let folder = TestFolder()
  let delivered = Delivered()

  final class Delivered: Sendable {
    let inboxes = Mutex<[StoreID: Inbox]>([:])

    func inbox(_ id: StoreID) -> Inbox {
      inboxes.withLock { inboxes in
        let inbox = inboxes[id] ?? Inbox()
        inboxes[id] = inbox
        return inbox
      }
    }
  }

  private func directory(
    _ location: StoreDirectory.Location? = nil, containers: Int = 3
  ) -> StoreDirectory {
    let delivered = delivered
    return StoreDirectory(
      location ?? .folder(folder.file("state/lists")), template: RecordStoreConfiguration(location: .memory),
      maximumContainers: containers
    ) { id, group in delivered.inbox(id).deliver(group) }
  }

  private func save(_ name: String, in id: StoreID, of directory: StoreDirectory) throws {
    let operation = WriteOperation.save(try draft(#"{"n":"\#(name)","v":1}"#), policy: .allKeys)
    let ticket = try directory.store(id).submit(
      WriteRequest(caller: TestStore.caller, operations: [operation]))
    _ = try delivered.inbox(id).write(ticket).get()
  }

  private func names(in id: StoreID, of directory: StoreDirectory) throws -> [String] {
    let reader = try directory.store(id).makeReader()
    defer { reader.renew() }
    return try #require(try reader.query(Query(recordType: "Item", predicate: .everything), budget: 100))
      .records.map(\.recordName)
  }

  @Test("each database of each user and container is a store of its own, there again after a new start")
  func apart() throws {
    let ids = [
      StoreID(database: .public), StoreID(database: .private(1)), StoreID(database: .private(2)),
      StoreID(container: "notes", database: .public), StoreID(container: "../../x", database: .private(1)),
      StoreID(container: "e\u{301}", database: .public),
    ]
    let first = directory()
    for (number, id) in ids.enumerated() { try save("\(number)", in: id, of: first) }
    #expect(first.openStores.count == ids.count)
    first.close()
    let second = directory()
    for (number, id) in ids.enumerated() { #expect(try names(in: id, of: second) == ["\(number)"]) }
    second.close()
  }

  @Test("a folder is one directory's at a time, and the next one's once that is closed")
  func oneAtATime() throws {
    let id = StoreID(database: .public)
    let first = directory()
    try save("x", in: id, of: first)
    let second = directory()
    let refusal = #expect(throws: RecordError.self) { try second.store(id) }
    #expect(refusal?.code == .storeBusy)
    #expect(refusal?.retryAfter != nil)
    first.close()
    #expect(try names(in: id, of: second) == ["x"])
    second.close()
  }

  @Test("no file is named by what a client sent")
  func fileNames() throws {
    let directory = directory()
    for container in ["../escape", "a/b", "notes"] {
      try save("x", in: StoreID(container: container, database: .private(7)), of: directory)
    }
    try save("x", in: StoreID(database: .public), of: directory)
    directory.close()
    #expect(
      TestFolder.names(in: folder.file("state/lists"))
        == ["container-1", "container-2", "container-3", "containers", "default"])
    #expect(TestFolder.names(in: folder.file("state/lists/container-1")) == ["private-7.db"])
    #expect(TestFolder.names(in: folder.file("state/lists/default")) == ["public.db"])
    var status = stat()
    stat(folder.file("state/lists"), &status)
    #expect(status.st_mode & 0o777 == 0o700)
  }

  @Test("containers whose names look the same and have other bytes are two")
  func bytes() throws {
    let directory = directory()
    try save("x", in: StoreID(container: "e\u{301}", database: .public), of: directory)
    #expect(try names(in: StoreID(container: "\u{e9}", database: .public), of: directory) == [])
    directory.close()
  }

  @Test("one container too many is refused, those that are there go on", arguments: [true, false])
  func limit(inMemory: Bool) throws {
    let directory = directory(inMemory ? .memory : nil)
    for name in ["a", "b", "c"] {
      try save("x", in: StoreID(container: name, database: .public), of: directory)
    }
    let error = #expect(throws: RecordError.self) {
      try directory.store(StoreID(container: "d", database: .public))
    }
    #expect(error?.code == .limitExceeded)
    #expect(error?.detail("limitName")?.stringValue == "maximumContainers")
    try save("y", in: StoreID(container: "a", database: .public), of: directory)
    try save("y", in: StoreID(database: .public), of: directory)
    directory.close()
  }

  @Test("a container needs a proper name", arguments: ["", "a\nb", String(repeating: "x", count: 256)])
  func names(_ name: String) {
    let directory = directory()
    #expect(refusal { try directory.store(StoreID(container: name, database: .public)) } == .invalidArguments)
    directory.close()
  }

  @Test("a damaged list of containers is left as it is, and hides no other store")
  func damagedList() throws {
    let first = directory()
    try save("x", in: StoreID(container: "a", database: .public), of: first)
    try save("x", in: StoreID(database: .public), of: first)
    first.close()
    let path = folder.file("state/lists/containers")
    File.write(Array("[1,".utf8), to: path)
    let second = directory()
    #expect(refusal { try second.store(StoreID(container: "a", database: .public)) } == .storeDamaged)
    #expect(try names(in: StoreID(database: .public), of: second) == ["x"])
    #expect(File.read(path) == Array("[1,".utf8))
    second.close()
  }

  @Test("a damaged store hides no other, and is tried again when it is asked for")
  func damagedStore() throws {
    let first = directory()
    try save("x", in: StoreID(database: .private(1)), of: first)
    try save("x", in: StoreID(database: .private(2)), of: first)
    first.close()
    let path = folder.file("state/lists/default/private-1.db")
    let content = File.read(path)
    File.write(Array("text".utf8), to: path)
    let second = directory()
    #expect(refusal { try second.store(StoreID(database: .private(1))) } == .storeDamaged)
    #expect(try names(in: StoreID(database: .private(2)), of: second) == ["x"])
    File.write(content, to: path)
    #expect(try names(in: StoreID(database: .private(1)), of: second) == ["x"])
    second.close()
  }

  @Test("after its end it opens nothing")
  func closed() {
    let directory = directory()
    directory.close()
    #expect(refusal { try directory.store(StoreID(database: .public)) } == .serviceUnavailable)
  }
}
