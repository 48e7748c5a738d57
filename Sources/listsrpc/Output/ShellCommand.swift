import CLinux
import Glibc

/// A command line for `/bin/sh`.
struct ShellCommand {
  private let text: String

  init(_ text: String) {
    self.text = text
  }

  /// Runs it to its end with `input` on its standard input.
  ///
  /// - Parameter variables: Added to its environment.
  /// - Returns: Its exit status, or 128 and the signal's number.
  func run(input: [UInt8], variables: [(String, String)]) throws(Failure) -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard clinux_pipe(&ends) == 0 else { throw .trouble("can't make a pipe: \(Self.reason(errno))") }
    let process: pid_t
    do throws(Failure) {
      process = try spawn(input: ends[0], variables)
    } catch {
      close(ends[0])
      close(ends[1])
      throw error
    }
    close(ends[0])
    Self.write(input, to: ends[1])
    close(ends[1])
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }

  private func spawn(input: Int32, _ variables: [(String, String)]) throws(Failure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    // This program ignores SIGPIPE; the command must not inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var words = ["/bin/sh", "-c", text].map { (word: String) in strdup(word) } + [nil]
    var environment = Self.environment(with: variables).map { strdup($0) } + [nil]
    defer { for word in words + environment { free(word) } }
    var process: pid_t = 0
    let fault = posix_spawn(&process, "/bin/sh", &actions, &attributes, &words, &environment)
    guard fault == 0 else { throw .trouble("can't run /bin/sh: \(Self.reason(fault))") }
    return process
  }

  /// Writes what the command reads; one that reads none of it is no fault.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        return
      }
    }
  }

  private static func environment(with variables: [(String, String)]) -> [String] {
    var result: [String] = []
    var entry = environ
    while let variable = entry.pointee {
      let text = String(cString: variable)
      if !variables.contains(where: { text.hasPrefix($0.0 + "=") }) { result.append(text) }
      entry += 1
    }
    return result + variables.map { "\($0.0)=\($0.1)" }
  }

  private static func reason(_ fault: Int32) -> String { String(cString: strerror(fault)) }
}
