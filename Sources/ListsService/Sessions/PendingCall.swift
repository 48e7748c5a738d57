internal import JSONRPC
internal import RecordStore
internal import Records

/// A call whose outcome comes from another thread.
struct PendingCall {
  enum Rest {
    case write((WriteResult, inout JSONWriter) throws(RecordError) -> Void)
    case read((ReadResult, inout JSONWriter) throws(RecordError) -> Void)
    case work(Work)
  }

  let session: Session
  let request: Request
  let exchange: Exchange
  let index: Int
  let rest: Rest

  init(_ session: Session, _ request: Request, _ exchange: Exchange, _ index: Int, _ rest: Rest) {
    self.session = session
    self.request = request
    self.exchange = exchange
    self.index = index
    self.rest = rest
  }

  /// As when the store's thread answers that it failed.
  func outcome(of error: RecordError) -> Outcome {
    switch rest {
    case .read: .read(.failure(error))
    case .write, .work: .write(.failure(WriteFailure(error: error, items: [])))
    }
  }

  /// The reply; nil for a notification.
  func reply(to outcome: Outcome) throws(RecordError) -> [UInt8]? {
    var reply = ReplyWriter(id: request.id)
    switch (rest, outcome) {
    case (.write(let finish), .write(.success(let result))): try finish(result, &reply.writer)
    case (.write, .write(.failure(let failure))): throw failure.answer(isBatch: request.isBatch)
    case (.write, .repeated(let result)): reply.writer.raw(try result.get())
    case (.read(let finish), .read(let result)): try finish(result.get(), &reply.writer)
    case (.write, .read), (.read, .write), (.read, .repeated), (.work, _):
      throw RecordError(.internalError, "the store answered another question than it was asked")
    }
    return reply.finish()
  }
}

extension WriteFailure {
  /// The error of the request. That of a batch has one result for each operation, also when there is only
  /// one, so that a client need not tell the cases apart.
  fileprivate func answer(isBatch: Bool) -> RecordError {
    var answer = error
    if !items.isEmpty {
      answer.addResults(items)
    } else if isBatch, error.code.concernsOperation {
      answer = RecordError(
        .batchRequestFailed, "nothing was done, because operation 1 failed: \(error.message)")
      answer.addResults([error])
    }
    return answer
  }
}

extension Request {
  fileprivate var isBatch: Bool { method == Method.modifyRecords.name }
}

extension RecordError.Code {
  /// Whether it is about what was asked for, and not about the store.
  fileprivate var concernsOperation: Bool {
    switch self {
    case .invalidArguments, .unknownItem, .serverRecordChanged, .limitExceeded, .permissionFailure,
      .referenceViolation, .zoneNotFound, .fieldTypeMismatch, .constraintViolation, .assetFileNotFound:
      true
    case .batchRequestFailed, .changeTokenExpired, .quotaExceeded, .serviceUnavailable, .storeBusy,
      .storageFull, .storageReadOnly, .storeDamaged, .storeTooNew, .storeMissing, .internalError:
      false
    }
  }
}

extension RecordError {
  /// Adds `results`: one error for each operation of a request.
  mutating func addResults(_ errors: [RecordError]) {
    var results = JSONWriter()
    results.beginArray()
    for error in errors { results.failedItem(error) }
    results.endArray()
    details.append(Detail(name: "results", json: results.bytes))
  }
}

/// A reply in the making: its head is written, the result goes behind it, so that a stored record is copied
/// once, to where it leaves from.
struct ReplyWriter {
  private let isWanted: Bool
  /// To write exactly one value with.
  var writer: JSONWriter

  private static let head = Array(#""jsonrpc":"2.0","id":"#.utf8)

  /// Without an id there will be no reply.
  init(id: RequestID?) {
    isWanted = id != nil
    writer = JSONWriter(reservingCapacity: 512)
    guard let id else { return }
    writer.beginObject()
    writer.bytes.append(contentsOf: Self.head)
    id.write(to: &writer)
    writer.key("result")
  }

  /// The whole reply; nil for a notification.
  mutating func finish() -> [UInt8]? {
    guard isWanted else { return nil }
    writer.endObject()
    return writer.bytes
  }
}
