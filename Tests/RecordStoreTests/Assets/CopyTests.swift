import CLinux
import Files
import Glibc
import Records
import Synchronization
import Testing

@testable import RecordStore

@Suite("Files copied from a descriptor")
struct CopyTests {
  let store: TestStore

  init() throws { store = try TestStore(inMemory: true) }

  private func open(_ path: String, _ flags: Int32) throws -> OwnedDescriptor {
    try #require(OwnedDescriptor(opening: path, flags))
  }

  private func file(_ content: String) throws -> String {
    let path = store.folder.file("file")
    File.write(Array(content.utf8), to: path)
    return path
  }

  private func copy(_ file: OwnedDescriptor, size: Int64) throws -> Asset {
    try store.store.assets.copy(file, size: size, checksum: nil).asset
  }

  private var drafts: [String] { TestFolder.names(in: "\(store.store.assets.folder.path)/new") }

  private func expectRefusal(_ file: OwnedDescriptor, size: Int64) {
    #expect { try copy(file, size: size) } throws: {
      ($0 as? RecordError)?.code == .invalidArguments
    }
    #expect(drafts == [])
  }

  @Test("a regular file is copied from its start, and its offset stays where it is")
  func regular() throws {
    let descriptor = try open(try file("hello"), O_RDONLY)
    lseek(descriptor.rawValue, 3, SEEK_SET)
    let asset = try copy(descriptor, size: 5)
    #expect(asset.checksum == SHA256.text(of: SHA256.digest(of: Array("hello".utf8))))
    #expect(lseek(descriptor.rawValue, 0, SEEK_CUR) == 3)
    #expect(drafts == [])
  }

  @Test("a file in memory is copied, sealed or not", arguments: [false, true])
  func memory(isSealed: Bool) throws {
    let number = clinux_memory_file("test")
    try #require(number >= 0)
    let descriptor = OwnedDescriptor(number)
    #expect(write(number, "hello", 5) == 5)
    if isSealed { #expect(clinux_seal(number) == 0) }
    #expect(try copy(descriptor, size: 5).size == 5)
  }

  @Test("anything but a regular file is refused at once, also what would block")
  func otherKinds() throws {
    let fifo = store.folder.file("fifo")
    #expect(mkfifo(fifo, 0o600) == 0)
    expectRefusal(try open(fifo, O_RDWR), size: 0)
    expectRefusal(try open("/dev/zero", O_RDONLY), size: 5)
    expectRefusal(try open("/dev/null", O_RDONLY), size: 0)
    expectRefusal(try open(store.folder.path, O_RDONLY | O_DIRECTORY), size: 4096)
    expectRefusal(OwnedDescriptor(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)), size: 0)
    expectRefusal(OwnedDescriptor(eventfd(0, 0)), size: 0)
    expectRefusal(OwnedDescriptor(epoll_create1(0)), size: 0)
  }

  @Test("one that can't be read is refused: opened for writing only, or as a path only")
  func unreadable() throws {
    let path = try file("hello")
    expectRefusal(try open(path, O_WRONLY), size: 5)
    expectRefusal(try open(path, 0o10000000), size: 5)  // O_PATH
  }

  @Test("a size that is not the file's is refused; so is a file that says 0 and has content")
  func wrongSize() throws {
    let path = try file("hello")
    expectRefusal(try open(path, O_RDONLY), size: 4)
    expectRefusal(try open(path, O_RDONLY), size: 6)
    expectRefusal(try open("/proc/self/status", O_RDONLY), size: 0)
  }

  @Test("a file that grows, shrinks or changes while it is copied is refused or copied as it was read")
  func changing() throws {
    let path = try file("")
    let descriptor = try open(path, O_RDWR)
    let size = 8 << 20
    let stop = Atomic<Bool>(false)
    let meddler = try open(path, O_RDWR)
    let threads = try #require(
      WorkerThread {
        var turn = 0
        while !stop.load(ordering: .relaxed) {
          turn += 1
          ftruncate(meddler.rawValue, Int(turn % 3 == 0 ? size : turn % 3 == 1 ? size / 2 : size + 1))
          var byte = UInt8(truncatingIfNeeded: turn)
          pwrite(meddler.rawValue, &byte, 1, 100)
        }
      })
    var copied = 0
    var refused = 0
    for _ in 0..<200 {
      do {
        let held = try store.store.assets.copy(descriptor, size: Int64(size), checksum: nil)
        copied += 1
        // What was named is what was kept.
        let file = try store.store.assets.folder.open(held.asset.checksum)
        #expect(file.size == size)
        if copied < 5 { #expect(SHA256.text(of: digest(of: file.file, size)) == held.asset.checksum) }
      } catch {
        #expect(error.code == .invalidArguments)
        refused += 1
      }
      if refused > 20 { break }
    }
    stop.store(true, ordering: .relaxed)
    threads.join()
    #expect(refused > 0)
    #expect(drafts == [])
  }

  private func digest(of file: OwnedDescriptor, _ size: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: size)
    #expect(pread(file.rawValue, &bytes, size, 0) == size)
    return SHA256.digest(of: bytes)
  }

  @Test("one whose checksum is there already is not copied again")
  func present() throws {
    let asset = try store.saveAsset("hello")
    let descriptor = try open(try file("HELLO"), O_RDONLY)
    let held = try store.store.assets.copy(descriptor, size: 5, checksum: asset.checksum)
    #expect(held.asset == asset)
  }
}
