public import RecordStore

/// What a service is made from.
public struct ServiceConfiguration: Sendable {
  /// Where the stores are kept.
  public enum Location: Sendable, Equatable {
    /// The absolute path of a folder, made with mode 0700 when it is not there.
    case directory(String)
    /// Nothing outlives the process.
    case memory
  }

  public var location: Location
  public var access: AccessPolicy
  public var limits: ServiceLimits
  /// The program's version, as `serverInfo` gives it.
  public var version: String
  /// How much a store keeps. What `limits` says of records goes before what it says.
  public var storeLimits = StoreLimits()
  /// Whether record types may get indexes by themselves.
  public var makesAutomaticIndexes = true
  /// Milliseconds since 1970 (UTC).
  public var clock: @Sendable () -> Int64 = RecordStoreConfiguration.systemClock

  public init(
    location: Location, access: AccessPolicy, limits: ServiceLimits = ServiceLimits(), version: String
  ) {
    self.location = location
    self.access = access
    self.limits = limits
    self.version = version
  }
}
