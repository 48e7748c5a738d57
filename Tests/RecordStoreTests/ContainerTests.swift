import Glibc
import JSONRPC
import Records
import Testing

@testable import RecordStore

/// Containers as a directory lists and removes them.
@Suite struct ContainerTests {
  private let folder = TestFolder()
  private var root: String { folder.file("state") }

  private func directory(memory: Bool = false) -> StoreDirectory {
    StoreDirectory(
      memory ? .memory : .folder(root), template: RecordStoreConfiguration(location: .memory),
      maximumContainers: 10
    ) { _, _ in }
  }

  private func save(_ name: String, in container: String, of directory: StoreDirectory) throws {
    let store = try directory.store(StoreID(container: container, database: .private(1)))
    let operation = WriteOperation.save(try draft(#"{"n":"\#(name)","v":1}"#), policy: .allKeys)
    _ = store.submit(WriteRequest(caller: TestStore.caller, operations: [operation]))
    let done = Semaphore()
    store.ping { done.signal() }
    done.wait()
  }

  private func records(in container: String, of directory: StoreDirectory) throws -> Int? {
    try directory.containers().first { $0.name == container }?.databases.first?.records
  }

  @Test("they are listed with what is in them, opened or not", arguments: [false, true])
  func list(memory: Bool) throws {
    let first = directory(memory: memory)
    for name in ["a", "b"] { try save(name, in: "notes", of: first) }
    try save("x", in: "default", of: first)
    let listed = try first.containers()
    #expect(listed.map(\.name) == ["default", "notes"])
    #expect(listed.map { $0.databases.map(\.records) } == [[1], [2]])
    #expect(listed[1].databases[0].database == .private(1) && listed[1].databases[0].bytes > 0)
    first.close()
    guard !memory else { return }
    let second = directory()
    #expect(try second.containers().map { $0.databases.map(\.records) } == [[1], [2]])
    #expect(second.openStores.isEmpty)
    second.close()
  }

  @Test(
    "one that is removed is gone with its files; what is asked for then is new", arguments: [false, true])
  func remove(memory: Bool) throws {
    let directory = directory(memory: memory)
    try save("a", in: "notes", of: directory)
    try save("a", in: "other", of: directory)
    let store = try directory.store(StoreID(container: "notes", database: .private(1)))
    let removal = try directory.removeContainer("notes")
    #expect(removal.closed.map { $0 === store } == [true] && removal.failure == nil)
    #expect(try directory.containers().map(\.name) == ["default", "other"])
    if !memory { #expect(TestFolder.names(in: root) == ["container-2", "containers"]) }
    #expect(refusal { try directory.removeContainer("notes") } == .unknownItem)
    try save("b", in: "notes", of: directory)
    #expect(try records(in: "notes", of: directory) == 1)
    #expect(try records(in: "other", of: directory) == 1)
    directory.close()
    #expect(refusal { try directory.removeContainer("notes") } == .serviceUnavailable)
  }

  @Test("the default one, one without a proper name and one that isn't there are refused")
  func refusals() throws {
    let directory = directory()
    try save("a", in: "default", of: directory)
    #expect(refusal { try directory.removeContainer("default") } == .invalidArguments)
    #expect(refusal { try directory.removeContainer("") } == .invalidArguments)
    #expect(refusal { try directory.removeContainer("../default") } == .unknownItem)
    #expect(try records(in: "default", of: directory) == 1)
    directory.close()
  }

  @Test("what a removal left when it was interrupted is removed at the next start, and nothing else")
  func interrupted() throws {
    let first = directory()
    for name in ["a", "b", "c"] { try save("x", in: name, of: first) }
    first.close()
    // As after the folder's move: the list still has it.
    rename(root + "/container-1", root + "/removed-1")
    // As after the list's change, with some files removed.
    rename(root + "/container-2", root + "/removed-2")
    File.write(Array("[1,\"a\"]\n[3,\"c\"]\n".utf8), to: root + "/containers")
    mkdir(root + "/removed-2/private-1.assets", 0o700)
    File.write([1], to: root + "/removed-2/private-1.assets/x")
    symlink(root + "/container-3", root + "/removed-2/link")
    for name in ["removed-", "removed-03", "removed-x"] { mkdir("\(root)/\(name)", 0o700) }
    let second = directory()
    #expect(try second.containers().map(\.name) == ["default", "c"])
    #expect(try records(in: "c", of: second) == 1)
    #expect(
      TestFolder.names(in: root) == ["container-3", "containers", "removed-", "removed-03", "removed-x"])
    try save("y", in: "a", of: second)
    #expect(try records(in: "a", of: second) == 1)
    second.close()
  }

  @Test("a list of containers that is lost or damaged makes nothing be removed")
  func damagedList() throws {
    let first = directory()
    try save("x", in: "a", of: first)
    first.close()
    for content in [Array("[1,".utf8), []] {
      File.write(content, to: root + "/containers")
      let second = directory()
      #expect(refusal { try second.removeContainer("a") } != nil)
      second.close()
      #expect(TestFolder.names(in: root + "/container-1") == ["private-1.db"])
    }
  }

  @Test("writes that were submitted before are answered, those after are refused")
  func writersMeanwhile() throws {
    let inbox = Inbox()
    let directory = StoreDirectory(
      .folder(root), template: RecordStoreConfiguration(location: .memory), maximumContainers: 10
    ) { _, group in inbox.deliver(group) }
    let store = try directory.store(StoreID(container: "notes", database: .public))
    let operation = WriteOperation.save(try draft(#"{"v":1}"#), policy: .allKeys)
    let request = WriteRequest(caller: TestStore.caller, operations: [operation])
    let before = (0..<100).map { _ in store.submit(request) }
    _ = try directory.removeContainer("notes")
    for ticket in before { #expect((try? inbox.write(ticket).get()) != nil) }
    let failure = try #require(throws: WriteFailure.self) { try inbox.write(store.submit(request)).get() }
    #expect(failure.error.code == .serviceUnavailable)
    // A store of the same name has other tickets.
    let other = try directory.store(StoreID(container: "notes", database: .public)).submit(request)
    #expect(!before.contains(other))
    _ = try inbox.write(other).get()
    directory.close()
  }
}
