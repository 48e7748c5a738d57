import CLinux

/// Who is at the other end of a connection, told by the kernel (SO_PEERCRED, unix(7)): the process, user
/// and group that called connect(2).
public struct Peer: Sendable, Hashable {
  public let processID: Int32
  public let userID: UInt32
  public let groupID: UInt32

  public init(processID: Int32, userID: UInt32, groupID: UInt32) {
    self.processID = processID
    self.userID = userID
    self.groupID = groupID
  }

  /// Asks the kernel about a connected Unix socket.
  public init(of descriptor: Int32) throws(SystemError) {
    var process: Int32 = 0
    var user: UInt32 = 0
    var group: UInt32 = 0
    guard clinux_peer_credentials(descriptor, &process, &user, &group) == 0 else {
      throw SystemError("getsockopt(SO_PEERCRED)")
    }
    self.init(processID: process, userID: user, groupID: group)
  }
}
