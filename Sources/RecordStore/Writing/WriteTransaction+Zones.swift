internal import Records
internal import SQLite

extension WriteTransaction {
  /// Makes a zone, if it is not there. Changes no record, so the store's position stays.
  mutating func apply(saveZone zoneName: String) throws(SQLiteError) -> Result<ItemResult, RecordError> {
    let name = Name(zoneName)
    if state.zones[name] != nil { return .success(.savedZone(zoneName: zoneName)) }
    let limit = configuration.limits.maximumZones
    guard state.zones.count < limit else {
      return .failure(
        .limit("maximumZones", limit, actual: state.zones.count, "there are too many zones"))
    }
    if let deleted = state.deletedZones.removeValue(forKey: name) {
      try mark(zone: deleted.id, deleted: nil)
      state.zones[name] = deleted.id
    } else {
      let insert = try connection.statement(.insertZone)
      insert.bind(zoneName, at: 1)
      try insert.run()
      state.zones[name] = connection.database.lastInsertedRow
    }
    state.schema += 1
    return .success(.savedZone(zoneName: zoneName))
  }

  /// Deletes a zone and every record in it. A refusal is decided before anything is written.
  mutating func apply(
    _ operation: DeleteZoneOperation, in commit: inout Commit
  ) throws(SQLiteError) -> Result<ItemResult, RecordError> {
    let name = Name(operation.zoneName)
    if operation.zoneName.hasSameUTF8(as: Identifier.defaultZone) {
      return .failure(
        RecordError(.invalidArguments, "the zone '\(Identifier.defaultZone)' can't be deleted"))
    }
    guard let zone = state.zones[name] else {
      if operation.ignoresMissing {
        return .success(
          .deletedZone(zoneName: operation.zoneName, records: 0, cascadedDeletions: 0))
      }
      return .failure(.zoneNotFound(operation.zoneName))
    }
    let records = try records(inZone: zone, named: operation.zoneName)
    let limit = configuration.limits.maximumDeletedRecords
    guard records.count <= limit else {
      return .failure(
        .limit(
          "maximumDeletedRecords", limit, actual: records.count,
          "the zone '\(operation.zoneName)' has too many records to be deleted at once"))
    }
    let cascade: Cascade
    switch try connection.hasActingReferences() ? self.cascade(records, in: commit) : .success(records) {
    case .success(let known): cascade = known
    case .failure(let error): return .failure(error)
    }
    try beginEpoch(with: commit)
    try carryOut(cascade, in: &commit)
    let version = commit.nextVersion
    // A row of its own, so that the deletion of an empty zone is kept, counted and pruned like any change. No
    // record has such a number.
    try log(commit, record: -zone, replacing: nil)
    try mark(zone: zone, deleted: version)
    state.zones[name] = nil
    state.deletedZones[name] = DeletedZone(id: zone, version: version)
    state.schema += 1
    commit.note(deletedZone: operation.zoneName)
    return .success(
      .deletedZone(
        zoneName: operation.zoneName, records: records.count,
        cascadedDeletions: cascade.deletions.count - records.count))
  }

  /// Takes out the rows of zones whose deletion is no longer kept; nothing refers to them then, since every
  /// record in them was deleted no later.
  mutating func removeForgottenZones() throws(SQLiteError) {
    let limit = Version.last(ofCommit: state.horizon)
    for (name, zone) in state.deletedZones where zone.version <= limit {
      let remove = try connection.statement(.removeZone)
      remove.bind(zone.id, at: 1)
      try remove.run()
      state.deletedZones[name] = nil
      state.schema += 1
    }
  }

  private func mark(zone: Int64, deleted version: Version?) throws(SQLiteError) {
    let update = try connection.statement(.updateZone)
    update.bind(zone, at: 1)
    update.bind(version?.rawValue, at: 2)
    try update.run()
  }

  /// The records that are in it, as those to be deleted.
  private func records(inZone zone: Int64, named zoneName: String) throws(SQLiteError) -> Cascade {
    var records = Cascade()
    let find = try connection.statement(.recordsOfZone)
    find.bind(zone, at: 1)
    while try find.step() {
      records.delete(find.int64(0), RecordPlace(recordName: find.text(1), zoneName: zoneName))
    }
    return records
  }
}
