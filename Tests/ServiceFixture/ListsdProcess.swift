public import Glibc

/// A real `listsd` of a test's own: its socket and its store in a folder that goes away with it.
public final class ListsdProcess {
  public let folder: TemporaryFolder
  public let arguments: [String]
  public let environment: [String: String?]
  public private(set) var processID: Int32 = -1
  public var socketPath: String { "\(folder.path)/lists.sock" }
  public var stateDirectory: String { "\(folder.path)/state" }
  public var logPath: String { "\(folder.path)/log" }

  /// Starts the service and returns when its socket takes connections.
  public init(arguments: [String] = [], environment: [String: String?] = [:], folder: TemporaryFolder? = nil)
    throws
  {
    self.folder = try folder ?? TemporaryFolder()
    self.arguments = arguments
    self.environment = environment
    try start()
  }

  deinit { stop(SIGKILL) }

  /// Starts it again, after `stop`.
  public func start() throws {
    let errors = open(logPath, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { close(errors) }
    processID = try spawn(
      ["\(buildFolder)/listsd", "--socket", socketPath, "--state-directory", stateDirectory] + arguments,
      environment: environment, errors: errors)
    let deadline = time(nil) + 20
    while (try? LineConnection(to: socketPath)) == nil {
      guard time(nil) < deadline, waitpid(processID, nil, WNOHANG) == 0 else {
        processID = -1
        throw FixtureError("listsd did not start: \(log(ofLast: 2000))")
      }
      sched_yield()
    }
  }

  /// Sends `signal` and waits until the process has ended.
  @discardableResult
  public func stop(_ signal: Int32 = SIGTERM) -> Ending? {
    guard processID > 0 else { return nil }
    kill(processID, signal)
    let ending = waitForEnd(of: processID)
    processID = -1
    return ending
  }

  public func connect(patience: Int32 = 20_000) throws -> LineConnection {
    try LineConnection(to: socketPath, patience: patience)
  }

  /// The end of what it wrote to standard error.
  public func log(ofLast count: Int) -> String {
    (try? runToEnd(["tail", "-c", "\(count)", logPath]).outputText) ?? ""
  }
}
