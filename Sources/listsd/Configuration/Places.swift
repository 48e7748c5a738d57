import Glibc

/// Where things are, by the XDG base directory specification for a user's service and by the file
/// hierarchy for the machine's.
struct Places: Sendable {
  /// A place that can't be told, and what to do about it.
  struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  let isSystem: Bool
  private let variable: @Sendable (String) -> String?

  /// - Parameter variable: the environment.
  init(
    isSystem: Bool,
    variable: @escaping @Sendable (String) -> String? = { getenv($0).map { String(cString: $0) } }
  ) {
    self.isSystem = isSystem
    self.variable = variable
  }

  /// The configuration file that is read when none is named; nil when there is no place for it.
  var configurationFile: String? {
    if isSystem { return "/etc/lists/lists.conf" }
    return (absolute("XDG_CONFIG_HOME") ?? home(".config")).map { $0 + "/lists/lists.conf" }
  }

  /// The folder of the stores: what systemd made (`StateDirectory=`), else a fixed place.
  func stateDirectory() throws(Fault) -> String {
    if let given = variable("STATE_DIRECTORY")?.split(separator: ":").first { return String(given) }
    if isSystem { return "/var/lib/lists" }
    if let state = absolute("XDG_STATE_HOME") ?? home(".local/state") { return state + "/lists" }
    throw Fault(
      description: "neither XDG_STATE_HOME nor HOME names a folder for the records: use --state-directory")
  }

  /// The socket to listen on when systemd gave none and none was named. Its folder is made where it isn't
  /// there, and refused when somebody else could put another socket into it.
  func socket() throws(Fault) -> String {
    if let given = variable("LISTS_SOCKET"), !given.isEmpty { return given }
    if isSystem { return try prepared("/run/lists", mode: 0o755) + "/lists.sock" }
    let user = getuid()
    guard let runtime = absolute("XDG_RUNTIME_DIR") ?? existing("/run/user/\(user)") else {
      throw Fault(
        description:
          "XDG_RUNTIME_DIR is not set and /run/user/\(user) does not exist, so that there is no safe "
          + "place for the socket: use --socket, or start the service by 'systemctl --user start lists.socket'"
      )
    }
    try check(runtime)
    return try prepared(runtime + "/lists", mode: 0o700) + "/lists.sock"
  }

  private func absolute(_ name: String) -> String? {
    // The specification has relative paths ignored.
    variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
  }

  private func home(_ folder: String) -> String? { absolute("HOME").map { $0 + "/" + folder } }

  private func existing(_ path: String) -> String? { access(path, F_OK) == 0 ? path : nil }

  private func prepared(_ path: String, mode: mode_t) throws(Fault) -> String {
    if mkdir(path, mode) != 0 && errno != EEXIST {
      throw Fault(description: "\(path): \(String(cString: strerror(errno)))")
    }
    try check(path)
    return path
  }

  private func check(_ path: String) throws(Fault) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      throw Fault(description: "\(path): \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid(), status.st_mode & 0o022 == 0 else {
      throw Fault(
        description:
          "\(path) is not a folder of this user's own that nobody else can write to, so that another "
          + "could take the service's place there: use --socket")
    }
  }
}
