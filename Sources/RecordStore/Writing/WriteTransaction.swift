internal import Records
internal import SQLite

/// Carries out requests inside a transaction that is open on the connection.
///
/// A value: when the transaction is rolled back it is dropped, and with it everything it knows.
struct WriteTransaction {
  let connection: Connection
  let configuration: RecordStoreConfiguration
  /// Whether previous versions are kept. Without, the horizon moves to the last commit.
  let keepsHistory: Bool
  var state: StoreState
  var changeSets: [ChangeSet] = []
  /// Whether something was done at indexes that no client asked for.
  var hasIndexWork = false
  /// Whether a saved subscription is another one, or elsewhere.
  var changesSubscriptions = false
  /// Whether an answer was kept.
  var keepsAnswers = false
  /// Whether an asset came or went.
  var changesAssets = false

  /// Throws only what makes the whole transaction void; everything else is in the result.
  mutating func carryOut(
    _ request: WriteRequest
  ) throws(SQLiteError) -> Result<WriteResult, WriteFailure> {
    if request.operations.count > Version.maximumOrdinal {
      return .failure(WriteFailure(error: RecordError(.limitExceeded, "too many operations"), items: []))
    }
    guard request.isAtomic else { return .success(try carryOutEach(request)) }
    if request.operations.count == 1 { return try carryOutOne(request) }
    return try carryOutAll(request)
  }

  private func commit(of request: WriteRequest) -> Commit {
    Commit(number: state.lastCommit + 1, caller: request.caller, timestamp: configuration.clock())
  }

  /// One operation decides about itself before it writes, so nothing needs to be undone.
  private mutating func carryOutOne(
    _ request: WriteRequest
  ) throws(SQLiteError) -> Result<WriteResult, WriteFailure> {
    var commit = commit(of: request)
    switch try apply(request.operations[0], in: &commit) {
    case .success(let item):
      finish(commit)
      return .success(WriteResult(changeToken: state.token, items: [.success(item)]))
    case .failure(let error): return .failure(WriteFailure(error: error, items: []))
    }
  }

  private mutating func carryOutEach(_ request: WriteRequest) throws(SQLiteError) -> WriteResult {
    var items: [Result<ItemResult, RecordError>] = []
    items.reserveCapacity(request.operations.count)
    for operation in request.operations {
      var commit = commit(of: request)
      items.append(try apply(operation, in: &commit))
      finish(commit)
    }
    return WriteResult(changeToken: state.token, items: items)
  }

  private mutating func carryOutAll(
    _ request: WriteRequest
  ) throws(SQLiteError) -> Result<WriteResult, WriteFailure> {
    let before = state
    let part = try Savepoint(in: connection.database)
    var commit = commit(of: request)
    var items: [Result<ItemResult, RecordError>] = []
    items.reserveCapacity(request.operations.count)
    for (place, operation) in request.operations.enumerated() {
      let item = try apply(operation, in: &commit)
      if case .failure(let error) = item {
        try part.undo()
        state = before
        return .failure(WriteFailure(error, at: place, of: request.operations.count))
      }
      items.append(item)
    }
    try part.keep()
    finish(commit)
    return .success(WriteResult(changeToken: state.token, items: items))
  }

  private mutating func apply(
    _ operation: WriteOperation, in commit: inout Commit
  ) throws(SQLiteError) -> Result<ItemResult, RecordError> {
    switch operation {
    case .save(let save): try apply(save, in: &commit)
    case .delete(let delete): try apply(delete, in: &commit)
    case .saveRecordType(let draft): try apply(draft)
    case .saveZone(let zoneName): try apply(saveZone: zoneName)
    case .deleteZone(let deletion): try apply(deletion, in: &commit)
    case .saveSubscription(let subscription): try apply(subscription, by: commit.caller)
    case .deleteSubscription(let deletion): try apply(deletion, by: commit.caller)
    case .saveAsset(let held): try apply(saveAsset: held)
    case .acknowledge(let acknowledgement): try apply(acknowledgement, by: commit.caller)
    }
  }

  private mutating func finish(_ commit: Commit) {
    guard !commit.isEmpty else { return }
    state.lastCommit = commit.number
    if !keepsHistory { state.horizon = commit.number }
    changeSets.append(
      ChangeSet(
        sequence: commit.number, changeToken: state.token, changes: commit.changes.changeList,
        deletedZones: commit.deletedZones.filter { state.zones[Name($0)] == nil }, origin: commit.caller))
  }
}

extension WriteFailure {
  /// The failure of one operation of an atomic request.
  init(_ cause: RecordError, at place: Int, of count: Int) {
    let other = RecordError(
      .batchRequestFailed, "not done, because operation \(place + 1) of the same request failed")
    var items = Array(repeating: other, count: count)
    items[place] = cause
    self.init(
      error: RecordError(
        .batchRequestFailed, "nothing was done, because operation \(place + 1) failed: \(cause.message)",
        retryAfter: cause.retryAfter),
      items: items)
  }
}
