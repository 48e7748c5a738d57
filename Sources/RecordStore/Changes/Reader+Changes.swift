internal import JSONRPC
public import Records
internal import SQLite

extension Reader {
  /// What changed between a token's position and the snapshot: each record once, as it was at the one and as
  /// it is at the other. In pages; the page's token is where the next one goes on, now or at any time later.
  ///
  /// - Parameters:
  ///   - limit: changes of a page, about: the changes of one commit are not divided.
  ///   - maximumBytes: bytes of their records, likewise.
  ///   - maximumRows: changes in the log that the page goes through, likewise; most when it is coalesced from many.
  ///   - isStepwise: each page tells what became of records from one position of the store to a later one, rather
  ///     than from the replay's start to its end; so a record may come again in a later page, and the token is a
  ///     position like any other. A token from within a replay that was not so is gone on from at its start.
  /// - Throws: `changeTokenExpired` when the token is of another store, of a future that a restored copy does
  ///   not have, or older than the kept changes; its details have a fresh token (`changeToken`) and the
  ///   `reason`: `otherStore`, `future`, `restored` or `pruned`.
  public func changes(
    after token: ChangeToken, limit: Int, maximumBytes: Int = 8 << 20, maximumRows: Int = 100_000,
    isStepwise: Bool = false
  ) throws(RecordError) -> ChangesPage {
    let limits = Replay.Limits(changes: limit, bytes: maximumBytes, rows: maximumRows)
    let page = try read { (connection, state) throws(SQLiteError) -> Result<ChangesPage, RecordError> in
      if let reason = try connection.expiry(of: token, state) {
        return .failure(.changeTokenExpired(reason, fresh: state.token))
      }
      let replay = Replay(from: token, inSteps: isStepwise, state: state, connection: connection)
      return .success(isStepwise ? try replay.step(limits) : try replay.page(limits))
    }
    return try page.get()
  }
}

extension Reader {
  /// Whether the record of a replay's change was once, between the replay's ends, what `isFound` says. False where
  /// that is no longer kept.
  public func passed(
    by change: RecordChange, isFound: (StoredRecord) -> Bool
  ) throws(RecordError) -> Bool {
    try read { (connection, _) throws(SQLiteError) in
      for version in change.passedVersions.reversed() {
        if let record = try connection.change(making: Version(rawValue: version))?.replaced, isFound(record) {
          return true
        }
      }
      return false
    }
  }
}

/// Why a token can't be gone on from.
enum TokenExpiry: String {
  case otherStore, future, restored, pruned

  var explanation: String {
    switch self {
    case .otherStore: "the change token is of another store"
    case .future: "the change token is of a position that the store has not reached"
    case .restored:
      "the change token is of a time that was undone when a backup was put back, or before the database was repaired"
    case .pruned: "the changes since the change token are no longer kept"
    }
  }
}

extension Connection {
  /// Nil when the token can be gone on from.
  func expiry(of token: ChangeToken, _ state: StoreState) throws(SQLiteError) -> TokenExpiry? {
    if token.store != state.identity { return .otherStore }
    if token.newest > state.lastCommit { return .future }
    if try epoch(ofCommit: token.newest) != token.epoch { return .restored }
    return token.oldest < state.horizon ? .pruned : nil
  }

  /// The random number of the run that made the commit; 0 before the first.
  func epoch(ofCommit commit: Int64) throws(SQLiteError) -> UInt32 {
    let find = try statement(.epochOfCommit)
    find.bind(commit, at: 1)
    return try find.first { UInt32(truncatingIfNeeded: $0.int64(0)) } ?? 0
  }
}

extension RecordError {
  static func changeTokenExpired(_ reason: TokenExpiry, fresh: ChangeToken) -> RecordError {
    RecordError(
      .changeTokenExpired, "\(reason.explanation): fetch everything anew and go on from the token given here",
      details: [
        Detail(name: "changeToken", json: Array("\"\(fresh.text)\"".utf8)),
        Detail(name: "reason", json: Array("\"\(reason.rawValue)\"".utf8)),
      ])
  }
}
