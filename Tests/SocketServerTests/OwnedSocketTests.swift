import CLinux
import Glibc
import ServiceFixture
import SocketServer
import Testing

@Suite("Owned socket")
struct OwnedSocketTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = "\(folder.path)/socket"
  }

  @Test("a new socket is for its owner only, and its name goes with it")
  func mode() throws {
    let socket = try OwnedSocket(at: path)
    var status = stat()
    #expect(lstat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    socket.removeName()
    socket.release()
    #expect(access(path, F_OK) != 0)
  }

  @Test("what a killed process left behind is replaced")
  func deadSocket() throws {
    let dead = clinux_unix_socket(0)
    #expect(clinux_unix_bind(dead, path) == 0)
    close(dead)
    let socket = try OwnedSocket(at: path)
    let client = try LineConnection(to: path)
    withExtendedLifetime(client) {}
    socket.release()
  }

  @Test("a socket that takes connections is left alone, whoever made it and however busy it is")
  func liveSocket() throws {
    let foreign = clinux_unix_socket(1)
    defer { close(foreign) }
    #expect(clinux_unix_bind(foreign, path) == 0)
    #expect(listen(foreign, 0) == 0)
    // Fill the queue: a connect would have to wait from here on.
    var waiting: [Int32] = []
    while waiting.count < 10 {
      let client = clinux_unix_socket(1)
      waiting.append(client)
      if clinux_unix_connect(client, path) != 0 { break }
    }
    defer { for client in waiting { close(client) } }
    #expect(throws: OwnedSocket.Fault.self) { try OwnedSocket(at: path) }
    #expect(access(path, F_OK) == 0)
  }

  @Test("a file that is no socket is left alone")
  func noSocket() throws {
    close(open(path, O_CREAT | O_WRONLY, 0o600))
    #expect(throws: OwnedSocket.Fault.self) { try OwnedSocket(at: path) }
    #expect(access(path, F_OK) == 0)
  }

  @Test("a second one at the path is told that it is in use")
  func second() throws {
    let first = try OwnedSocket(at: path)
    #expect(throws: OwnedSocket.Fault.self) { try OwnedSocket(at: path) }
    #expect(throws: Never.self) { try LineConnection(to: path) }
    first.removeName()
    first.release()
  }

  @Test("it takes only its own name away")
  func foreignName() throws {
    let socket = try OwnedSocket(at: path)
    unlink(path)
    close(open(path, O_CREAT | O_WRONLY, 0o600))
    socket.removeName()
    #expect(access(path, F_OK) == 0)
    socket.release()
  }

  @Test("one that stops slowly is waited for")
  func successor() async throws {
    let old = try OwnedSocket(at: path)
    old.removeName()
    let path = path
    let successor = Task.detached { try OwnedSocket(at: path) }
    old.release()
    let new = try await successor.value
    #expect(throws: Never.self) { try LineConnection(to: path) }
    new.removeName()
    new.release()
  }

  @Test("a path too long for a socket is an error, not a cut path")
  func longPath() throws {
    let long = folder.path + "/" + String(repeating: "x", count: 120)
    #expect(throws: OwnedSocket.Fault.self) { try OwnedSocket(at: long) }
  }
}
