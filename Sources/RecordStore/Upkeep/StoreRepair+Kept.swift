internal import JSONRPC
internal import Records
internal import SQLite

/// What a store keeps besides records.
extension StoreRepair {
  /// Their positions are of the old store: whoever attaches begins anew.
  mutating func adoptSubscriptions() throws(SQLiteError) {
    let found = old.all(
      "SELECT user, id, definition, position FROM subscription", { AdoptedSubscription($0) },
      onPages: { $0.subscriptions })
    for saved in found.values {
      let put = try work.connection.statement(.putSubscription)
      put.bind(saved.user, at: 1)
      put.bind(saved.id, at: 2)
      put.bind(saved.definition, at: 3)
      put.bind(saved.position, at: 4)
      try put.run()
    }
    report[.subscriptions] = .init(kept: try count("subscription"), lost: nil, isWhole: found.isWhole)
  }

  /// So that nothing that was done before is done again.
  mutating func adoptAnswers() throws(SQLiteError) {
    let found = old.all(
      "SELECT user, key, digest, timestamp, result FROM idempotency", { AdoptedAnswer($0) },
      onPages: { $0.answers })
    for answer in found.values {
      let put = try work.connection.statement(.putAnswer)
      put.bind(answer.user, at: 1)
      put.bind(answer.key, at: 2)
      put.bind(answer.digest, at: 3)
      put.bind(answer.timestamp, at: 4)
      put.bind(answer.result, at: 5)
      put.bind(Int64(answer.result.count), at: 6)
      try put.run()
    }
    report[.idempotencyKeys] = .init(kept: try count("idempotency"), lost: nil, isWhole: found.isWhole)
  }

  /// Those of records are there already.
  mutating func adoptAssets() throws(SQLiteError) {
    let found = old.all("SELECT checksum, size, added FROM asset", { AdoptedAsset($0) }, onPages: { _ in [] })
    for asset in found.values {
      let put = try work.connection.database.cached(
        "INSERT INTO asset (checksum, size, added) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")
      put.bind(asset.asset.checksum, at: 1)
      put.bind(asset.asset.size, at: 2)
      put.bind(min(asset.added, work.configuration.clock()), at: 3)
      try put.run()
    }
    report[.assets] = .init(kept: try count("asset"), lost: nil, isWhole: found.isWhole)
  }

  private func count(_ table: String) throws(SQLiteError) -> Int {
    Int(try work.connection.database.integer("SELECT count(*) FROM \(table)") ?? 0)
  }

  // MARK: Deleted records

  /// Deletes records that were deleted once more, each as one of its own time and with those that went with it, so that
  /// they can still be brought back.
  mutating func adoptDeleted() throws(SQLiteError) {
    var rows: [Int64: Int64] = [:]
    var commit: Commit?
    var former: Int64 = -1
    let isWhole = try forEachDeletion { (repair, deletion) throws(SQLiteError) in
      guard let json = try? JSON(parsing: deletion.body), json.kind == .object else { return }
      let record = StoredRecord(body: json)
      if commit == nil || deletion.version.commit != former || commit?.isTooLong == true {
        former = deletion.version.commit
        rows = [:]
        commit = Commit(
          number: repair.work.state.lastCommit + 1,
          caller: Caller(userID: UInt32(truncatingIfNeeded: deletion.user), connection: 0),
          timestamp: deletion.time)
      }
      guard var current = commit else { return }
      let cause = deletion.cause.flatMap { rows[$0] }
      guard let row = try repair.work.adopt(deleted: record, because: cause, in: &current) else { return }
      rows[deletion.row] = row
      commit = current
      repair.work.state.lastCommit = current.number
      repair.report[.deletedRecords].kept += 1
    }
    report[.deletedRecords].isWhole = isWhole
  }

  /// In the order in which they were made. False when not all can be read.
  private mutating func forEachDeletion(
    _ body: (inout StoreRepair, AdoptedDeletion) throws(SQLiteError) -> Void
  ) throws(SQLiteError) -> Bool {
    if let connection = old.connection {
      var rows = ReadableRows(
        of: connection.database,
        """
        SELECT version, record, user, body, cause, deleted FROM change
        WHERE version >= ?1 AND deleted IS NOT NULL AND body IS NOT NULL ORDER BY version
        """)
      try rows.forEach { (row) throws(SQLiteError) in try body(&self, AdoptedDeletion(row)) }
      if !rows.hasGaps { return true }
    }
    for found in old.rows.deletions {
      if let deletion = old.row(at: found.place).flatMap({ AdoptedDeletion($0) }) {
        try body(&self, deletion)
      }
    }
    return false
  }
}
