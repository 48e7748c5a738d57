internal import SQLite

extension WriteTransaction {
  /// Takes the oldest changes out of the log as far as it is longer than it should be, or reaches further back;
  /// a bounded number, so that no commit pays for all.
  mutating func prune() throws(SQLiteError) {
    let limits = configuration.limits
    let now = configuration.clock()
    try noteMoment(now)
    let atMost = max(256, changeSets.reduce(0) { $0 + $1.changes.count } * 2)
    let outdated = try lastOutdatedCommit(now, within: atMost)
    var excess = Int(state.changes) - limits.maximumHistoryChanges
    var excessBytes = state.changeBytes - limits.maximumHistoryBytes
    let hasLeftovers = try hasLeftovers()
    let horizon = state.horizon
    guard excess > 0 || excessBytes > 0 || outdated > state.horizon || hasLeftovers else { return }
    try removeChanges(atMost: atMost) { version, bytes in
      defer {
        excess -= 1
        excessBytes -= bytes
      }
      return excess > 0 || excessBytes > 0 || version.commit <= outdated
        || hasLeftovers && version.commit <= horizon
    }
  }

  /// Whether there are changes that the log was given up with, and that there was no room to remove then.
  private func hasLeftovers() throws(SQLiteError) -> Bool {
    // Where there is still none it must not be needed for removing them.
    guard keepsHistory, state.changes > 0, state.horizon > 0 else { return false }
    let oldest = try connection.statement(.oldestChanges)
    defer { oldest.reset() }
    return try oldest.step() && Version(rawValue: oldest.int64(0)).commit <= state.horizon
  }

  /// Gives up the whole log.
  mutating func pruneAll() throws(SQLiteError) {
    try removeChanges(atMost: .max) { _, _ in true }
    state.horizon = state.lastCommit
  }

  /// Takes changes out from the oldest on, while `isSuperfluous` (given version and bytes) says so and the
  /// count is not reached, then on to the end of the commit: a position is kept whole or not at all.
  private mutating func removeChanges(
    atMost limit: Int, _ isSuperfluous: (Version, Int64) -> Bool
  ) throws(SQLiteError) {
    var removed: [(version: Version, record: Int64, bytes: Int64)] = []
    let oldest = try connection.statement(.oldestChanges)
    while try oldest.step() {
      let version = Version(rawValue: oldest.int64(0))
      let bytes = oldest.int64(2)
      let goesOn = removed.last.map { $0.version.commit == version.commit } ?? false
      guard goesOn || (removed.count < limit && isSuperfluous(version, bytes)) else { break }
      removed.append((version, oldest.int64(1), bytes))
    }
    oldest.reset()
    guard let last = removed.last?.version else { return }
    let tombstone = try connection.statement(.removeTombstone)
    for change in removed {
      tombstone.bind(change.record, at: 1)
      tombstone.bind(change.version.rawValue, at: 2)
      try tombstone.run()
      state.changeBytes -= change.bytes
    }
    let remove = try connection.statement(.removeChanges)
    remove.bind(last.rawValue, at: 1)
    try remove.run()
    try pruneReferences(upTo: last)
    try pruneAssetUses(upTo: last)
    state.changes -= Int64(removed.count)
    state.horizon = max(state.horizon, last.commit)
    try pruneFieldChanges(upTo: .last(ofCommit: state.horizon))
    try pruneMoments()
    try removeForgottenZones()
  }
}
