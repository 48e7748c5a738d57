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
  private var underWay: [(batch: ImportBatch, keys: Set<String>, call: SentCall?)] = []
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
    let call =
      batch.items.isEmpty
      ? nil : try session.send("modifyRecords", parameters(of: batch.items[...], batch.end))
    underWay.append((batch, keys, call))
  }

  /// Waits for all that is under way.
  func drain() async throws(Failure) {
    while !underWay.isEmpty { try await settleOldest() }
  }

  private func settleOldest() async throws(Failure) {
    let (batch, _, call) = underWay.removeFirst()
    guard let call else { return try settled(batch, []) }
    let outcomes: [ImportOutcome]
    do throws(ClientError) {
      outcomes = try Self.outcomes(try await call.result(), count: batch.items.count)
    } catch {
      outcomes = try await sendAgain(batch.items[...], batch.end, after: .client(error))
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

  /// Deals with a request that the service refused as a whole: one that comes at a bad time is made again after as
  /// long as the service says, any other is divided until the record at fault is alone.
  private func sendAgain(
    _ items: ArraySlice<ImportItem>, _ end: ImportPosition, after failure: Failure
  ) async throws(Failure) -> [ImportOutcome] {
    var failure = failure
    var attempt = 1
    while let delay = failure.rejection?.retryAfter, attempt < Self.attempts {
      attempt += 1
      try? await Task.sleep(for: .seconds(min(delay, 10)))
      do throws(Failure) {
        return try await sendOnce(items, end)
      } catch {
        failure = error
      }
    }
    guard let rejection = failure.rejection, Self.isOfOneRecord(rejection.errorCode) else { throw failure }
    guard items.count > 1 else { return [.refused(rejection.message)] }
    let middle = items.startIndex + items.count / 2
    var outcomes: [ImportOutcome] = []
    for half in [items[..<middle], items[middle...]] {
      do throws(Failure) {
        outcomes += try await sendOnce(half, end)
      } catch {
        outcomes += try await sendAgain(half, end, after: error)
      }
    }
    return outcomes
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
    var params = parameters(of: items[...], ImportPosition()).filter { $0.0 != "idempotencyKey" }
    params = params.map { $0.0 == "atomic" ? ("atomic", .bool(true)) : $0 }
    do throws(Failure) {
      _ = try await session.call("modifyRecords", params)
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
        _ = try await session.call("saveZone", [("zoneName", .string(zone))])
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
      if let reason = try await assets.save(for: item.record) { refused[item.place] = reason }
    }
    guard !refused.isEmpty else { return batch }
    return batch.refusing { refused[$0.place] }
  }

  private func presentZones() async throws(Failure) -> Set<String> {
    if let zones { return zones }
    let reply = try await session.call("fetchZones", [])
    let names = reply["zones"]?.elements.compactMap { $0["zoneName"]?.stringValue } ?? []
    return Set(names + ["_defaultZone"])
  }
}
