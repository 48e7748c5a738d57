import Glibc

/// A `listsd` of the benchmark's own, with its store in a folder that goes away with it.
struct Daemon {
  let program: String
  let folder: String
  var socketPath: String { "\(folder)/lists.sock" }

  init(program: String) throws {
    self.program = program
    var template = Array("/tmp/listsbench.XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw LoadGenerator.Failure(description: "can't make a folder in /tmp")
    }
    folder = String(cString: made)
  }

  /// Starts the service on its own socket and returns when it answers.
  func start() throws -> pid_t {
    let process = try spawn([program, "--socket", socketPath, "--state-directory", folder + "/state"])
    try waitForSocket(of: process)
    return process
  }

  /// Starts `systemd-socket-activate`, which holds the socket and becomes the service at the first
  /// connection.
  func awaitActivation() throws -> pid_t {
    unlink(socketPath)
    let process = try spawn([
      "systemd-socket-activate", "--listen", socketPath, "--fdname", "lists",
      program, "--state-directory", folder + "/state",
    ])
    let deadline = monotonicNanoseconds() + 5_000_000_000
    while access(socketPath, F_OK) != 0 {
      guard monotonicNanoseconds() < deadline else {
        throw LoadGenerator.Failure(description: "systemd-socket-activate made no socket")
      }
      sched_yield()
    }
    return process
  }

  /// Asks the service to stop and waits until it has.
  func stop(_ process: pid_t) {
    kill(process, SIGTERM)
    var status: Int32 = 0
    waitpid(process, &status, 0)
  }

  func removeFolder() {
    _ = try? run(["rm", "-rf", folder])
  }

  private func waitForSocket(of process: pid_t) throws {
    let deadline = monotonicNanoseconds() + 10_000_000_000
    while true {
      if let connection = try? LoadConnection(socketPath) {
        close(connection.descriptor)
        return
      }
      guard monotonicNanoseconds() < deadline, waitpid(process, nil, WNOHANG) == 0 else {
        throw LoadGenerator.Failure(description: "\(program) does not answer")
      }
      sched_yield()
    }
  }

  private func run(_ words: [String]) throws {
    let process = try spawn(words)
    var status: Int32 = 0
    waitpid(process, &status, 0)
  }

  private func spawn(_ words: [String]) throws -> pid_t {
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 2, "\(folder)/log", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    var process: pid_t = 0
    let failure = posix_spawnp(&process, words[0], &actions, nil, &arguments, environ)
    guard failure == 0 else {
      throw LoadGenerator.Failure(
        description: "can't start \(words[0]): \(String(cString: strerror(failure)))")
    }
    return process
  }
}
