import JSONRPC
import ListsClient

/// Saves batches of records, several under way at a time.
@MainActor
final class ImportSender {
  private let session: Session
  /// Told of every batch, in the order in which they were given.
  private let settled: @MainActor (ImportBatch, [ImportOutcome]) throws(Failure) -> Void
  /// What the keys of the requests begin with; nil: they have none.
  private let keyPrefix: String?
  private var underWay: [(batch: ImportBatch, keys: Set<String>, call: SentCall?, connection: Int)] = []
  /// The zones that are there; nil until somebody asks.
  private var zones: Set<String>?
  private var refusedZones: [String: String] = [:]
  /// Where the files of assets are; nil: nowhere.
  private let assets: AssetFolder?
  /// How often a service that is busy is asked again.
  private static let attempts = 6
  private static let maximumUnderWay = 4

  init(
    _ session: Session, keyPrefix: String?, assets: AssetFolder?,
    settled: @escaping @MainActor (ImportBatch, [ImportOutcome]) throws(Failure) -> Void
  ) {
    self.session = session
    self.keyPrefix = keyPrefix
    self.assets = assets
    self.settled = settled
  }

  /// Sends the batch, once there is room. Two batches with a record in common are never under way together, so
  /// that the later one has the last word.
  func send(_ batch: ImportBatch) async throws(Failure) {
    let batch = try await withAssets(try await withZones(batch))
    let keys = Set(batch.items.compactMap(\.key))
    while underWay.count >= Self.maximumUnderWay
      || underWay.contains(where: { !$0.keys.isDisjoint(with: keys) })
    {
      try await settleOldest()
    }
    let call: SentCall? =
      batch.items.isEmpty
      ? nil
      : try await patiently { () throws(Failure) in
        try session.send("modifyRecords", parameters(of: batch.items[...], batch.end))
      }
    underWay.append((batch, keys, call, session.connections))
  }

  /// Waits for all that is under way.
  func drain() async throws(Failure) {
    while !underWay.isEmpty { try await settleOldest() }
  }

  private func settleOldest() async throws(Failure) {
    let (batch, _, call, connection) = underWay.removeFirst()
    guard let call else { return try settled(batch, []) }
    let outcomes: [ImportOutcome]
    do throws(ClientError) {
      outcomes = try Self.outcomes(try await call.result(), count: batch.items.count)
    } catch {
      outcomes = try await sendAgain(batch.items[...], batch.end, after: .client(error), on: connection)
    }
    try settled(batch, outcomes)
  }

  // MARK: Requests

  private func parameters(
    of items: ArraySlice<ImportItem>, _ end: ImportPosition
  ) -> [(String, JSONNode)] {
    let operations = items.map { item in
      JSONNode.object([("operationType", .string(item.operationType)), ("record", .json(item.record))])
    }
    var params: [(String, JSONNode)] = [
      ("operations", .array(operations)), ("atomic", .bool(false)), ("desiredKeys", .array([])),
    ]
    if let keyPrefix {
      let key = "\(keyPrefix)-\(end.rows)-\(items.startIndex)-\(items.count)"
      params.append(("idempotencyKey", .string(key)))
    }
    return params
  }

  private static func outcomes(_ reply: JSON, count: Int) throws(ClientError) -> [ImportOutcome] {
    let results = reply["results"].map { Array($0.elements) } ?? []
    guard results.count == count else {
      throw .malformedReply("modifyRecords gave \(results.count) results for \(count) operations")
    }
    return results.map { result in
      guard let json = result["error"] else { return .saved }
      let error = ClientError.ServiceError(error: json)
      let isOfTarget = error.errorCode == "referenceViolation"
      return isOfTarget ? .deferred(error.message) : .refused(error.message)
    }
  }

  /// Deals with a request that the service refused as a whole: one that comes at a bad time, or was lost, is made
  /// again, any other is divided until the record at fault is alone.
  private func sendAgain(
    _ items: ArraySlice<ImportItem>, _ end: ImportPosition, after failure: Failure, on connection: Int
  ) async throws(Failure) -> [ImportOutcome] {
    let last: Failure
    do throws(Failure) {
      return try await patiently(after: failure, on: connection) { () throws(Failure) in
        try await sendOnce(items, end)
      }
    } catch {
      last = error
    }
    guard let rejection = last.rejection, Self.isOfOneRecord(rejection.errorCode) else { throw last }
    guard items.count > 1 else { return [.refused(rejection.message)] }
    let middle = items.startIndex + items.count / 2
    var outcomes: [ImportOutcome] = []
    for half in [items[..<middle], items[middle...]] {
      let connection = session.connections
      do throws(Failure) {
        outcomes += try await sendOnce(half, end)
      } catch {
        outcomes += try await sendAgain(half, end, after: error, on: connection)
      }
    }
    return outcomes
  }

  /// Does what may be asked for twice, again and again: after as long as a busy service says, and over a new
  /// connection when the old one was lost.
  ///
  /// - Parameters:
  ///   - failure: How it went the first time; nil: it was not tried.
  ///   - connection: The number of the connection on which that was.
  private func patiently<Result>(
    after failure: Failure? = nil, on connection: Int? = nil, _ work: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    var failure = failure
    var connection = connection ?? session.connections
    var attempt = 0
    while true {
      if let failure {
        guard attempt < Self.attempts, !Interruption.happened, let delay = delay(after: failure, attempt)
        else {
          throw failure
        }
        if failure.isOfConnection { session.forgetConnection(connection) }
        try? await Task.sleep(for: .seconds(delay))
      }
      attempt += 1
      connection = session.connections
      do throws(Failure) {
        return try await work()
      } catch {
        failure = error
      }
    }
  }

  /// Seconds after which it may go better; nil when it won't.
  private func delay(after failure: Failure, _ attempt: Int) -> Double? {
    if let delay = failure.rejection?.retryAfter { return min(delay, 10) }
    // Without keys nobody may ask twice.
    guard failure.isOfConnection, keyPrefix != nil else { return nil }
    return attempt == 0 ? 0 : 0.1 * Double(1 << attempt)
  }

  private func sendOnce(
    _ items: ArraySlice<ImportItem>, _ end: ImportPosition
  ) async throws(Failure) -> [ImportOutcome] {
    let reply = try await session.call("modifyRecords", parameters(of: items, end))
    do throws(ClientError) {
      return try Self.outcomes(reply, count: items.count)
    } catch {
      throw .client(error)
    }
  }

  /// The failure may come from the contents of one record.
  private static func isOfOneRecord(_ errorCode: String) -> Bool {
    ["invalidArguments", "limitExceeded", "fieldTypeMismatch", "parseError", "invalidRequest"].contains(
      errorCode)
  }

  /// Saves records that refer to each other all at once; false when that doesn't help.
  func saveTogether(_ items: [ImportItem]) async throws(Failure) -> Bool {
    let params = parameters(of: items[...], ImportPosition()).map { name, value in
      switch name {
      case "atomic": (name, JSONNode.bool(true))
      // Not that of the same records one by one.
      case "idempotencyKey": (name, JSONNode.string("\(keyPrefix ?? "")-together"))
      default: (name, value)
      }
    }
    do throws(Failure) {
      try await patiently { () throws(Failure) in _ = try await session.call("modifyRecords", params) }
      return true
    } catch {
      guard error.rejection != nil else { throw error }
      return false
    }
  }

  // MARK: Zones

  /// Makes the zones that the records are to be in; takes those out for whose zone that failed.
  private func withZones(_ batch: ImportBatch) async throws(Failure) -> ImportBatch {
    let wanted = batch.items.compactMap { item in item.record["zoneName"]?.stringValue }
    guard wanted.contains(where: { $0 != "_defaultZone" }) else { return batch }
    var zones = try await presentZones()
    for zone in Set(wanted) where !zones.contains(zone) && refusedZones[zone] == nil {
      do throws(Failure) {
        try await patiently { () throws(Failure) in
          _ = try await session.call("saveZone", [("zoneName", .string(zone))])
        }
        zones.insert(zone)
      } catch {
        guard let rejection = error.rejection, rejection.retryAfter == nil else { throw error }
        refusedZones[zone] = rejection.message
      }
    }
    self.zones = zones
    guard !refusedZones.isEmpty else { return batch }
    let refusedZones = refusedZones
    return batch.refusing { refusedZones[$0.record["zoneName"]?.stringValue ?? ""] }
  }

  /// Saves the files of the records' assets; takes those records out for which that failed.
  private func withAssets(_ batch: ImportBatch) async throws(Failure) -> ImportBatch {
    guard let assets else { return batch }
    var refused: [String: String] = [:]
    for item in batch.items {
      let reason = try await patiently { () throws(Failure) in try await assets.save(for: item.record) }
      if let reason { refused[item.place] = reason }
    }
    guard !refused.isEmpty else { return batch }
    return batch.refusing { refused[$0.place] }
  }

  private func presentZones() async throws(Failure) -> Set<String> {
    if let zones { return zones }
    let reply = try await patiently { () throws(Failure) in try await session.call("fetchZones", []) }
    let names = reply["zones"]?.elements.compactMap { $0["zoneName"]?.stringValue } ?? []
    return Set(names + ["_defaultZone"])
  }
}
