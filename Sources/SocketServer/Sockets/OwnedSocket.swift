import CLinux
import Glibc

/// A listening socket that the process made itself, and the lock that makes it the only one at its path.
///
/// Who holds the lock file beside the socket may make, replace and remove the socket; nobody else does.
/// Even so a socket that anyone answers at is never replaced: only a refused connection proves that its
/// maker is dead. The lock file stays for ever, since removing it would let two processes hold "the" lock.
public struct OwnedSocket: Sendable {
  /// Why the socket could not be made.
  public enum Fault: Error, Sendable, CustomStringConvertible {
    /// A service answers at the path, or is about to.
    case inUse(path: String)
    /// Something that is no socket is at the path; it is left alone.
    case notASocket(path: String)
    case failed(path: String, SystemError)

    public var description: String {
      switch self {
      case .inUse(let path): "\(path) is in use: another service is running there"
      case .notASocket(let path): "\(path) exists and is not a socket; it is left as it is"
      case .failed(let path, let error): "\(path): \(error)"
      }
    }
  }

  public let listener: Listener
  public let path: String
  private let lock: Int32
  private let device: UInt
  private let inode: UInt

  /// Takes the lock and makes the socket, its name appearing once it listens. Waits up to `patience` for a
  /// holder of the lock that doesn't answer, because it starts or stops. Blocks.
  ///
  /// - Parameter mode: who may connect, as the permissions of the file.
  public init(at path: String, mode: UInt32 = 0o600, patience: Duration = .seconds(10)) throws(Fault) {
    let lock = try Self.takeLock(of: path, patience: patience)
    do throws(Fault) {
      try Self.removeDeadSocket(at: path)
      let descriptor = try Self.listen(at: path, mode: mode)
      var status = stat()
      guard lstat(path, &status) == 0 else { throw Fault.failed(path: path, SystemError("lstat")) }
      self.lock = lock
      self.path = path
      device = UInt(status.st_dev)
      inode = UInt(status.st_ino)
      listener = Listener(descriptor: descriptor, name: path)
    } catch {
      close(lock)
      throw error
    }
  }

  /// Takes the name away, if it is still this socket's. Connections made before stay acceptable.
  public func removeName() {
    var status = stat()
    guard lstat(path, &status) == 0, UInt(status.st_dev) == device, UInt(status.st_ino) == inode else {
      return
    }
    unlink(path)
  }

  /// Lets the next service have the path. The last thing to do, after `removeName()`.
  public func release() {
    close(listener.descriptor)
    close(lock)
  }

  // MARK: Steps

  private static func takeLock(of path: String, patience: Duration) throws(Fault) -> Int32 {
    let lockPath = path + ".lock"
    let deadline = ContinuousClock.now + patience
    while true {
      let lock = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard lock >= 0 else { throw .failed(path: lockPath, SystemError("open")) }
      if clinux_lock_file(lock, 0) == 0 {
        if isSameFile(lock, lockPath) { return lock }
        // Someone removed the file meanwhile: this lock is worth nothing.
      } else if errno != EWOULDBLOCK {
        let error = SystemError("flock")
        close(lock)
        throw .failed(path: lockPath, error)
      } else if isAnswered(path) || ContinuousClock.now >= deadline {
        close(lock)
        throw .inUse(path: path)
      } else {
        usleep(10_000)
      }
      close(lock)
    }
  }

  private static func isSameFile(_ descriptor: Int32, _ path: String) -> Bool {
    var opened = stat()
    var named = stat()
    guard fstat(descriptor, &opened) == 0, lstat(path, &named) == 0 else { return false }
    return opened.st_dev == named.st_dev && opened.st_ino == named.st_ino
  }

  /// Anything but a refusal, or nothing being there, counts as an answer: a stopped or busy service has
  /// its queue and no time for it.
  private static func isAnswered(_ path: String) -> Bool {
    let descriptor = clinux_unix_socket(1)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    if clinux_unix_connect(descriptor, path) == 0 { return true }
    return errno != ECONNREFUSED && errno != ENOENT
  }

  private static func removeDeadSocket(at path: String) throws(Fault) {
    var status = stat()
    if lstat(path, &status) != 0 {
      if errno == ENOENT { return }
      throw .failed(path: path, SystemError("lstat"))
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
    if isAnswered(path) { throw .inUse(path: path) }
    guard unlink(path) == 0 else { throw .failed(path: path, SystemError("unlink")) }
  }

  /// Binds under another name and renames once it listens, so that no client finds a name that refuses.
  private static func listen(at path: String, mode: mode_t) throws(Fault) -> Int32 {
    let early = path + ".new"
    let descriptor = clinux_unix_socket(1)
    guard descriptor >= 0 else { throw .failed(path: path, SystemError("socket")) }
    unlink(early)
    let mask = umask(~mode & 0o777)
    let bound = clinux_unix_bind(descriptor, early)
    let fault = SystemError("bind")
    umask(mask)
    do throws(Fault) {
      guard bound == 0 else { throw Fault.failed(path: path, fault) }
      guard Glibc.listen(descriptor, SOMAXCONN) == 0 else {
        throw Fault.failed(path: path, SystemError("listen"))
      }
      guard clinux_rename_new(early, path) == 0 else {
        if errno == EEXIST { throw Fault.inUse(path: path) }
        throw Fault.failed(path: path, SystemError("rename"))
      }
      return descriptor
    } catch {
      if bound == 0 { unlink(early) }
      close(descriptor)
      throw error
    }
  }
}
