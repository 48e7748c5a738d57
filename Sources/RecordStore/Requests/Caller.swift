/// Who makes a request: travels with it from the socket to the change that it makes.
public struct Caller: Sendable, Hashable {
  /// The Unix user number.
  public var userID: UInt32
  /// The connection that the request came over, so that a push can say whether it is the receiver's own
  /// doing; 0 when that is no longer known.
  public var connection: UInt64

  public init(userID: UInt32, connection: UInt64) {
    self.userID = userID
    self.connection = connection
  }

  /// `_<uid>`.
  public var userRecordName: String { "_\(userID)" }
}
