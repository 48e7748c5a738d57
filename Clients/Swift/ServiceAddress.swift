import Glibc

/// Where the service listens.
public struct ServiceAddress: Sendable, Equatable {
  /// The path of its Unix socket.
  public let path: String

  public init(path: String) {
    self.path = path
  }

  /// The machine's own service, for programs of users who run none of their own.
  public static let system = ServiceAddress(path: "/run/lists/lists.sock")

  /// The socket to use: `path` if given, else `$LISTS_SOCKET`, else the caller's own service in
  /// `$XDG_RUNTIME_DIR` (or `/run/user/UID`), else the machine's.
  ///
  /// A runtime folder that is not the caller's own is refused: whoever owns it could answer in the
  /// service's place. For the same reason nothing is ever looked for in `/tmp`.
  ///
  /// - Parameters:
  ///   - path: What the user asked for.
  ///   - environment: Looks up a variable.
  /// - Throws: `ClientError.unreachable` with what to do.
  public static func resolve(
    path: String? = nil, environment: (String) -> String? = Self.variable
  ) throws(ClientError) -> ServiceAddress {
    if let path = path ?? environment("LISTS_SOCKET"), !path.isEmpty {
      return ServiceAddress(path: path)
    }
    let user = getuid()
    let ownFolder = "/run/user/\(user)"
    var tried: [String] = []
    // The specification of XDG_RUNTIME_DIR has relative paths ignored.
    let named = environment("XDG_RUNTIME_DIR").flatMap { $0.hasPrefix("/") ? $0 : nil }
    if let folder = named ?? (FolderFacts(ownFolder) == nil ? nil : ownFolder) {
      if let facts = FolderFacts(folder), facts.owner != user {
        throw .unreachable(
          .init(
            path: folder,
            reason: "the runtime folder \(folder) belongs to user \(facts.owner), not to user \(user)",
            advice: "Unset XDG_RUNTIME_DIR or set it to a folder of your own, such as \(ownFolder)"))
      }
      let socket = "\(folder)/lists/lists.sock"
      if access(socket, F_OK) == 0 { return ServiceAddress(path: socket) }
      tried.append(socket)
    }
    if access(system.path, F_OK) == 0 { return system }
    tried.append(system.path)
    let missing = tried.count == 1 ? ", and XDG_RUNTIME_DIR is not set" : ""
    throw .unreachable(
      .init(
        path: nil,
        reason: "no Lists service is set up: there is no \(tried.joined(separator: " and no "))\(missing)",
        advice: Self.startAdvice))
  }

  static let startAdvice =
    "Start yours with 'systemctl --user enable --now lists.socket' (install it with 'make install-user'), "
    + "or name a socket with --socket or LISTS_SOCKET"

  /// A variable of this process's environment.
  public static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}

/// What trust in a folder rests on.
struct FolderFacts {
  let owner: uid_t
  /// Others than its owner may put something else in a name's place.
  let isOpenToOthers: Bool

  /// Nil when there is no such folder, or it can't be looked at.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
    owner = status.st_uid
    isOpenToOthers = status.st_mode & (S_IWGRP | S_IWOTH) != 0
  }
}
