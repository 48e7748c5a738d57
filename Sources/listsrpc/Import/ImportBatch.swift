import JSONRPC
import ListsClient

/// Records on their way to the service, and where they stood in the file.
struct ImportBatch {
  struct Item {
    let record: JSON
    let place: String
  }

  private(set) var items: [Item] = []
  private(set) var bytes = 0
  /// The most records, and bytes of them, that go into one request.
  let maximumItems: Int
  let maximumBytes: Int

  /// - Parameter limits: `serverInfo`'s.
  init(limits: JSON?) {
    // Half a request's limit at most: the envelope needs some, and replies are of the same order.
    maximumItems = min(500, Int(limits?["maximumItems"]?.int64Value ?? 500))
    maximumBytes = min(1 << 20, Int(limits?["maximumMessageBytes"]?.int64Value ?? 1 << 21) / 2)
  }

  var isEmpty: Bool { items.isEmpty }

  /// The record would make the batch too large; an empty batch takes any.
  func isFull(before record: JSON) -> Bool {
    !items.isEmpty && (items.count >= maximumItems || bytes + record.bytes.count > maximumBytes)
  }

  mutating func append(_ item: Item) {
    items.append(item)
    bytes += item.record.bytes.count
  }

  mutating func takeAll() -> [Item] {
    defer {
      items = []
      bytes = 0
    }
    return items
  }
}

/// Sends batches and counts what became of their records.
@MainActor
final class ImportSender {
  private let session: Session
  private let operationType: String
  private(set) var saved = 0
  private(set) var failed = 0
  private let report: @MainActor (_ place: String, _ reason: String) -> Void
  /// How often a service that is busy is asked again.
  private static let attempts = 6

  /// - Parameter operationType: `modifyRecords`' own.
  init(
    _ session: Session, operationType: String, report: @escaping @MainActor (String, String) -> Void
  ) {
    self.session = session
    self.operationType = operationType
    self.report = report
  }

  /// Tells of a row that can't be saved.
  func fail(_ place: String, _ reason: String) {
    failed += 1
    report(place, reason)
  }

  /// Saves each record for itself. When the service refuses the request as a whole, it is divided until
  /// the record at fault is alone.
  func send(_ items: [ImportBatch.Item]) async throws(Failure) {
    var work = [items[...]]
    while let part = work.popLast() {
      do throws(Failure) {
        try await sendOnce(part)
      } catch {
        guard let failure = error.rejection, Self.isOfOneRecord(failure.errorCode) else {
          throw error
        }
        guard part.count > 1 else {
          part.first.map { fail($0.place, failure.message) }
          continue
        }
        let middle = part.startIndex + part.count / 2
        work.append(part[middle...])
        work.append(part[..<middle])
      }
    }
  }

  /// The failure may come from the contents of one record.
  private static func isOfOneRecord(_ errorCode: String) -> Bool {
    ["invalidArguments", "limitExceeded", "fieldTypeMismatch", "parseError", "invalidRequest"].contains(
      errorCode)
  }

  private func sendOnce(_ items: ArraySlice<ImportBatch.Item>) async throws(Failure) {
    let operations = items.map { item in
      JSONNode.object([("operationType", .string(operationType)), ("record", .json(item.record))])
    }
    let reply = try await retrying([
      ("operations", .array(operations)), ("atomic", .bool(false)), ("desiredKeys", .array([])),
    ])
    let results = reply["results"].map { Array($0.elements) } ?? []
    guard results.count == items.count else {
      throw .client(
        .malformedReply("modifyRecords gave \(results.count) results for \(items.count) operations"))
    }
    for (item, result) in zip(items, results) {
      if let error = result["error"] {
        fail(item.place, ClientError.ServiceError(error: error).message)
      } else {
        saved += 1
      }
    }
  }

  /// Asks again after as long as the service says, where it says that this can help.
  private func retrying(_ params: [(String, JSONNode)]) async throws(Failure) -> JSON {
    var attempt = 1
    while true {
      do throws(Failure) {
        return try await session.call("modifyRecords", params)
      } catch {
        guard let failure = error.rejection, let delay = failure.retryAfter,
          attempt < Self.attempts
        else { throw error }
        attempt += 1
        try? await Task.sleep(for: .seconds(min(delay, 10)))
      }
    }
  }
}
