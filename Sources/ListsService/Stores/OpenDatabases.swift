internal import RecordStore
internal import Records

/// The stores that were used, each with what the service keeps beside it.
///
/// A store that can't be opened is tried again with the next request, so that it is back as soon as the
/// cause is gone.
final class OpenDatabases {
  let directory: StoreDirectory
  private let clock: @Sendable () -> Int64
  private var databases: [StoreID: Database] = [:]

  init(
    _ configuration: ServiceConfiguration, deliver: @escaping @Sendable (Delivery) -> Void,
    log: @escaping @Sendable (LogEntry) -> Void
  ) {
    clock = configuration.clock
    let location: StoreDirectory.Location =
      switch configuration.location {
      case .directory(let path): .folder(path)
      case .memory: .memory
      }
    var template = RecordStoreConfiguration(
      location: .memory, limits: configuration.storeLimits, clock: configuration.clock,
      log: { log(LogEntry(.warning, $0)) })
    template.limits.maximumRecordBytes = configuration.limits.maximumRecordBytes
    template.limits.maximumFields = configuration.limits.maximumFields
    template.limits.maximumQuerySeconds = configuration.limits.maximumQuerySeconds
    template.limits.maximumIndexes = configuration.limits.maximumIndexes
    template.limits.maximumZones = configuration.limits.maximumZones
    template.limits.maximumSavedSubscriptions = configuration.limits.maximumSavedSubscriptions
    template.limits.maximumAnswerAge = Int64(configuration.limits.idempotencyHours) * 3_600_000
    template.limits.maximumAnswers = Int64(configuration.limits.maximumIdempotencyKeys)
    template.limits.maximumUploads = configuration.limits.maximumUploads
    template.makesAutomaticIndexes = configuration.makesAutomaticIndexes
    // The limit that clients see counts the default container as well.
    directory = StoreDirectory(
      location, template: template, maximumContainers: configuration.limits.maximumContainers - 1,
      deliver: { id, group in deliver(Delivery(content: .group(group, from: id))) })
  }

  /// Nil when it was not used yet.
  func openDatabase(_ id: StoreID) -> Database? { databases[id] }

  func database(_ id: StoreID) throws(RecordError) -> Database {
    if let database = databases[id] { return database }
    let database = try Database(id: id, store: directory.store(id), clock: clock)
    databases[id] = database
    return database
  }

  /// Forgets the databases of these stores, which are closed: their subscriptions end, what waits for them fails.
  func forget(
    _ stores: [RecordStore], _ ending: SubscriptionEnding, _ error: RecordError, for service: Service
  ) {
    for (id, database) in databases where stores.contains(where: { $0 === database.store }) {
      databases[id] = nil
      database.abandon(ending, error, for: service)
    }
  }

  var recordCount: Int { databases.values.reduce(0) { $0 + $1.recordCount } }

  func close() {
    directory.close()
  }

  /// Calls `answer` once every open store's writer has turned.
  func ping(_ answer: @escaping @Sendable () -> Void) {
    // One store after the other: the answer comes when the last one's writer has turned.
    let chain = directory.openStores.values.reduce(answer) { next, store in { store.ping(next) } }
    chain()
  }
}
