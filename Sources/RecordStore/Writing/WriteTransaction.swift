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

  private func commit(of request: WriteRequest, checks: ReferenceChecks? = nil) -> Commit {
    Commit(
      number: state.lastCommit + 1, caller: request.caller, timestamp: configuration.clock(), checks: checks)
  }

  private mutating func carryOutOne(
    _ request: WriteRequest
  ) throws(SQLiteError) -> Result<WriteResult, WriteFailure> {
    switch try carryOutAlone(request.operations[0], of: request) {
    case .success(let item):
      return .success(WriteResult(changeToken: state.token, items: [.success(item)]))
    case .failure(let error): return .failure(WriteFailure(error: error, items: []))
    }
  }

  private mutating func carryOutEach(_ request: WriteRequest) throws(SQLiteError) -> WriteResult {
    var items: [Result<ItemResult, RecordError>] = []
    items.reserveCapacity(request.operations.count)
    for operation in request.operations { items.append(try carryOutAlone(operation, of: request)) }
    return WriteResult(changeToken: state.token, items: items)
  }

  /// An operation that is a commit by itself. Most decide about themselves before they write, so that nothing needs
  /// to be undone.
  private mutating func carryOutAlone(
    _ operation: WriteOperation, of request: WriteRequest
  ) throws(SQLiteError) -> Result<ItemResult, RecordError> {
    if operation.isManifold || operation.isDeletion && mayMakeReferencesEqual {
      switch try carryOutTogether([operation], of: request) {
      case .success(let items): return .success(items[0])
      case .failure(let failed): return .failure(failed.error)
      }
    }
    var commit = commit(of: request)
    let item = try apply(operation, in: &commit)
    if case .success = item { finish(commit) }
    return item
  }

  /// Whether taking references out of records may leave two with the same where they must differ.
  private var mayMakeReferencesEqual: Bool {
    state.types.values.contains { type in
      type.rules.contains { $0.value.isUnique && type.fields[$0.key]?.element == .reference }
    }
  }

  private mutating func carryOutAll(
    _ request: WriteRequest
  ) throws(SQLiteError) -> Result<WriteResult, WriteFailure> {
    switch try carryOutTogether(request.operations, of: request) {
    case .success(let items):
      return .success(WriteResult(changeToken: state.token, items: items.map { .success($0) }))
    case .failure(let failed):
      return .failure(WriteFailure(failed.error, at: failed.place, of: request.operations.count))
    }
  }

  /// Why one of several operations failed, and which.
  private struct Failed: Error {
    let place: Int
    let error: RecordError
  }

  /// Operations that are one commit or nothing.
  private mutating func carryOutTogether(
    _ operations: [WriteOperation], of request: WriteRequest
  ) throws(SQLiteError) -> Result<[ItemResult], Failed> {
    let before = state
    let part = try Savepoint(in: connection.database)
    var commit = commit(of: request, checks: ReferenceChecks())
    commit.claims = UniqueClaims()
    let items = try applyAll(operations, in: &commit)
    guard case .success = items else {
      try part.undo()
      state = before
      return items
    }
    try part.keep()
    finish(commit)
    return items
  }

  private mutating func applyAll(
    _ operations: [WriteOperation], in commit: inout Commit
  ) throws(SQLiteError) -> Result<[ItemResult], Failed> {
    var items: [ItemResult] = []
    items.reserveCapacity(operations.count)
    for (place, operation) in operations.enumerated() {
      commit.place = place
      switch try apply(operation, in: &commit) {
      case .success(let item): items.append(item)
      case .failure(let error): return .failure(Failed(place: place, error: error))
      }
      if commit.isTooLong {
        return .failure(
          Failed(place: place, error: RecordError(.limitExceeded, "too many changes in one request")))
      }
    }
    var deletions: [Int: Int] = [:]
    if let violation = try settle(&commit, deletions: &deletions) {
      return .failure(Failed(place: violation.place, error: violation.error))
    }
    if let (place, error) = try refusal(of: commit.claims) {
      return .failure(Failed(place: place, error: error))
    }
    for (place, count) in deletions { items[place].addCascadedDeletions(count) }
    return .success(items)
  }

  private mutating func apply(
    _ operation: WriteOperation, in commit: inout Commit
  ) throws(SQLiteError) -> Result<ItemResult, RecordError> {
    switch operation {
    case .save(let save): try apply(save, in: &commit)
    case .delete(let delete): try apply(delete, in: &commit)
    case .saveRecordType(let draft): try apply(draft, in: &commit)
    case .deleteRecordType(let name): try apply(deleteRecordType: name)
    case .saveZone(let zoneName): try apply(saveZone: zoneName)
    case .deleteZone(let deletion): try apply(deletion, in: &commit)
    case .restore(let restoration): try apply(restoration, in: &commit)
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
