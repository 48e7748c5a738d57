internal import SQLite

/// How old the kept changes are.
///
/// A row of `moment` says when a commit was made; those up to the next row's came within a minute. Clocks go
/// wrong, though, and back: a commit is held to be as young as the latest time that was noted for it or an
/// earlier one, so that a clock that was behind for a while makes nothing seem older than it is. A time that has
/// not come yet is of a clock that was ahead, and says nothing.
extension WriteTransaction {
  /// Milliseconds between two rows.
  private static let interval: Int64 = 60_000

  /// Notes when the transaction's first commit was made, unless that was done for another one just before.
  func noteMoment(_ now: Int64) throws(SQLiteError) {
    guard let first = changeSets.first?.sequence else { return }
    let last = try connection.statement(.lastMoment).first { $0.int64(0) }
    if let last, abs(now.subtractingReportingOverflow(last).partialValue) < Self.interval { return }
    let insert = try connection.statement(.insertMoment)
    insert.bind(first, at: 1)
    insert.bind(now, at: 2)
    try insert.run()
  }

  /// The last commit that is older than what is kept; 0 when there is none. Looks about so many commits further
  /// than what was pruned already.
  func lastOutdatedCommit(_ now: Int64, within commits: Int) throws(SQLiteError) -> Int64 {
    let age = configuration.limits.maximumHistoryAge
    guard age > 0 else { return 0 }
    var outdated: Int64 = 0
    var latest = Int64.min
    var isOutdated = false
    let moments = try connection.statement(.moments)
    defer { moments.reset() }
    while try moments.step() {
      if isOutdated { outdated = moments.int64(0) - 1 }
      guard outdated - state.horizon < Int64(commits) else { return outdated }
      let timestamp = moments.int64(1)
      isOutdated = timestamp <= now && max(latest, timestamp) <= now - age - Self.interval
      guard isOutdated || timestamp > now else { return outdated }
      if isOutdated { latest = max(latest, timestamp) }
    }
    return isOutdated ? state.lastCommit : outdated
  }

  /// Takes out the rows that speak of pruned commits only. The one that stays has the latest of their times.
  func pruneMoments() throws(SQLiteError) {
    let pruned = try connection.statement(.momentsUpTo)
    pruned.bind(state.horizon + 1, at: 1)
    defer { pruned.reset() }
    guard try pruned.step() else { return }
    let last = pruned.int64(0)
    guard try pruned.step() else { return }
    pruned.reset()
    for sql in [SQL.raiseMoment, .removeMoments] {
      let statement = try connection.statement(sql)
      statement.bind(last, at: 1)
      try statement.run()
    }
  }
}
