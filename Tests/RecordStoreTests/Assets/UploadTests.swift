import Files
import Glibc
import Records
import Testing

@testable import RecordStore

@Suite("Uploads of assets")
struct UploadTests {
  let store: TestStore
  let clock = TestClock(1_796_000_000_000)

  init() throws {
    let clock = clock
    var limits = StoreLimits()
    limits.maximumUploads = 3
    store = try TestStore(inMemory: true, limits: limits, clock: { clock.time })
  }

  private func part(
    _ id: String?, size: Int64? = nil, checksum: String? = nil, at offset: Int64? = nil, _ data: String?,
    user: UInt32 = 1000
  ) throws -> Assets.Received {
    try store.store.assets.receive(
      AssetPart(
        userID: user, uploadID: id, size: size, checksum: checksum, offset: offset,
        data: data.map { Array($0.utf8) }))
  }

  private func begin(size: Int64, _ data: String? = nil) throws -> String {
    guard case .unfinished(let id, _) = try part(nil, size: size, data) else { throw TestFault() }
    return id
  }

  private func offset(of received: Assets.Received) -> Int64? {
    if case .unfinished(_, let offset) = received { offset } else { nil }
  }

  private struct TestFault: Error {}

  @Test("parts make a file, in the order of their offsets only")
  func parts() throws {
    let id = try begin(size: 10, "hel")
    #expect(throws: RecordError.self) { try part(id, at: 2, "lo") }
    #expect(throws: RecordError.self) { try part(id, at: 4, "lo") }
    #expect(throws: RecordError.self) { try part(id, "lo and too much") }
    #expect(throws: RecordError.self) { try part(id, size: 11, "lo") }
    #expect(offset(of: try part(id, at: 3, "lo")) == 5)
    #expect(offset(of: try part(id, nil)) == 5)
    guard case .whole(let held) = try part(id, "world") else { throw TestFault() }
    #expect(held.asset.checksum == SHA256.text(of: SHA256.digest(of: Array("helloworld".utf8))))
    #expect(throws: RecordError.self) { try part(id, nil) }
  }

  @Test("another user's upload is not there")
  func owner() throws {
    let id = try begin(size: 10, "hel")
    #expect(throws: RecordError.self) { try part(id, "lo", user: 1001) }
    #expect(offset(of: try part(id, nil)) == 3)
  }

  @Test(
    "a user has a limited number of them, and those that nothing comes for are forgotten with their files")
  func forgotten() throws {
    let first = try begin(size: 10)
    clock.time += 1_800_000
    for _ in 0..<2 { _ = try begin(size: 10) }
    #expect(throws: RecordError.self) { try begin(size: 10) }
    #expect(throws: Never.self) { try part(nil, size: 10, "hel", user: 1001) }
    clock.time += 1_801_000
    #expect(throws: RecordError.self) { try part(first, "hel") }
    _ = try begin(size: 10)
    #expect(TestFolder.names(in: "\(store.store.assets.folder.path)/new").count == 4)
  }

  @Test("a wrong checksum is refused, and nothing is left")
  func wrongChecksum() throws {
    let wrong = String(repeating: "0", count: 64)
    #expect(throws: RecordError.self) { try part(nil, size: 3, checksum: wrong, "hel") }
    #expect(TestFolder.names(in: "\(store.store.assets.folder.path)/new") == [])
    #expect(store.store.assets.folder.sweep() == [])
  }

  @Test("parts that come at the same time from two threads each count once")
  func concurrent() async throws {
    let id = try begin(size: 20_000)
    let assets = store.store.assets
    let whole = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          var whole = 0
          for _ in 0..<250 {
            let part = AssetPart(
              userID: 1000, uploadID: id, size: nil, checksum: nil, offset: nil,
              data: Array("0123456789".utf8))
            if case .whole? = try? assets.receive(part) { whole += 1 }
          }
          return whole
        }
      }
      return await group.reduce(0, +)
    }
    #expect(whole == 1)
    let files = store.store.assets.folder.sweep()
    let content = String(repeating: "0123456789", count: 2000)
    #expect(files == [SHA256.text(of: SHA256.digest(of: Array(content.utf8)))])
  }
}
