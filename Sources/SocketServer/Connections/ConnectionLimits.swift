/// What connections may use of the service's memory and descriptors.
public struct ConnectionLimits: Sendable, Equatable {
  /// The longest message in bytes.
  public var maximumMessageBytes = 16 << 20
  /// Connections of one user.
  public var connectionsPerUser = 1024
  /// Above this many unsent bytes a connection's messages wait.
  public var unsentBytesBeforePause = 1 << 20
  /// What every connection may hold of an unfinished message without asking.
  public var freeInputBytes = 64 << 10
  /// How many connections at a time may hold more than that; the others wait for their turn. Times
  /// `maximumMessageBytes`, this bounds the memory that unfinished messages take.
  public var largeMessagesAtATime = 8
  /// How long a large message may take to arrive while others wait for their turn.
  public var largeMessagePatience = Duration.seconds(10)
  /// How long the last bytes of a connection that is being ended may take to leave.
  public var endPatience = Duration.seconds(5)

  public init() {}
}
