import Glibc
import JSONRPC
import SQLite
import ServiceFixture
import Testing

/// Whether this process may mount file systems; the tests that fill a disk or take away the right to
/// write need a file system of their own, since nothing is forbidden to root otherwise.
private let canMount = geteuid() == 0

/// What users of other systems reported of their stores, each as it would have shown here.
@Suite("Faults reported of stores")
struct StoreFaultsTests {
  static func storePath(in stateDirectory: String) -> String {
    "\(stateDirectory)/default/private-\(getuid()).db"
  }

  @Test("Saves wait for another program's lock, and all succeed when it is given back")
  func savesWaitForALock() async throws {
    let service = try ListsdProcess()
    try service.connect().save("first", #"{"v":0}"#)
    let other = try Database(
      path: Self.storePath(in: service.stateDirectory), access: .readWrite, busyTimeout: 1000)
    try other.execute("BEGIN IMMEDIATE")
    let connections = try (0..<10).map { _ in try service.connect() }
    for (number, connection) in connections.enumerated() {
      try connection.send(
        """
        {"jsonrpc":"2.0","id":1,"method":"saveRecord","params":{"record":{"recordType":"Item",\
        "recordName":"r\(number)","fields":{"v":1}},"savePolicy":"ifServerRecordUnchanged"}}

        """)
    }
    // Reads don't wait for the lock; by their replies the saves have been accepted.
    #expect(try service.connect().result(of: "fetchRecord", #"{"recordName":"first"}"#)["record"] != nil)
    try other.execute("COMMIT")
    for connection in connections {
      #expect(try connection.receiveMessage()["result"]?["record"] != nil)
    }
  }

  @Test(
    "A full disk has its own error; reads and deletes go on, and saves when there is room again",
    .enabled(if: canMount, "needs root, to mount a small file system"))
  func fullDisk() throws {
    let disk = try SmallDisk(options: ["-t", "tmpfs", "-o", "size=4m", "tmpfs"])
    let service = try ListsdProcess(arguments: ["--state-directory", disk.path])
    let connection = try service.connect()
    let text = String(repeating: "x", count: 10_000)
    var saved = 0
    var failure: JSON?
    while failure == nil, saved < 1000 {
      let reply = try connection.reply(
        to: "saveRecord",
        "{\"record\":{\"recordType\":\"Item\",\"recordName\":\"r\(saved)\",\"fields\":{\"t\":\"\(text)\"}}}")
      failure = reply["error"]
      if failure == nil { saved += 1 }
    }
    #expect(failure?.errorCode == "storageFull")
    #expect(saved > 50)
    func count() throws -> Int64? {
      try connection.result(of: "countRecords", #"{"recordType":"Item"}"#)["count"]?.int64Value
    }
    #expect(try count() == Int64(saved), "what was acknowledged is there")
    #expect(try connection.result(of: "fetchRecord", #"{"recordName":"r0"}"#)["record"] != nil)

    service.stop()
    try service.start()
    let again = try service.connect()
    #expect(
      try again.result(of: "fetchRecord", #"{"recordName":"r0"}"#)["record"] != nil,
      "it starts on a full disk")
    _ = try runToEnd(["mount", "-o", "remount,size=32m", disk.path])
    let reply = try again.reply(
      to: "saveRecord",
      "{\"record\":{\"recordType\":\"Item\",\"recordName\":\"late\",\"fields\":{\"t\":\"x\"}}}")
    #expect(reply["result"] != nil, "no restart was needed")
  }

  @Test(
    "In a read-only folder records are read, and a save says that the store is read-only",
    .enabled(if: canMount, "needs root, to mount a folder read-only"))
  func readOnlyFolder() throws {
    let service = try ListsdProcess()
    try service.connect().save("a", #"{"v":1}"#)
    service.stop()
    let mounted = try SmallDisk(at: service.stateDirectory, options: ["--bind", service.stateDirectory])
    _ = try runToEnd(["mount", "-o", "remount,bind,ro", mounted.path])
    try service.start()
    let connection = try service.connect()
    #expect(
      try connection.result(of: "fetchRecord", #"{"recordName":"a"}"#)["record"]?["fields"]?["v"]?.int64Value
        == 1)
    #expect(try connection.result(of: "performQuery", #"{"recordType":"Item"}"#).recordNames == ["a"])
    let error = try connection.error(
      of: "saveRecord", #"{"record":{"recordType":"Item","recordName":"z","fields":{"v":1}}}"#)
    #expect(error.errorCode == "storageReadOnly")
    service.stop()
  }

  @Test(
    "A damaged store is reported and kept as it is until it is repaired, and then, too; other stores are served",
    arguments: ["overwritten", "truncated", "text"])
  func damagedStore(how: String) throws {
    let service = try ListsdProcess()
    let connection = try service.connect()
    for number in 0..<200 {
      try connection.save("r\(number)", "{\"t\":\"\(String(repeating: "y", count: 500))\"}")
    }
    service.stop()
    let path = Self.storePath(in: service.stateDirectory)
    let commands = [
      "overwritten": "dd if=/dev/urandom of='\(path)' bs=4096 seek=0 count=4 conv=notrunc",
      "truncated": "truncate -s 100 '\(path)'",
      "text": "echo 'this is no database, though it is long enough to be taken for one' > '\(path)'",
    ]
    let command = try #require(commands[how])
    _ = try runToEnd(["sh", "-c", command])
    let damaged = try runToEnd(["cksum", path]).outputText
    try service.start()
    let again = try service.connect()
    let error = try again.error(of: "fetchRecord", #"{"recordName":"r1"}"#)
    #expect(error.errorCode == "storeDamaged")
    #expect(error["message"]?.stringValue?.contains("listsrpc repair") == true, "it says what to do")
    #expect(try again.error(of: "performQuery", #"{"recordType":"Item"}"#).errorCode == "storeDamaged")
    let save = #"{"record":{"recordType":"Item","recordName":"z","fields":{}}"#
    #expect(try again.error(of: "saveRecord", save + "}").errorCode == "storeDamaged")
    #expect(try again.result(of: "saveRecord", save + #","container":"other"}"#)["record"] != nil)
    service.stop()
    #expect(try runToEnd(["cksum", path]).outputText == damaged, "the file is as it was")

    try service.start()
    let owner = try service.connect()
    #expect(try owner.result(of: "checkDatabase", "{}")["isSound"]?.boolValue == false)
    let repair = try owner.result(of: "repairDatabase", "{}")
    #expect(repair["isRepaired"]?.boolValue == true)
    let kept = try #require(repair["keptFile"]?.stringValue)
    #expect(!kept.contains("/"), "a name, and no path")
    let folder = "\(service.stateDirectory)/default"
    let old = try runToEnd(["cksum", "\(folder)/\(kept)"]).outputText.split(separator: " ").prefix(2)
    #expect(old.elementsEqual(damaged.split(separator: " ").prefix(2)), "what was there is kept")
    let records = try owner.result(of: "countRecords", #"{"recordType":"Item"}"#)["count"]?.int64Value ?? 0
    #expect(how == "overwritten" ? records > 150 : records == 0)
    #expect(try owner.result(of: "checkDatabase", "{}")["isSound"]?.boolValue == true)
    try owner.save("after", #"{"v":1}"#)
  }
}

/// A file system mounted for one test, and unmounted with the value.
private final class SmallDisk {
  let path: String
  private let folder: TemporaryFolder

  /// Mounts with mount(8)'s `options`; at a fresh folder unless `path` is given.
  init(at path: String? = nil, options: [String]) throws {
    folder = try TemporaryFolder()
    self.path = path ?? folder.path
    let mounted = try runToEnd(["mount"] + options + [self.path])
    guard mounted.ending.status == 0 else { throw FixtureError("mount: \(mounted.errorText)") }
  }

  deinit { _ = try? runToEnd(["umount", "--lazy", path]) }
}
