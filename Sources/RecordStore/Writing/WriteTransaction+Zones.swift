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
        return .success(.deletedZone(zoneName: operation.zoneName, records: 0))
      }
      return .failure(.zoneNotFound(operation.zoneName))
    }
    let records = try records(inZone: zone)
    let limit = configuration.limits.maximumDeletedRecords
    guard records.count <= limit else {
      return .failure(
        .limit(
          "maximumDeletedRecords", limit, actual: records.count,
          "the zone '\(operation.zoneName)' has too many records to be deleted at once"))
    }
    try beginEpoch(with: commit)
    for id in records {
      guard let row = try row(id), let record = row.record else { continue }
      try delete(row, record, commit: &commit)
    }
    let version = commit.nextVersion
    // A row of its own, so that the deletion of an empty zone is kept, counted and pruned like any change. No
    // record has such a number.
    try log(version: version, record: -zone, replacing: nil, by: commit.caller)
    try mark(zone: zone, deleted: version)
    state.zones[name] = nil
    state.deletedZones[name] = DeletedZone(id: zone, version: version)
    state.schema += 1
    commit.note(deletedZone: operation.zoneName)
    return .success(.deletedZone(zoneName: operation.zoneName, records: records.count))
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

  /// The rows of the records that are in it.
  private func records(inZone zone: Int64) throws(SQLiteError) -> [Int64] {
    var records: [Int64] = []
    let find = try connection.statement(.recordsOfZone)
    find.bind(zone, at: 1)
    while try find.step() { records.append(find.int64(0)) }
    return records
  }
}
