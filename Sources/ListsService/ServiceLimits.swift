/// How much the service accepts. `serverInfo` lists them under these names.
public struct ServiceLimits: Sendable, Equatable {
  /// Bytes of one message from a client.
  public var maximumMessageBytes = 16 << 20
  /// Levels of brackets in a message.
  public var maximumDepth = 512
  /// Calls in a batch.
  public var maximumBatchCalls = 1000
  /// Records or operations in a request.
  public var maximumItems = 1000
  /// Records of a page when the request does not say.
  public var defaultResults = 100
  /// Records of a page at most.
  public var maximumResults = 1000
  /// Bytes of one reply. A page of a query ends before; any other reply that would be longer is an error.
  public var maximumReplyBytes = 32 << 20
  /// Bytes of a record's JSON.
  public var maximumRecordBytes = 8 << 20
  /// Fields of a record.
  public var maximumFields = 1000
  /// Declared indexes of a record type.
  public var maximumIndexes = 64
  /// What a query may take. It is given up then.
  public var maximumQuerySeconds = 30
  /// Bytes of a predicate's text.
  public var maximumPredicateBytes = 64 << 10
  /// Comparisons of a live filter, to which every change is put.
  public var maximumFilterComparisons = 100
  /// Sort descriptors of a query.
  public var maximumSortDescriptors = 32
  /// Keys of `include` or `groupBy`, or figures of `aggregateRecords`.
  public var maximumKeys = 32
  /// Groups of `aggregateRecords`.
  public var maximumGroups = 10_000
  /// Sections of a result that is sorted by them.
  public var maximumSections = 100_000
  /// Subscriptions of a connection.
  public var maximumSubscriptions = 1000
  /// Rows of a sorted result that a subscription holds.
  public var maximumWindowRecords = 10_000
  /// Saved subscriptions of a user in a database.
  public var maximumSavedSubscriptions = 100
  /// Hours that the answer to a request with an idempotency key is kept.
  public var idempotencyHours = 24
  /// Answers kept in a database.
  public var maximumIdempotencyKeys = 100_000
  /// Bytes of an asset.
  public var maximumAssetBytes = 1 << 30
  /// Assets that a user uploads in parts at the same time, in a database.
  public var maximumUploads = 100
  /// Zones of a database.
  public var maximumZones = 1000
  /// Connections of a user.
  public var maximumConnections = 1024
  /// Containers in the whole service.
  public var maximumContainers = 64
  /// Requests of a connection that are not yet answered; beyond it the service stops reading.
  public var maximumRequestsInFlight = 1000
  /// Bytes kept for a connection that does not read, before its subscriptions fall behind and its requests
  /// wait.
  public var maximumQueuedBytes = 16 << 20

  public init() {}

  /// Name and value of each, in the order of the documentation.
  var all: [(name: String, value: Int)] {
    [
      ("maximumMessageBytes", maximumMessageBytes), ("maximumDepth", maximumDepth),
      ("maximumBatchCalls", maximumBatchCalls), ("maximumItems", maximumItems),
      ("defaultResults", defaultResults), ("maximumResults", maximumResults),
      ("maximumReplyBytes", maximumReplyBytes), ("maximumRecordBytes", maximumRecordBytes),
      ("maximumFields", maximumFields), ("maximumIndexes", maximumIndexes),
      ("maximumQuerySeconds", maximumQuerySeconds), ("maximumPredicateBytes", maximumPredicateBytes),
      ("maximumFilterComparisons", maximumFilterComparisons),
      ("maximumSortDescriptors", maximumSortDescriptors),
      ("maximumKeys", maximumKeys), ("maximumGroups", maximumGroups), ("maximumSections", maximumSections),
      ("maximumSubscriptions", maximumSubscriptions), ("maximumWindowRecords", maximumWindowRecords),
      ("maximumSavedSubscriptions", maximumSavedSubscriptions), ("idempotencyHours", idempotencyHours),
      ("maximumIdempotencyKeys", maximumIdempotencyKeys),
      ("maximumAssetBytes", maximumAssetBytes), ("maximumUploads", maximumUploads),
      ("maximumZones", maximumZones),
      ("maximumConnections", maximumConnections),
      ("maximumContainers", maximumContainers), ("maximumRequestsInFlight", maximumRequestsInFlight),
      ("maximumQueuedBytes", maximumQueuedBytes),
    ]
  }
}
