import Glibc
import ServiceFixture

/// A real systemd as PID 1 in a throw-away copy of this machine, with the project's own units installed
/// there by the project's own recipe.
final class Container {
  /// Why none can be booted here; nil when one can.
  static let obstacle: String? = {
    if getuid() != 0 { return "booting a systemd needs root" }
    for program in ["systemd-nspawn", "nsenter", "unshare", "make"] {
      let found = try? runToEnd(["sh", "-c", "command -v \(program)"])
      if found?.ending.status != 0 {
        return "\(program) is not installed (Debian: systemd-container, util-linux)"
      }
    }
    return nil
  }()

  /// Where an installation is laid before it boots.
  enum Installation {
    /// `make install`, the machine's service.
    case system
    /// `make install-user` of a user whose home folder is this.
    case user(home: String)
  }

  let folder: String
  private let leader: String

  /// Installs and boots.
  init(_ installation: Installation = .system) throws {
    var template = Array("/var/tmp/lists-systemd.XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw FixtureError("mkdtemp failed: \(errno)") }
    folder = String(cString: made)
    let recipe =
      switch installation {
      case .system: ["install", "PREFIX=/usr"]
      case .user(let home): ["install-user", "HOME=\(home)"]
      }
    do {
      try Self.checked(
        ["make", "-s", "-C", projectFolder] + recipe + ["DESTDIR=\(folder)/upper", "RELEASE=\(buildFolder)"],
        environment: ["XDG_CONFIG_HOME": nil])
      if case .user(let home) = installation {
        try Self.checked(["chown", "-R", "nobody", "\(folder)/upper\(home)"])
      }
      try Self.script("start", folder)
      leader = try Self.script("leader", folder).filter(\.isNumber)
    } catch {
      _ = try? Self.script("stop", folder)
      throw error
    }
  }

  deinit { _ = try? Self.script("stop", folder) }

  /// Runs a command inside and returns what it printed, without the last line feed.
  @discardableResult
  func run(_ words: String...) throws -> String {
    var text = try Self.script("run", folder, words)
    if text.hasSuffix("\n") { text.removeLast() }
    return text
  }

  /// Puts a file inside.
  func write(_ text: String, to path: String) throws {
    try Self.checked(["install", "-D", "-m", "644", "/dev/stdin", outside(path)], input: text)
  }

  /// How a path inside is reached from here.
  func outside(_ path: String) -> String { "/proc/\(leader)/root\(path)" }

  func connect(_ path: String = "/run/lists/lists.sock") throws -> LineConnection {
    try LineConnection(to: outside(path))
  }

  /// A property of a unit, as `systemctl show` has it.
  func property(_ name: String, of unit: String = "lists.service") throws -> String {
    try run("systemctl", "show", "--property", name, "--value", unit)
  }

  /// Returns once the property has the value; fails after 20 seconds.
  func wait(for name: String, of unit: String = "lists.service", toBe value: String) throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while try property(name, of: unit) != value {
      guard ContinuousClock.now < deadline else {
        throw FixtureError("\(unit): \(name) is \(try property(name, of: unit)), not \(value)")
      }
    }
  }

  /// The messages of the service's journal, one a line.
  func journal() throws -> String {
    try run("journalctl", "--unit", "lists.service", "--output", "cat", "--no-pager")
  }

  @discardableResult
  private static func script(_ verb: String, _ folder: String, _ words: [String] = []) throws -> String {
    try checked(["\(projectFolder)/Tests/SystemdTests/container.sh", verb, folder] + words)
  }

  @discardableResult
  private static func checked(
    _ words: [String], environment: [String: String?] = [:], input: String = ""
  ) throws -> String {
    let run = try runToEnd(words, environment: environment, input: Array(input.utf8))
    guard run.ending.status == 0 else {
      throw FixtureError("\(words.joined(separator: " ")): \(run.errorText)\(run.outputText)")
    }
    return run.outputText
  }
}

/// The folder of Package.swift.
let projectFolder = String(#filePath.dropLast("/Tests/SystemdTests/Container.swift".count))
