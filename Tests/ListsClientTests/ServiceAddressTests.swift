import Glibc
import ListsClient
import ServiceFixture
import Testing

struct ServiceAddressTests {
  private func resolve(_ variables: [String: String], path: String? = nil) throws -> String {
    try ServiceAddress.resolve(path: path) { variables[$0] }.path
  }

  @Test("The option comes before the variable, and that before the runtime folder")
  func precedence() throws {
    let folder = try TemporaryFolder()
    mkdir(folder.path + "/lists", 0o700)
    close(open(folder.path + "/lists/lists.sock", O_CREAT | O_WRONLY, 0o600))
    let variables = ["LISTS_SOCKET": "/x/y", "XDG_RUNTIME_DIR": folder.path]
    #expect(try resolve(variables, path: "/a/b") == "/a/b")
    #expect(try resolve(variables) == "/x/y")
    #expect(try resolve(["XDG_RUNTIME_DIR": folder.path]) == folder.path + "/lists/lists.sock")
  }

  @Test("A runtime folder of another user is refused, by name", .enabled(if: getuid() == 0, "needs root"))
  func foreignFolder() throws {
    let folder = try TemporaryFolder()
    chown(folder.path, 12345, 12345)
    do {
      _ = try resolve(["XDG_RUNTIME_DIR": folder.path])
      Issue.record("no error")
    } catch let error as ClientError {
      guard case .unreachable(let problem) = error else { throw error }
      #expect(problem.reason.contains("belongs to user 12345"))
    }
  }

  @Test("Without a service the error says what was looked for, and /tmp is never looked at")
  func missing() throws {
    let folder = try TemporaryFolder()
    for variables in [["XDG_RUNTIME_DIR": folder.path], ["XDG_RUNTIME_DIR": "relative"], [:]] {
      do {
        let path = try resolve(variables)
        #expect(path.hasPrefix("/run/"))
      } catch let error as ClientError {
        guard case .unreachable(let problem) = error else { throw error }
        #expect(problem.reason.contains("/run/lists/lists.sock"))
        #expect(variables["XDG_RUNTIME_DIR"] == folder.path || !problem.reason.contains("/tmp"))
      }
    }
  }

  @Test("A socket that another user listens at is refused", .enabled(if: getuid() == 0, "needs root"))
  func foreignServer() throws {
    let folder = try TemporaryFolder()
    chmod(folder.path, 0o777)
    let path = folder.path + "/s"
    let script =
      "import socket,os,sys,time\nos.setuid(12345)\ns=socket.socket(socket.AF_UNIX)\ns.bind('\(path)')\n"
      + "s.listen()\nprint('ready',flush=True)\nsys.stdin.read()\n"
    let (input, output) = (try Pipe(), try Pipe())
    let process = try spawn(
      ["python3", "-c", script], input: input.readEnd, output: output.writeEnd)
    input.closeReadEnd()
    output.closeWriteEnd()
    var ready: UInt8 = 0
    #expect(read(output.readEnd, &ready, 1) == 1)
    defer {
      input.closeWriteEnd()
      waitForEnd(of: process)
    }
    do {
      _ = try Connection(to: ServiceAddress(path: path))
      Issue.record("no error")
    } catch {
      guard case .unreachable(let problem) = error else { throw error }
      #expect(problem.reason.contains("user 12345"))
    }
  }
}
