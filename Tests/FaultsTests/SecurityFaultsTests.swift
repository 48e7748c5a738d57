import Glibc
import JSONRPC
import ServiceFixture
import Testing

/// What users of other systems reported of their security, each as it would have shown here.
@Suite("Faults reported of security")
struct SecurityFaultsTests {
  @Test(
    "Without a runtime folder neither program falls back to a name in /tmp",
    .enabled(
      if: access("/run/user/\(getuid())", F_OK) != 0, "this user has a runtime folder, and that would be used"
    ))
  func noFixedNameInTemporaryFolder() throws {
    let folder = try TemporaryFolder()
    let nowhere: [String: String?] = [
      "XDG_RUNTIME_DIR": nil, "LISTS_SOCKET": nil, "TMPDIR": folder.path, "HOME": folder.path,
      "XDG_STATE_HOME": folder.path,
    ]
    let client = try runToEnd(["\(buildFolder)/listsrpc", "status"], environment: nowhere)
    #expect(client.ending.status == 3)
    #expect(client.errorText.contains("XDG_RUNTIME_DIR") || client.errorText.contains("lists.sock"))
    #expect(try runToEnd(["ls", "-A", folder.path]).outputText == "")
  }

  @Test("A value that never ends gets an error; memory stays bounded and others are served")
  func endlessValue() throws {
    let service = try ListsdProcess()
    let hostile = try service.connect()
    try hostile.send("[\"")
    let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
    for _ in 0..<96 { try hostile.send(piece) }
    #expect(try hostile.receiveMessage()["error"]?.errorCode == "limitExceeded")
    #expect(try service.connect().reply(to: "echo", "[1]")["result"]?.text == "[1]")
    let status = try runToEnd(["grep", "VmHWM", "/proc/\(service.processID)/status"]).outputText
    let peak = Int(status.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "") ?? .max
    #expect(peak < 90_000, "\(peak) kB were resident while 98,304 kB came in")
  }
}
