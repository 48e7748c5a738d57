internal import Records
internal import SQLite

/// Another file that is to take the place of the store's.
struct FileReplacement: Sendable {
  let replacement: Replacement
  /// Whether it was made of what there is, which has not changed since (``Writer/suspend(_:)``).
  var isRepair = false
  /// Whether it may also when there are records, or when what there is can't be read.
  let isForced: Bool
  var done: @Sendable (Result<RestoredStore, RecordError>) -> Void = { _ in }
}

extension Writer {
  /// What waited until nobody else has the file open.
  func changeFile() {
    let ready = (suspensions, replacements)
    (suspensions, replacements) = ([], [])
    for done in ready.0 {
      do throws(RecordError) {
        try suspend()
        done(nil)
      } catch {
        done(error)
      }
    }
    for replacement in ready.1 { replaceFile(replacement) }
  }

  /// Puts another file in the place of the store's, once nobody reads from it any more, and goes on with that.
  func replaceFile(_ request: FileReplacement) {
    var isReplaced = false
    let result: Result<RestoredStore, RecordError>
    do throws(RecordError) {
      // The positions of one that was repaired go on from the old one's already.
      let old = request.isRepair ? nil : try stateToReplace(isForced: request.isForced)
      if !request.isRepair { try giveUpFile() }
      noteSuspended(false)
      var kept: String?
      try replacing { () throws(RecordError) in
        kept = try file.replace(with: request.replacement.draft, assets: assetFolder, configuration.clock)
        isReplaced = true
        forgetFile()
        _ = try open()
      }
      var restored = try begin(after: old)
      restored.keptAs = kept
      result = .success(restored)
    } catch {
      result = .failure(error)
    }
    if connection == nil { _ = try? open() }
    // Readers look again, also after a failure.
    deliver(CommitGroup(answers: [], changeSets: [], isOfOtherRecords: isReplaced))
    request.done(result)
  }

  /// Gives the file up, so that nothing changes in it until another takes its place or ``resume()``: writes are refused
  /// meanwhile, reads go on.
  func suspend() throws(RecordError) {
    guard !isSuspended else { throw .storeBeingRepaired }
    keepUses()
    do throws(RecordError) {
      try giveUpFile()
    } catch {
      // What is damaged may not let its log be copied: that is read where it is, and kept.
      guard error.code == .storeDamaged || error.code == .serviceUnavailable else { throw error }
      close()
    }
    noteSuspended(true)
  }

  /// Goes on with the file as it is.
  func resume() {
    noteSuspended(false)
    _ = try? open()
    deliver(CommitGroup(answers: [], changeSets: []))
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
  private func giveUpFile() throws(RecordError) {
    guard let database = connection?.database else { return }
    noteClosing()
    // Readers let go of their snapshots when they hear of it.
    deliver(CommitGroup(answers: [], changeSets: []))
    do {
      try database.checkpoint(.truncate)
    } catch {
      noteOpen()
      throw error.code == .busy ? .storeInUse : file.explain(error)
    }
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

  static let storeBeingRepaired = RecordError(
    .serviceUnavailable, "the database is being repaired; what is saved meanwhile is refused", retryAfter: 1)
  fileprivate static let storeInUse = RecordError(
    .storeBusy, "long queries, or another program, read from the store; nothing was replaced", retryAfter: 5)
}
