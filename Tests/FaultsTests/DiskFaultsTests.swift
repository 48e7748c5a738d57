import Glibc
import JSONRPC
import SQLite
import ServiceFixture
import Testing

/// What happens to a store's file beside a running service: each has its own error, nothing is deleted, what can be
/// read is read, and once the cause is gone the same process goes on.
@Suite("Faults of a store's file, and their end")
struct DiskFaultsTests {
  private static let text = String(repeating: "z", count: 500)

  /// With records r100 to r399, several to a page, and nothing in the log beside the file.
  private func service() throws -> (ListsdProcess, path: String) {
    let service = try ListsdProcess()
    let connection = try service.connect()
    let operations = (100..<400).map {
      #"{"operationType":"create","record":{"recordType":"Item","recordName":"r\#($0)","#
        + #""fields":{"t":"\#(Self.text)"}}}"#
    }
    _ = try connection.result(of: "modifyRecords", "{\"operations\":[\(operations.joined(separator: ","))]}")
    service.stop()
    return (service, StoreFaultsTests.storePath(in: service.stateDirectory))
  }

  private func fetch(_ name: String, _ connection: LineConnection) throws -> JSON {
    try connection.reply(to: "fetchRecord", #"{"recordName":"\#(name)"}"#)
  }

  private func save(_ name: String, _ connection: LineConnection, container: String = "default") throws
    -> JSON
  {
    try connection.reply(
      to: "saveRecord",
      #"{"record":{"recordType":"Item","recordName":"\#(name)","fields":{"t":"new"}},"savePolicy":"allKeys","container":"\#(container)"}"#
    )
  }

  private func copy(_ path: String, to target: String) throws {
    let copied = try runToEnd(["cp", path, target])
    guard copied.ending.status == 0 else { throw FixtureError(copied.errorText) }
  }

  private func checksum(_ path: String) throws -> String { try runToEnd(["cksum", path]).outputText }

  /// Takes the file at `good` for the store's, in one step, as whoever mends it would.
  private func replace(_ path: String, with good: String) {
    for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
    rename(good, path)
  }

  @Test("A lock that is held too long is told, with when to try again, and reading goes on")
  func longLock() throws {
    let service = try ListsdProcess()
    let connection = try service.connect()
    try connection.save("first", #"{"v":0}"#)
    let other = try Database(
      path: StoreFaultsTests.storePath(in: service.stateDirectory), access: .readWrite, busyTimeout: 1000)
    try other.execute("BEGIN IMMEDIATE")
    let batch = (0..<3).map {
      #"{"operationType":"create","record":{"recordType":"Item","recordName":"b\#($0)","fields":{}}}"#
    }
    let error = try connection.error(
      of: "modifyRecords", "{\"operations\":[\(batch.joined(separator: ","))]}")
    #expect(error.errorCode == "storeBusy")
    #expect(error["data"]?["retryAfter"] != nil)
    #expect(try fetch("first", connection)["result"]?["record"] != nil)
    #expect(try fetch("b0", connection)["error"]?.errorCode == "unknownItem")
    try other.execute("COMMIT")
    #expect(try save("later", connection)["result"]?["record"] != nil)
  }

  @Test("Of a file with a damaged page the rest is read, and a good file in its place is used at once")
  func damagedPage() throws {
    let (service, path) = try service()
    let good = path + ".good"
    try copy(path, to: good)
    let place = try #require(
      try runToEnd(["grep", "--byte-offset", "--only-matching", "--text", #""recordName":"r250""#, path])
        .outputText.split(separator: ":").first.flatMap { Int($0) })
    let page = place / 4096
    _ = try runToEnd([
      "dd", "if=/dev/urandom", "of=\(path)", "bs=4096", "seek=\(page)", "count=1", "conv=notrunc",
    ])
    let damaged = try checksum(path)
    try service.start()
    let connection = try service.connect()
    #expect(try fetch("r250", connection)["error"]?.errorCode == "storeDamaged")
    #expect(try fetch("r100", connection)["result"]?["record"] != nil)
    #expect(try fetch("r399", connection)["result"]?["record"] != nil)
    #expect(try save("r250", connection)["error"]?.errorCode == "storeDamaged")
    #expect(try save("r100", connection)["error"]?.errorCode == "storeDamaged")
    #expect(try save("a", connection, container: "other")["result"]?["record"] != nil)
    #expect(try fetch("r100", connection)["result"]?["record"] != nil)
    #expect(try checksum(path) == damaged, "the file is as it was")

    replace(path, with: good)
    let mended = try save("r250", connection)
    #expect(mended["error"] == nil, "\(mended.text) \(service.log(ofLast: 1500))")
    #expect(try fetch("r250", connection)["result"]?["record"]?["fields"]?["t"]?.stringValue == "new")
  }

  @Test("A file that was cut off is told, is left as it is, and a good file in its place is used at once")
  func truncated() throws {
    let (service, path) = try service()
    let good = path + ".good"
    try copy(path, to: good)
    _ = try runToEnd(["truncate", "--size", "81920", path])
    let damaged = try checksum(path)
    try service.start()
    let connection = try service.connect()
    #expect(try save("x", connection)["error"]?.errorCode == "storeDamaged")
    let codes = try (100..<400).map { try fetch("r\($0)", connection) }
      .filter { $0["result"] == nil }.map { $0["error"]?.errorCode }
    #expect(!codes.isEmpty && codes.allSatisfy { $0 == "storeDamaged" }, "no record is said not to be there")
    #expect(try checksum(path) == damaged, "the file is as it was")

    replace(path, with: good)
    #expect(try save("x", connection)["result"]?["record"] != nil)
    #expect(try fetch("r399", connection)["result"]?["record"] != nil)
  }

  @Test(
    "A file that is taken away is missed, none is begun in its place, and it is used again when it is back")
  func deleted() throws {
    let (service, path) = try service()
    try service.start()
    let connection = try service.connect()
    #expect(try save("before", connection)["result"]?["record"] != nil)
    for suffix in ["", "-wal", "-shm"] { rename(path + suffix, path + suffix + ".away") }
    let error = try #require(try save("meanwhile", connection)["error"])
    #expect(error.errorCode == "storeMissing")
    #expect(access(path, F_OK) != 0, "no store is begun anew")
    let reply = try fetch("r100", connection)
    #expect(
      reply["result"]?["record"] != nil || reply["error"]?.errorCode == "storeMissing",
      "nothing is reported as empty: \(reply.text)")
    for suffix in ["", "-wal"] { rename(path + suffix + ".away", path + suffix) }
    #expect(try save("after", connection)["result"]?["record"] != nil)
    #expect(try fetch("before", connection)["result"]?["record"] != nil)
    #expect(try fetch("meanwhile", connection)["error"]?.errorCode == "unknownItem")
  }

  @Test("A folder that is taken away is told, and its store is used again when it is back")
  func deletedFolder() throws {
    let (service, path) = try service()
    let folder = String(path[..<(try #require(path.lastIndex(of: "/")))])
    try service.start()
    let connection = try service.connect()
    #expect(try save("before", connection)["result"]?["record"] != nil)
    rename(folder, folder + ".away")
    #expect(try save("meanwhile", connection)["error"]?.errorCode == "storeMissing")
    rename(folder + ".away", folder)
    #expect(try save("after", connection)["result"]?["record"] != nil)
    #expect(try fetch("before", connection)["result"]?["record"] != nil)
  }

  @Test(
    "A store of a newer version has its own error, is left as it is, and can be put back while the service runs"
  )
  func newerSchema() throws {
    let (service, path) = try service()
    let good = path + ".good"
    try copy(path, to: good)
    do {
      let newer = try Database(path: path, access: .readWrite, busyTimeout: 1000)
      try newer.execute("PRAGMA user_version = 99")
      try newer.checkpoint(.truncate)
    }
    let before = try checksum(path)
    try service.start()
    let connection = try service.connect()
    #expect(try fetch("r100", connection)["error"]?.errorCode == "storeTooNew")
    #expect(try save("x", connection)["error"]?.errorCode == "storeTooNew")
    #expect(try save("x", connection, container: "other")["result"]?["record"] != nil)
    #expect(try checksum(path) == before, "the file is as it was")

    replace(path, with: good)
    #expect(try save("x", connection)["result"]?["record"] != nil)
    #expect(try fetch("r100", connection)["result"]?["record"] != nil)
  }

  @Test(
    "On a full disk deleting goes on, and a read-only one can be written again, without a restart",
    .enabled(if: geteuid() == 0, "needs root, to mount a small file system"))
  func fullAndReadOnlyForATime() throws {
    let folder = try TemporaryFolder()
    let disk = folder.path + "/disk"
    mkdir(disk, 0o700)
    let mounted = try runToEnd(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk])
    try #require(mounted.ending.status == 0, "\(mounted.errorText)")
    defer { _ = try? runToEnd(["umount", "--lazy", disk]) }
    let service = try ListsdProcess(arguments: ["--state-directory", disk])
    let connection = try service.connect()
    for number in 0..<50 { try connection.save("r\(number)", "{\"t\":\"\(Self.text)\"}") }
    _ = try runToEnd(["sh", "-c", "cat /dev/zero > '\(disk)/filler'"])
    #expect(try save("full", connection)["error"]?.errorCode == "storageFull")
    let deleted = try connection.reply(to: "deleteRecord", #"{"recordName":"r1"}"#)
    #expect(deleted["result"] != nil, "\(deleted.text) \(service.log(ofLast: 1500))")
    #expect(try fetch("r2", connection)["result"]?["record"] != nil)
    unlink(disk + "/filler")
    #expect(try save("roomy", connection)["result"]?["record"] != nil)

    service.stop()
    _ = try runToEnd(["mount", "-o", "remount,ro", disk])
    try service.start()
    let again = try service.connect()
    #expect(try fetch("roomy", again)["result"]?["record"] != nil)
    #expect(try save("readOnly", again)["error"]?.errorCode == "storageReadOnly")
    #expect(try fetch("r1", again)["error"]?.errorCode == "unknownItem")
    _ = try runToEnd(["mount", "-o", "remount,rw", disk])
    let written = try save("writable", again)
    #expect(written["result"]?["record"] != nil, "\(written.text) \(service.log(ofLast: 1500))")
    service.stop()
  }
}
