internal import Records
internal import SQLite

/// Another file that is to take the place of the store's.
struct FileReplacement: Sendable {
  let replacement: Replacement
  /// Whether it may also when there are records, or when what there is can't be read.
  let isForced: Bool
  let done: @Sendable (Result<RestoredStore, RecordError>) -> Void
}

/// What puts another file in the place of the store's.
enum FileExchange: Sendable {
  case replacement(FileReplacement)
  case repair(FileRepair)

  func refuse(_ error: RecordError) {
    switch self {
    case .replacement(let replacement): replacement.done(.failure(error))
    case .repair(let repair): repair.done(.failure(error))
    }
  }
}

extension Writer {
  func carryOut(_ exchange: FileExchange) {
    switch exchange {
    case .replacement(let replacement): replaceFile(replacement)
    case .repair(let repair): repairFile(repair)
    }
  }

  /// Puts another file in the place of the store's, once nobody reads from it any more, and goes on with that.
  private func replaceFile(_ request: FileReplacement) {
    let result = exchangeFile { () throws(RecordError) in
      (request.replacement.draft, try stateToReplace(isForced: request.isForced))
    }
    request.done(result.map(\.store))
  }

  /// Puts the file that `prepare` gives in the place of the store's, and goes on with that. When it throws, the store
  /// goes on with its own. `prepare` also says what the old one's state was, unless that can't be read.
  func exchangeFile(
    _ prepare: () throws(RecordError) -> (Draft, StoreState?)
  ) -> Result<(store: RestoredStore, keptAs: String?), RecordError> {
    var isReplaced = false
    var kept: String?
    let result: Result<(store: RestoredStore, keptAs: String?), RecordError>
    do throws(RecordError) {
      let (draft, old) = try prepare()
      try giveUpFile(isWhole: old != nil)
      try replacing { () throws(RecordError) in
        kept = try file.replace(with: draft, assets: assetFolder, configuration.clock)
        isReplaced = true
        forgetFile()
        _ = try open()
      }
      result = .success((try begin(after: old), kept))
    } catch {
      result = .failure(error)
    }
    if connection == nil { _ = try? open() }
    // Readers look again, also after a failure.
    deliver(CommitGroup(answers: [], changeSets: [], isOfOtherRecords: isReplaced))
    return result
  }

  /// Nil when it can't be read and need not.
  private func stateToReplace(isForced: Bool) throws(RecordError) -> StoreState? {
    do throws(RecordError) {
      let state = try stateNow()
      guard isForced || state.records == 0 else { throw .wouldReplace(state.records) }
      return state
    } catch {
      let isUnreadable =
        error.code == .storeDamaged || error.code == .storeTooNew || error.code == .storeMissing
      guard isForced, isUnreadable else { throw error }
      return nil
    }
  }

  /// Has everything that was written in the file itself, and nobody use its log.
  ///
  /// - Parameter isWhole: whether a log that can't be copied is a failure.
  private func giveUpFile(isWhole: Bool) throws(RecordError) {
    guard let database = connection?.database else { return }
    noteClosing()
    // Readers let go of their snapshots when they hear of it.
    deliver(CommitGroup(answers: [], changeSets: []))
    do {
      try database.checkpoint(.truncate)
    } catch  where isWhole || error.code == .busy {
      noteOpen()
      throw error.code == .busy ? .storeInUse : file.explain(error)
    } catch {}
    close()
  }

  /// Makes the new file's records this store's.
  private func begin(after old: StoreState?) throws(RecordError) -> RestoredStore {
    advisor.forgetAll()
    indexWork = .unknown
    schemaSeen = -1
    assetPass = AssetPass()
    let state = try stateNow()
    // Positions that the old one reached and this one didn't are never reached again, so that whoever has one is
    // told so.
    try? transact { (work: inout WriteTransaction) throws(SQLiteError) in
      try work.skipCommits(past: old?.lastCommit ?? 0)
    }
    return RestoredStore(changeToken: self.state.token, records: Int(state.records))
  }
}

extension WriteTransaction {
  /// Makes the next position one that is greater than this, of a run of its own.
  fileprivate mutating func skipCommits(past commit: Int64) throws(SQLiteError) {
    let next = Commit(number: state.lastCommit + 1, caller: Caller(userID: 0, connection: 0), timestamp: 0)
    try beginEpoch(with: next)
    state.lastCommit = max(state.lastCommit, commit) + 1
  }
}

extension RecordError {
  fileprivate static func wouldReplace(_ records: Int64) -> RecordError {
    RecordError(
      .constraintViolation, "the database has \(records) records, which would be replaced",
      details: [
        Detail(name: "reason", text: "notEmpty"), Detail(name: "numberOfRecords", number: Int(records)),
      ])
  }

  fileprivate static let storeInUse = RecordError(
    .storeBusy, "long queries, or another program, read from the store; nothing was replaced", retryAfter: 5)
}
