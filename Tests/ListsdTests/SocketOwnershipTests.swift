import CLinux
import Glibc
import JSONRPC
import ServiceFixture
import Testing

@Suite("listsd: one service at a socket")
struct SocketOwnershipTests {
  private func starter(_ folder: TemporaryFolder, errors: Int32? = nil) throws -> Int32 {
    try spawn(
      [
        "\(buildFolder)/listsd", "--socket", folder.path + "/lists.sock", "--state-directory",
        folder.path + "/state",
      ], errors: errors)
  }

  /// Who listens at the socket: whoever bound it.
  private func server(_ folder: TemporaryFolder) throws -> Int32 {
    let deadline = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < deadline {
      guard let connection = try? LineConnection(to: folder.path + "/lists.sock") else { continue }
      var (process, user, group) = (Int32(0), UInt32(0), UInt32(0))
      try #require(clinux_peer_credentials(connection.descriptor, &process, &user, &group) == 0)
      return process
    }
    throw FixtureError("nobody listens")
  }

  /// Waits until the process serves (true) or has ended, with 1 then.
  private func serves(_ process: Int32, _ folder: TemporaryFolder) throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < deadline {
      if (try? LineConnection(to: folder.path + "/lists.sock")) != nil { return true }
      var status: Int32 = 0
      if waitpid(process, &status, WNOHANG) == process {
        #expect(status == 1 << 8)
        return false
      }
      sched_yield()
    }
    throw FixtureError("it neither serves nor ends")
  }

  @Test("after kill -9 it starts again at the same socket")
  func restart() throws {
    let service = try ListsdProcess()
    service.stop(SIGKILL)
    #expect(access(service.socketPath, F_OK) == 0)
    try service.start()
    #expect(try service.connect().ask("echo", "[1]")["result"]?.text == "[1]")
  }

  @Test("a stopped process still owns its socket: a second one says so and changes nothing")
  func stoppedOwner() throws {
    let service = try ListsdProcess()
    kill(service.processID, SIGSTOP)
    let log = try Pipe()
    let second = try starter(service.folder, errors: log.writeEnd)
    log.closeWriteEnd()
    #expect(waitForEnd(of: second).status == 1)
    var text = [UInt8](repeating: 0, count: 1000)
    let count = read(log.readEnd, &text, text.count)
    #expect(String(decoding: text.prefix(max(0, count)), as: UTF8.self).contains("is in use"))
    kill(service.processID, SIGCONT)
    #expect(try service.connect().ask("echo", "[1]")["result"]?.text == "[1]")
  }

  @Test("of twenty started at once exactly one serves, and the path leads to it")
  func race() throws {
    let folder = try TemporaryFolder()
    for _ in 0..<5 {
      let processes = try (0..<20).map { _ in try starter(folder) }
      let winner = try server(folder)
      #expect(processes.contains(winner))
      for process in processes where process != winner { #expect(waitForEnd(of: process).status == 1) }
      let connection = try LineConnection(to: folder.path + "/lists.sock")
      #expect(try connection.ask("echo", "[1]")["result"]?.text == "[1]")
      // The next round finds what a killed one leaves.
      kill(winner, SIGKILL)
      waitForEnd(of: winner)
    }
  }

  @Test("one that is started while another ends takes over, and keeps its socket")
  func successor() throws {
    let folder = try TemporaryFolder()
    var current = try starter(folder)
    #expect(try server(folder) == current)
    for _ in 0..<10 {
      kill(current, SIGTERM)
      let successor = try starter(folder)
      #expect(waitForEnd(of: current).status == 0)
      // Who comes while the old one still answers is told so, and may come again.
      current = try serves(successor, folder) ? successor : starter(folder)
      #expect(try server(folder) == current)
    }
    kill(current, SIGTERM)
    waitForEnd(of: current)
    #expect(access(folder.path + "/lists.sock", F_OK) != 0)
  }
}
