import Files
import Glibc
import JSONRPC
import Records
import SQLite
import Testing

@testable import RecordStore

/// What else there is in a store than records, backed up and put back.
@Suite struct BackupContentTests {
  private func key(_ text: String) -> IdempotencyKey {
    IdempotencyKey(text: text, digest: Array("digest".utf8)) {
      Array(#"{"t":"\#($0.changeToken.text)"}"#.utf8)
    }
  }

  private func ask(_ store: TestStore, _ json: String, _ key: String) throws -> Outcome {
    let request = WriteRequest(
      caller: TestStore.caller, operations: [.save(try draft(json), policy: .allKeys)],
      idempotencyKey: self.key(key))
    defer { store.reader.renew() }
    return store.inbox.outcome(of: store.store.submit(request))
  }

  private func repeated(_ outcome: Outcome) throws -> [UInt8]? {
    if case .repeated(let result) = outcome { try result.get() } else { nil }
  }

  @Test(
    "deleted records and former versions come back with their assets, also those of a field that was dropped")
  func history() throws {
    let store = try TestStore()
    var assets: [Asset] = []
    for number in 0..<4 { assets.append(try store.saveAsset("asset \(number)")) }
    try store.save(store.record("live", assets[0]))
    try store.save(store.record("gone", assets[1]))
    try store.delete("gone")
    let former = try store.save(store.record("changed", assets[2]))
    try store.save(#"{"n":"changed"}"#)
    try store.save(#"{"n":"x","type":"Other"}"#)
    let value = #"{"$asset":{"checksum":"\#(assets[3].checksum)","size":\#(assets[3].size)}}"#
    try store.save(#"{"n":"d","type":"Dropped","f":\#(value),"old":"7","r":\#(reference("x", "setNull"))}"#)
    try store.delete("d")
    try store.declare("{}", .init(renamed: [("old", "new")], dropped: ["f", "r"]), type: "Dropped")
    let backup = try store.store.backUp()
    #expect(backup.assets.count == 4)

    let other = try TestStore()
    let held = try (0..<4).map { try other.receive("asset \($0)") }
    other.reader.renew()
    _ = try other.store.restore(backup.file, checksum: backup.checksum, isForced: false)
    other.reader.renew()
    #expect(held.count == 4)
    #expect(try other.problems() == [])
    #expect(try other.reader.assets().count == 4)
    #expect(try other.restore("gone").fieldsText.contains(assets[1].checksum))
    #expect(
      try other.restore("changed", tag: former.recordChangeTag).fieldsText.contains(assets[2].checksum))
    #expect(try other.restore("d").fieldsText == #"{"new":"7"}"#)
    #expect(try other.problems() == [])
  }

  @Test("the same of a store in which no type has such fields any more")
  func onlyHistory() throws {
    let store = try TestStore()
    let asset = try store.saveAsset("asset")
    let former = try store.save(store.record("a", asset))
    try store.declare("{}", .init(dropped: ["f"]))
    let backup = try store.store.backUp()
    store.reader.renew()
    _ = try store.store.restore(backup.file, checksum: backup.checksum, isForced: true)
    store.reader.renew()
    #expect(try store.reader.assets() == [asset])
    #expect(former.fieldsText.contains(asset.checksum))
    let page = try store.reader.history(
      HistoryQuery(recordName: "a", zoneName: Identifier.defaultZone, resultsLimit: 10))
    #expect(page.versions.last?.record?.fieldsText == former.fieldsText)
  }

  @Test("saved subscriptions, kept answers, rules and indexes in the making go along")
  func everything() throws {
    let store = try TestStore()
    try store.declare(#"{"u":{"type":"string","unique":true},"v":{"type":"int64","required":true}}"#)
    _ = try store.write(
      (0..<3000).map { .save(try draft(#"{"n":"\#($0)","u":"\#($0)","v":\#($0)}"#), policy: .allKeys) })
    let answer = try ask(store, #"{"n":"k","v":1}"#, "key")
    guard case .write(.success) = answer else { Issue.record("not done"); return }
    try store.done(
      .saveSubscription(.init(id: "s", definition: #"{"recordType":"Item"}"#, since: nil)))
    let subscription = try store.reader.savedSubscription("s", ofUser: TestStore.caller.userID)
    store.reader.renew()
    // The next thing that the writer does is a part of the index only.
    try store.declare(
      RecordTypeDraft(name: "Item", indexes: [.init(keys: [FieldPath("v")!, FieldPath("u")!])]))
    let backup = try store.store.backUp()
    try store.done(.deleteSubscription(.init(id: "s")))
    let later = try ask(store, #"{"n":"l","v":1}"#, "later")
    guard case .write(.success) = later else { Issue.record("not done"); return }
    store.reader.renew()
    _ = try store.store.restore(backup.file, checksum: backup.checksum, isForced: true)
    store.reader.renew()
    #expect(try store.reader.savedSubscription("s", ofUser: TestStore.caller.userID) == subscription)
    #expect(try repeated(ask(store, #"{"n":"k","v":1}"#, "key")) != nil)
    // What was done after the backup is not done any more, so that it is done when it is sent again.
    #expect(try repeated(ask(store, #"{"n":"l","v":1}"#, "later")) == nil)
    #expect(broken { try store.save(#"{"n":"x","u":"5","v":1}"#) } == "unique u 5")
    #expect(broken { try store.save(#"{"n":"x"}"#) } == "required v")
    try store.finishIndexes()
    #expect(try store.names("v = 77 AND u = '77'") == ["77"])
    #expect(try store.problems() == [])
  }

  @Test("a backup of an earlier version is brought up to date, and whole then", arguments: [1, 2, 3])
  func older(version: Int) throws {
    let folder = TestFolder()
    let path = folder.file("old.db")
    switch version {
    case 1: try SchemaTests().makeVersion1(at: path)
    case 2: try SchemaTests().makeVersion2(at: path)
    default: try SchemaTests().makeVersion3(at: path)
    }
    do {
      let database = try Database(path: path, access: .readWrite, busyTimeout: 100)
      try database.execute(
        """
        DELETE FROM record WHERE type = 2; DELETE FROM type WHERE id = 2; DELETE FROM field WHERE type = 2;
        DELETE FROM declaredIndex WHERE type = 2; DELETE FROM change;
        UPDATE store SET records = 3, recordBytes = (SELECT sum(length(body)) FROM record), changes = 0,
          changeBytes = 0, horizon = lastCommit;
        """)
      if version > 2 { try database.execute("DELETE FROM reference") }
      try database.checkpoint(.truncate)
    }
    let store = try TestStore()
    let content = try #require(OwnedDescriptor(opening: path, O_RDONLY))
    var hash = SHA256()
    File.read(path).withUnsafeBytes { hash.update($0) }
    store.reader.renew()
    let restored = try store.store.restore(
      content, checksum: SHA256.text(of: hash.finish()), isForced: false)
    store.reader.renew()
    #expect(restored.records == 3)
    #expect(try store.names("v < 10") == ["b", "c"])
    try store.declare(#"{"v":{"unique":true}}"#)
    #expect(broken { try store.save(#"{"n":"d","v":9}"#) } == "unique v b")
    let asset = try store.saveAsset("hello")
    try store.save(#"{"n":"d","v":1,"r":\#(reference("a", "deleteSelf"))}"#)
    try store.save(store.record("e", asset))
    try store.delete("a")
    #expect(try store.names() == ["b", "c", "e"])
    try store.restore("a", withCascade: true)
    #expect(try store.names() == ["a", "b", "c", "d", "e"])
    #expect(try store.problems() == [])
  }

  @Test("a backup outlives the container that it is of; an upload into one that is deleted ends")
  func container() throws {
    let folder = TestFolder()
    let inbox = Inbox()
    let directory = StoreDirectory(
      .folder(folder.file("state")), template: RecordStoreConfiguration(location: .memory),
      maximumContainers: 10
    ) { inbox.deliver($1) }
    let id = StoreID(container: "notes", database: .private(1))
    let store = try directory.store(id)
    let save = WriteRequest(
      caller: TestStore.caller, operations: [.save(try draft(#"{"n":"a"}"#), policy: .allKeys)])
    _ = try inbox.write(store.submit(save)).get()
    let backup = try store.backUp()
    let part = AssetPart(userID: 1, uploadID: nil, size: 4, checksum: nil, offset: nil, data: [1, 2])
    guard case .unfinished(let upload, _) = try store.assets.receive(part) else { fatalError("whole") }
    #expect(try directory.removeContainer("notes").failure == nil)
    #expect(refusal { try store.backUp() } != nil)
    for data in [[3], [4]] as [[UInt8]] {
      let rest = AssetPart(userID: 1, uploadID: upload, size: nil, checksum: nil, offset: nil, data: data)
      _ = try? store.assets.receive(rest)
    }
    #expect(refusal { try store.assets.receive(part) } != nil)
    #expect(TestFolder.names(in: folder.file("state")) == ["containers"])
    let restored = try directory.restore(id, from: backup.file, checksum: backup.checksum, isForced: false)
    #expect(restored.records == 1)
    let made = try directory.store(id)
    #expect(
      refusal {
        try made.assets.receive(
          .init(userID: 1, uploadID: upload, size: nil, checksum: nil, offset: nil, data: []))
      } == .unknownItem)
    directory.close()
    #expect(TestFolder.names(in: folder.file("state")) == ["container-1", "containers"])
  }
}
