/// What a status line says.
public struct ServiceStatistics: Sendable, Equatable {
  public var sessions = 0
  public var subscriptions = 0
  /// Records in the stores that are open.
  public var records = 0
  /// Requests accepted and not yet answered.
  public var unanswered = 0
}
