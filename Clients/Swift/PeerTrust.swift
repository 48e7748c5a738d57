import CLinux
import Glibc

/// Decides whether what listens at a socket may be taken for the service.
enum PeerTrust {
  /// The other end must be the caller's own or root's. For a socket that systemd listens on, that is the
  /// user's manager or PID 1: `SO_PEERCRED` names whoever called listen(2). A service of the machine
  /// that was started by hand runs as a user of its own; it is trusted when its folder is that user's
  /// and stands in a folder where only root could have put it.
  static func check(_ descriptor: Int32, path: String) throws(ClientError) {
    var process: Int32 = 0
    var owner: UInt32 = 0
    var group: UInt32 = 0
    guard clinux_peer_credentials(descriptor, &process, &owner, &group) == 0 else {
      throw refusal(path, "the other end of \(path) can't be identified")
    }
    let user = getuid()
    if owner == user || owner == 0 { return }
    if isRootGiven(path, to: owner) { return }
    throw refusal(path, "\(path) is served by user \(owner), who is neither you (user \(user)) nor root")
  }

  private static func isRootGiven(_ path: String, to owner: uid_t) -> Bool {
    let folder = parent(of: path)
    guard let facts = FolderFacts(folder), facts.owner == owner || facts.owner == 0,
      let above = FolderFacts(parent(of: folder)), above.owner == 0
    else { return false }
    return !facts.isOpenToOthers && !above.isOpenToOthers
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func refusal(_ path: String, _ reason: String) -> ClientError {
    .unreachable(
      .init(path: path, reason: reason, advice: "Nothing was sent. Name the right socket with LISTS_SOCKET"))
  }
}
