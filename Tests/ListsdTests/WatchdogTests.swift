import CLinux
import Glibc
import JSONRPC
import SQLite
import ServiceFixture
import Testing

@Suite("Watchdog")
struct WatchdogTests {
  @Test("signs of life stop while the writer is stuck, though requests are answered, and come back with it")
  func writer() throws {
    let folder = try TemporaryFolder()
    let manager = try NotificationSocket(at: folder.path + "/notify")
    let service = try ListsdProcess(
      environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "150000", "WATCHDOG_PID": nil])
    let writer = try service.connect()
    #expect(
      try writer.ask("saveRecord", #"{"record":{"recordType":"Item","recordName":"a","fields":{}}}"#)[
        "result"] != nil)
    #expect(manager.hears("WATCHDOG=1", within: 5000))

    // The writer waits up to its time-out for the lock; the loop goes on.
    let other = try Database(
      path: "\(service.stateDirectory)/default/private-\(getuid()).db", access: .readWrite, busyTimeout: 1000)
    try other.execute("BEGIN IMMEDIATE")
    try writer.send(save("b"))
    // Those on their way still come. One is due every 50 ms: ten that fail to come are no accident.
    var attempts = 0
    while manager.hears("WATCHDOG=1", within: 500), attempts < 100 { attempts += 1 }
    #expect(attempts < 100, "signs of life went on while the writer was stuck")
    #expect(try service.connect().ask("fetchRecord", #"{"recordName":"a"}"#)["result"] != nil)

    try other.execute("COMMIT")
    #expect(try writer.receiveJSON()["result"] != nil)
    #expect(manager.hears("WATCHDOG=1", within: 5000))
  }
}

/// The service manager's end of sd_notify(3): a datagram socket in a folder of the test's.
private final class NotificationSocket {
  let path: String
  private let descriptor: Int32

  init(at path: String) throws {
    self.path = path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0, clinux_unix_bind(descriptor, path) == 0 else {
      throw FixtureError("no notification socket: \(String(cString: strerror(errno)))")
    }
  }

  deinit { close(descriptor) }

  /// Reads until a message is `text`; false when none comes for `milliseconds`.
  func hears(_ text: String, within milliseconds: Int32) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, milliseconds) > 0 else { return false }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count >= 0, String(decoding: buffer[..<count], as: UTF8.self) == text { return true }
    }
  }
}
