public import JSONRPC

/// One connection to the service, shared by any number of tasks.
///
/// Calls made at the same time go out in the order in which they were made and are matched to their
/// replies by id. Replies and pushes are taken in by a thread of the connection's own, which never waits
/// for a task. The connection closes when the last reference to it goes.
public final class Connection: Sendable {
  let channel: Channel

  /// Limits of a connection.
  public struct Options: Sendable {
    /// The most bytes of a reply or push; a longer one fails its call only. Twice the service's default.
    public var maximumMessageBytes = 64 << 20
    /// The bytes that may wait to be sent; calls beyond wait until there is room.
    public var maximumQueuedBytes = 16 << 20
    /// Told, on the connection's thread, what a developer should know: replies that nobody asked for.
    public var log: @Sendable (String) -> Void = { _ in }

    public init() {}
  }

  /// Connects, waiting while a service that systemd starts on demand comes up.
  ///
  /// - Throws: `ClientError.unreachable` when nothing listens there or what does is not to be trusted.
  public init(to address: ServiceAddress, options: Options = Options()) throws(ClientError) {
    channel = try Channel(descriptor: Socket.connect(to: address), options: options)
    try channel.start()
  }

  /// Takes over a connected socket, such as one end of a pair; it is closed with the connection.
  public init(descriptor: Int32, options: Options = Options()) throws(ClientError) {
    channel = try Channel(descriptor: descriptor, options: options)
    try channel.start()
  }

  deinit {
    close()
  }

  /// Ends the connection: calls that have no reply yet fail with `connectionLost`.
  public func close() {
    channel.close()
  }

  /// Sends a request and waits for its reply.
  ///
  /// - Parameters:
  ///   - method: The method's name.
  ///   - params: An object, a list, or nil.
  /// - Returns: The reply's `result`.
  public func call(_ method: String, _ params: JSONNode? = nil) async throws(ClientError) -> JSON {
    try await call(method, params: params?.json)
  }

  /// Sends a request, with `params` as JSON text, and waits for its reply.
  public func call(_ method: String, params: JSON?) async throws(ClientError) -> JSON {
    try await channel.call(method, params: params).get()
  }

  /// Subscribes to changes. Those that happen after the reply, and those that `request` asks for from
  /// before it, are in the stream.
  public func subscribe(_ request: SubscriptionRequest) async throws(ClientError) -> ChangeStream {
    let stream = ChangeStream(request: request, channel: channel, connection: self, reconnect: nil)
    try await stream.start()
    return stream
  }

  /// Subscribes over a connection of the stream's own, which is opened again whenever it is lost; the
  /// stream then goes on from the last change that was taken from it.
  ///
  /// - Parameter patience: For how long to try to connect again before the stream fails; nil: for ever.
  public static func subscribe(
    _ request: SubscriptionRequest, to address: ServiceAddress, options: Options = Options(),
    patience: Duration? = nil
  ) async throws(ClientError) -> ChangeStream {
    let open: @Sendable () throws(ClientError) -> Channel = { () throws(ClientError) in
      let channel = try Channel(descriptor: Socket.connect(to: address), options: options)
      try channel.start()
      return channel
    }
    let stream = ChangeStream(request: request, channel: try open(), reconnect: open, patience: patience)
    try await stream.start()
    return stream
  }
}
