import Glibc
import JSONRPC
import ServiceFixture
import Testing

@Suite("listsd: life")
struct LifeTests {
  @Test("it ends by itself once nobody was connected for the idle timeout, and not before")
  func idleExit() throws {
    let folder = try TemporaryFolder()
    let socket = folder.path + "/lists.sock"
    // The fixture's own knocking would end the idle time, so this one is started by hand.
    let process = try spawn([
      "\(buildFolder)/listsd", "--socket", socket, "--state-directory", folder.path + "/state",
      "--idle-timeout", "1",
    ])
    let deadline = ContinuousClock.now + .seconds(20)
    var connected: LineConnection?
    while connected == nil, ContinuousClock.now < deadline { connected = try? LineConnection(to: socket) }
    let connection = try #require(connected)
    #expect(try connection.ask("saveRecord", "{\"record\":{\"recordType\":\"Item\"}}")["result"] != nil)
    // Longer than the timeout: the open connection keeps it alive.
    var idle = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&idle, 1, 1500) == 0)
    #expect(try connection.ask("echo", "[1]")["result"]?.text == "[1]")
    connection.endSending()
    #expect(try connection.receiveLine() == nil)
    #expect(waitForEnd(of: process).status == 0)
    #expect(access(socket, F_OK) != 0)
  }

  @Test("an ephemeral one prints its socket, keeps others out, and is gone when its input closes")
  func ephemeral() throws {
    let (input, output) = (try Pipe(), try Pipe())
    let process = try spawn(
      ["\(buildFolder)/listsd", "--ephemeral"], environment: ["LISTS_SOCKET": nil], input: input.readEnd,
      output: output.writeEnd)
    input.closeReadEnd()
    output.closeWriteEnd()
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(output.readEnd, &bytes, bytes.count)
    let line = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    #expect(line.hasSuffix("/lists.sock\n"))
    let socket = String(line.dropLast())
    let folder = String(socket.dropLast("/lists.sock".count))
    var status = stat()
    #expect(stat(folder, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o700)
    let connection = try LineConnection(to: socket)
    try connection.send(save("a", fields: "{\"n\":1}"))
    #expect(try connection.receiveJSON()["result"] != nil)
    #expect(try connection.ask("fetchRecord", "{\"recordName\":\"a\"}")["result"]?["record"] != nil)
    input.closeWriteEnd()
    #expect(waitForEnd(of: process).status == 0)
    #expect(access(folder, F_OK) != 0)
  }

  @Test("a store that can't be opened is an answer, and is tried again with every request")
  func unreachableStore() throws {
    let folder = try TemporaryFolder()
    // In the place of the folder of the records there is a file.
    try write("", to: folder.path + "/state")
    let service = try ListsdProcess(folder: folder)
    let connection = try service.connect()
    let reply = try connection.ask("fetchRecord", "{\"recordName\":\"a\"}")
    #expect(reply["error"]?["code"]?.int64Value.map { (-32015 ... -32011).contains($0) } == true)
    #expect(!reply.text.contains(folder.path))
    #expect(unlink(service.stateDirectory) == 0)
    try connection.send(save("a"))
    #expect(try connection.receiveJSON()["result"] != nil)
  }

  @Test("started by systemd with an error in its configuration it answers that it can't serve")
  func unconfigured() throws {
    let folder = try TemporaryFolder()
    try write("speed = high\n", to: folder.path + "/lists.conf")
    let socket = folder.path + "/lists.sock"
    let activator = try spawn([
      "systemd-socket-activate", "--listen", socket, "--fdname", "lists", "\(buildFolder)/listsd",
      "--configuration", folder.path + "/lists.conf", "--state-directory", folder.path + "/state",
    ])
    let deadline = ContinuousClock.now + .seconds(20)
    while access(socket, F_OK) != 0, ContinuousClock.now < deadline { sched_yield() }
    let connection = try LineConnection(to: socket)
    let reply = try connection.ask("fetchRecord", "{\"recordName\":\"a\"}", id: 5)
    #expect(reply["id"]?.int64Value == 5)
    #expect(reply.errorCode == "serviceUnavailable")
    #expect(try connection.receiveLine() == nil)
    // The next start finds a mended file: it does not stay.
    #expect(waitForEnd(of: activator).status == 0)
  }
}
