internal import CLinux
internal import Glibc
internal import Records

/// What a store is made from.
public struct RecordStoreConfiguration: Sendable {
  public enum Location: Sendable, Equatable {
    /// The path of the file, made with mode 0600 when it is not there; its folder must exist.
    case file(String)
    /// Nothing outlives the store.
    case memory
  }

  public var location: Location
  public var limits: StoreLimits
  /// Milliseconds since 1970 (UTC).
  public var clock: @Sendable () -> Int64
  /// 64 random bits.
  public var random: @Sendable () -> UInt64
  /// Told what a person who runs the service should know: with paths and the engine's words, so never for
  /// clients. Called on the store's threads.
  public var log: @Sendable (String) -> Void
  /// Whether types may get indexes by themselves.
  public var makesAutomaticIndexes = true
  /// How index work is divided.
  var indexPace = IndexPace()
  /// The version of the collator that makes localized keys; nil when there is none. Loads it.
  var collatorVersion: @Sendable () -> String? = { try? Collator.shared().version }

  public init(
    location: Location, limits: StoreLimits = StoreLimits(),
    clock: @escaping @Sendable () -> Int64 = RecordStoreConfiguration.systemClock,
    random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) },
    log: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.location = location
    self.limits = limits
    self.clock = clock
    self.random = random
    self.log = log
  }

  public static let systemClock: @Sendable () -> Int64 = {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }
}

/// How much a store accepts and keeps.
public struct StoreLimits: Sendable, Equatable {
  /// Bytes of a record's JSON.
  public var maximumRecordBytes = 8 << 20
  /// Fields of a record.
  public var maximumFields = 1000
  /// Zones, the default zone among them.
  public var maximumZones = 1000
  /// Records that are deleted with a zone.
  public var maximumDeletedRecords = 1_000_000
  /// Records of a type whose fields become others.
  public var maximumChangedRecords = 1_000_000
  /// Saved subscriptions of a user.
  public var maximumSavedSubscriptions = 100
  /// Declared indexes of a record type. Those that it gets by itself come on top (`IndexAdvisor`).
  public var maximumIndexes = 64
  /// What a read that was submitted may take.
  public var maximumQuerySeconds = 30
  /// Requests that wait for the writer; those beyond are answered `serviceUnavailable`.
  public var maximumQueuedRequests = 100_000
  /// Milliseconds to wait for a lock that another program holds.
  public var busyTimeout: Int32 = 5000
  /// Changes kept for replays: the newest this many.
  public var maximumHistoryChanges = 1_000_000
  /// Bytes of previous versions kept for replays, about.
  public var maximumHistoryBytes: Int64 = 256 << 20
  /// Milliseconds that changes are kept for replays; 0 for as long as the other limits allow. Those that are older
  /// go with the commits that come after, a few hundred with each.
  public var maximumHistoryAge: Int64 = 30 * 86_400_000
  /// Milliseconds that the answer to a request with an idempotency key is kept.
  public var maximumAnswerAge: Int64 = 24 * 3_600_000
  /// How many of them, and their bytes; beyond either the oldest go sooner.
  public var maximumAnswers: Int64 = 100_000
  public var maximumAnswerBytes: Int64 = 64 << 20
  /// Files that a user uploads at the same time.
  public var maximumUploads = 100
  /// Milliseconds after which an upload is forgotten that nothing comes for.
  public var maximumUploadAge: Int64 = 3_600_000
  /// Milliseconds that an asset is kept for a record to have it, from when it was saved.
  public var minimumAssetAge: Int64 = 3_600_000
  /// Bytes of the file that each connection (the writer and every reader) keeps in memory at most. Taken as they
  /// are needed.
  public var cacheBytes = 16 << 20
  /// Pages (of 4096 bytes) of the write-ahead log after which they are copied into the file.
  public var checkpointPages = 2000

  public init() {}
}

/// How the building and removing of indexes is divided into parts, between which writers have their turn.
struct IndexPace: Sendable {
  /// What a part may take: nanoseconds.
  var time: UInt64 = 4_000_000
  /// Records that a part looks at, or groups of entries that it removes, at most.
  var rows = Int.max
  /// Asked before each part; after a no, again when the writer has had something else to do.
  var isAllowed: @Sendable () -> Bool = { true }
}
