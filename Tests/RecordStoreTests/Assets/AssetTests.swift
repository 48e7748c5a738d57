import Files
import Glibc
import JSONRPC
import Records
import Testing

@testable import RecordStore

@Suite("Assets")
struct AssetTests {
  let store: TestStore
  private static let now: Int64 = 1_796_000_000_000
  let clock = TestClock(Self.now)

  init() throws {
    let clock = clock
    store = try TestStore(clock: { clock.time })
  }

  private func restarted() throws -> TestStore {
    store.close()
    let clock = clock
    return try TestStore(in: store.folder, clock: { clock.time })
  }

  @Test("a file becomes an asset, is found by its checksum, and given to records")
  func saved() throws {
    let asset = try store.saveAsset("hello")
    #expect(asset.checksum == "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
    #expect(asset.size == 5)
    #expect(store.files == [asset.checksum])
    #expect(store.content(of: asset.checksum) == "hello")
    var status = stat()
    #expect(stat(store.filePath(asset.checksum), &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    let record = try store.save(store.record("a", asset))
    #expect(try store.fetch("a")?.body.bytes == record.body.bytes)
    #expect(try store.reader.assets() == [asset])
  }

  @Test(
    "a record with an asset that is not there, or has another size, is not saved; one that has it may keep it"
  )
  func missing() throws {
    let asset = try store.saveAsset("hello")
    let other = Asset(checksum: asset.checksum, size: 6)
    let made = Asset(checksum: "../../a", size: 6)
    for wrong in [other, made] {
      #expect(throws: RecordError.self) { try store.save(store.record("a", wrong)) }
    }
    #expect {
      try store.save(store.record("a", asset, other))
    } throws: {
      let error = $0 as? RecordError
      return error?.code == .assetFileNotFound && error?.details.map(\.name) == ["field", "checksum"]
    }
    #expect(try store.fetch("a") == nil)
    try store.save(store.record("a", asset, asset))
    try store.inRows("DELETE FROM asset")
    try store.save(#"{"type":"List","n":"a","m":1}"#, policy: .changedKeys)
    #expect(throws: RecordError.self) { try store.save(store.record("b", asset)) }
  }

  @Test("an asset goes when no record has it, no kept version had it, and it is old enough")
  func collected() throws {
    let asset = try store.saveAsset("hello")
    let unused = try store.saveAsset("unused")
    try store.save(store.record("a", asset))
    clock.time += 3_590_000
    store.collectAssets()
    #expect(Set(store.files) == [asset.checksum, unused.checksum])
    clock.time += 601_000
    store.collectAssets()
    #expect(store.files == [asset.checksum])
    #expect(try store.reader.assets() == [asset])
    // Kept for the sake of the deleted record's history.
    try store.delete("a")
    clock.time += 3_601_000
    store.collectAssets()
    #expect(store.files == [asset.checksum])
    try store.forgetHistory()
    clock.time += 601_000
    store.collectAssets()
    #expect(store.files == [])
    #expect(try store.reader.assets() == [])
  }

  @Test(
    "two records share a file, which stays for the one that is left; so does one that is taken away and back")
  func shared() throws {
    let asset = try store.saveAsset("hello")
    #expect(try store.saveAsset("hello") == asset)
    #expect(store.files == [asset.checksum])
    try store.save(store.record("a", asset))
    try store.save(store.record("b", asset))
    try store.delete("a")
    try store.save(#"{"n":"b","m":1}"#)
    try store.save(store.record("b", asset))
    try store.forgetHistory()
    clock.time += 3_601_000
    store.collectAssets()
    #expect(store.files == [asset.checksum])
  }

  @Test("an asset that is wanted again stays for another hour")
  func wantedAgain() throws {
    let asset = try store.saveAsset("hello")
    clock.time += 3_590_000
    try store.saveAsset("hello")
    clock.time += 3_590_000
    store.collectAssets()
    #expect(store.files == [asset.checksum])
  }

  @Test("who reads a file that is removed reads on")
  func openWhileRemoved() throws {
    let asset = try store.saveAsset("hello")
    let file = try store.store.assets.folder.open(asset.checksum)
    clock.time += 3_601_000
    store.collectAssets()
    #expect(store.files == [])
    var bytes = [UInt8](repeating: 0, count: 5)
    #expect(pread(file.file.rawValue, &bytes, 5, 0) == 5)
    #expect(bytes == Array("hello".utf8))
    #expect(throws: RecordError.self) { try store.store.assets.folder.open(asset.checksum) }
    #expect(try store.saveAsset("hello") == asset)
    #expect(store.content(of: asset.checksum) == "hello")
  }

  @Test("what is being saved is not removed, however old its row is")
  func heldWhileCollected() throws {
    let asset = try store.saveAsset("hello")
    clock.time += 3_601_000
    let held = try store.receive("hello")
    store.collectAssets()
    #expect(store.files == [asset.checksum])
    #expect(try store.reader.assets() == [])
    _ = try store.write([.saveAsset(held)])
    try store.save(store.record("a", asset))
    #expect(store.content(of: asset.checksum) == "hello")
  }

  @Test("what is condemned and wanted again before it is removed stays")
  func condemnedAndHeld() throws {
    let asset = try store.saveAsset("hello")
    let folder = store.store.assets.folder
    folder.condemn([asset.checksum])
    let held = try store.receive("hello")
    folder.removeCondemned()
    #expect(store.files == [asset.checksum])
    withExtendedLifetime(held) {}
  }

  @Test("files without rows, as a crash leaves them, go at the next start; files with rows stay")
  func sweep() throws {
    let asset = try store.saveAsset("hello")
    _ = try store.receive("an orphan")
    #expect(store.files.count == 2)
    File.write([1, 2, 3], to: "\(store.assetFolder)/new/1234-1")
    File.write([1, 2, 3], to: "\(store.assetFolder)/2c/strange")
    let store = try restarted()
    store.waitForFiles([asset.checksum])
    #expect(TestFolder.names(in: "\(store.assetFolder)/new") == [])
    #expect(TestFolder.names(in: "\(store.assetFolder)/2c").contains("strange"))
  }

  @Test("after a file was lost beside its row it can be saved again")
  func fileLost() throws {
    let asset = try store.saveAsset("hello")
    unlink(store.filePath(asset.checksum))
    #expect(throws: RecordError.self) { try store.store.assets.folder.open(asset.checksum) }
    try store.saveAsset("hello")
    #expect(store.content(of: asset.checksum) == "hello")
    File.write([1], to: store.filePath(asset.checksum))
    try store.saveAsset("hello")
    #expect(store.content(of: asset.checksum) == "hello")
  }

  @Test("a store in memory leaves no files")
  func inMemory() throws {
    let store = try TestStore(inMemory: true)
    let asset = try store.saveAsset("hello")
    let path = store.store.assets.folder.path
    #expect(access("\(path)/\(asset.checksum.prefix(2))/\(asset.checksum)", F_OK) == 0)
    store.close()
    #expect(access(path, F_OK) != 0)
  }

  @Test(
    "without room a file is refused and leaves nothing; records are saved still",
    .enabled(if: SmallDisk.isAvailable))
  func fullDisk() throws {
    let disk = try #require(SmallDisk(megabytes: 8))
    let store = try TestStore(file: "../../\(disk.path)/a.db")
    let large = [UInt8](repeating: 7, count: 16 << 20)
    #expect(throws: RecordError.storageFull) { try store.receive(large) }
    #expect(throws: RecordError.storageFull) { try store.copy(large) }
    #expect(TestFolder.names(in: "\(store.assetFolder)/new") == [])
    try store.save(#"{"n":"a","m":1}"#)
    let small = try store.saveAsset("hello")
    try store.save(store.record("b", small))
  }

  @Test(
    "where nothing can be written that is said, and what is there is read",
    .enabled(if: SmallDisk.isAvailable))
  func readOnly() throws {
    let disk = try #require(SmallDisk(megabytes: 8))
    let store = try TestStore(file: "../../\(disk.path)/a.db")
    let asset = try store.saveAsset("hello")
    store.close()
    try #require(disk.setReadOnly(true))
    let again = try TestStore(file: "../../\(disk.path)/a.db")
    #expect(throws: RecordError.storageReadOnly) { try again.receive("other") }
    #expect(throws: RecordError.storageReadOnly) { try again.saveAsset("hello") }
    #expect(try again.store.assets.folder.open(asset.checksum).size == 5)
    try #require(disk.setReadOnly(false))
    _ = try again.saveAsset("other")
  }
}
