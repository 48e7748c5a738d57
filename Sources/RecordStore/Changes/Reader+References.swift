public import Records
internal import SQLite

extension Reader {
  /// Finds records as they were at the commit `sequence`.
  ///
  /// - Throws: `changeTokenExpired` when the log does not reach back to it any more, or the snapshot does not
  ///   reach it yet; its `reason` is `pruned` or `future`.
  public func pastRecords(at sequence: Int64) throws(RecordError) -> PastRecords {
    if let known = knownPast(at: sequence) { return known }
    let explain = file.explain
    let past = try read { (connection, state) throws(SQLiteError) -> Result<PastRecords, RecordError> in
      if let refusal = state.refusal(from: sequence, to: sequence) { return .failure(refusal) }
      return .success(PastRecords(at: sequence, connection, explain: explain))
    }.get()
    keep(past, at: sequence)
    return past
  }

  /// The records that a change set may concern though they did not change: those that refer to a changed one,
  /// over at most so many references. Each as it was at `start` and as it is at the change set's position, which
  /// is the same record unless it changed without standing in the change set. The origin is that of the last
  /// change that it refers to, by the shortest way. The snapshot may be ahead of the change set.
  ///
  /// - Parameters:
  ///   - start: the position from which the change set leads: that before its commit, or its page's `start`.
  ///   - hops: the references that are followed one after another.
  ///   - recordType: of which records must be to be told; nil for any. Others are gone through all the same.
  ///   - limit: records that may be found, those that are only gone through included.
  /// - Throws: `limitExceeded` when there are more; `changeTokenExpired` as ``pastRecords(at:)``.
  public func referrers(
    of changeSet: ChangeSet, since start: Int64, hops: Int, recordType: String?, limit: Int
  ) throws(RecordError) -> [RecordChange] {
    let found = try read { (connection, state) throws(SQLiteError) -> Result<[RecordChange], RecordError> in
      if let refusal = state.refusal(from: start, to: changeSet.sequence) { return .failure(refusal) }
      var search = ReferrerSearch(
        changeSet, since: start, recordType: recordType, limit: limit, connection: connection)
      guard let changes = try search.run(hops: hops) else {
        return .failure(
          .limit(
            "maximumReferrers", limit, actual: limit + 1,
            "too many records refer to what a commit changed"))
      }
      return .success(changes)
    }
    return try found.get()
  }
}

extension StoreState {
  /// Why the past between two positions can't be told; nil when it can.
  fileprivate func refusal(from start: Int64, to end: Int64) -> RecordError? {
    if start < horizon { return .changeTokenExpired(.pruned, fresh: token) }
    return end > lastCommit ? .changeTokenExpired(.future, fresh: token) : nil
  }
}
