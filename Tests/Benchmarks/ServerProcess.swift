import Glibc

/// A server started for a measurement, on a socket in a folder of its own.
struct ServerProcess {
  let processID: pid_t
  let socketPath: String

  /// Starts `words` (the program first), waits until `socketPath` takes connections when
  /// `awaitsConnections`, else until it is there.
  init(_ words: [String], socketPath: String, logPath: String, awaitsConnections: Bool = true) throws {
    unlink(socketPath)
    processID = try Self.spawn(words, logPath: logPath)
    self.socketPath = socketPath
    let deadline = monotonicNanoseconds() + 10_000_000_000
    while !(awaitsConnections ? Self.takesConnections(socketPath) : access(socketPath, F_OK) == 0) {
      guard monotonicNanoseconds() < deadline, waitpid(processID, nil, WNOHANG) == 0 else {
        throw LoadGenerator.Failure(description: "\(words[0]) does not answer; see \(logPath)")
      }
      sched_yield()
    }
  }

  /// Asks the server to stop and waits until it has.
  func stop() {
    kill(processID, SIGTERM)
    var status: Int32 = 0
    waitpid(processID, &status, 0)
  }

  /// Runs a program to its end.
  static func run(_ words: [String]) throws {
    var status: Int32 = 0
    waitpid(try spawn(words, logPath: "/dev/null"), &status, 0)
  }

  private static func takesConnections(_ path: String) -> Bool {
    guard let connection = try? LoadConnection(path) else { return false }
    close(connection.descriptor)
    return true
  }

  private static func spawn(_ words: [String], logPath: String) throws -> pid_t {
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for stream: Int32 in [1, 2] {
      posix_spawn_file_actions_addopen(&actions, stream, logPath, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    }
    var process: pid_t = 0
    let failure = posix_spawnp(&process, words[0], &actions, nil, &arguments, environ)
    guard failure == 0 else {
      throw LoadGenerator.Failure(
        description: "can't start \(words[0]): \(String(cString: strerror(failure)))")
    }
    return process
  }
}
