import CLinux
import Glibc
import SocketServer

/// The folder of a private service's socket: new, for its owner only, removed at the end.
struct EphemeralFolder {
  let path: String

  var socketPath: String { path + "/lists.sock" }

  /// Makes it in `$XDG_RUNTIME_DIR`, else `$TMPDIR`, else `/tmp`. Its name can't be foreseen, so that nobody
  /// is there first.
  init() throws(SystemError) {
    let variables = ["XDG_RUNTIME_DIR", "TMPDIR"]
    let places = variables.compactMap { name in getenv(name).map { String(cString: $0) } }
    var failure: SystemError?
    for place in places + ["/tmp"] where place.hasPrefix("/") {
      var template = Array("\(place)/lists-XXXXXX".utf8CString)
      if let made = mkdtemp(&template) {
        path = String(cString: made)
        return
      }
      failure = SystemError("mkdtemp")
    }
    throw failure ?? SystemError("mkdtemp", code: ENOENT)
  }

  func remove() {
    unlink(socketPath + ".lock")
    rmdir(path)
  }

  /// Calls `action` once when standard input has ended. One that can't be waited for (a file, /dev/null) is
  /// taken for one that never ends.
  static func watchStandardInput(on loop: EventLoop, _ action: @escaping @Sendable () -> Void)
    throws(SystemError)
  {
    var watch: EventLoop.Watch?
    do throws(SystemError) {
      watch = try loop.watch(STDIN_FILENO, for: EPOLLIN.rawValue) { _ in
        var ignored = [UInt8](repeating: 0, count: 4096)
        let count = read(STDIN_FILENO, &ignored, ignored.count)
        if count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN)) { return }
        action()
      }
    } catch {
      if error.code != EPERM { throw error }
    }
    _ = watch
  }
}
