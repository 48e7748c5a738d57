internal import JSONRPC
internal import Records
internal import SQLite

/// Taking over what another store had, as it was there.
extension WriteTransaction {
  /// Puts a record in; false when one of its name is there.
  mutating func adopt(_ record: StoredRecord, _ version: Version) throws(SQLiteError) -> Bool {
    let zone = try adoptZone(record.zoneName)
    guard try row(named: record.recordName, in: zone) == nil else { return false }
    let fields = record.fields.map { RecordBody.Field(name: $0.name, value: $0.value) }
    let type = try registerType(record.recordType, fields: fields)
    let bytes = record.body.bytes
    let id = try insert(name: record.recordName, zone: zone, type: type.id, version: version, body: bytes)
    try index(id, as: type, from: nil, to: record)
    try refer(id, as: type, from: nil, to: record, version)
    try adoptAssets(of: record)
    state.records += 1
    state.growth[type.id, default: 0] += 1
    state.recordBytes += Int64(bytes.count)
    return true
  }

  /// The zone of that name, made where it is not there.
  mutating func adoptZone(_ zoneName: String) throws(SQLiteError) -> Int64 {
    let name = Name(zoneName)
    if let zone = state.zones[name] { return zone }
    let insert = try connection.statement(.insertZone)
    insert.bind(zoneName, at: 1)
    try insert.run()
    let zone = connection.database.lastInsertedRow
    state.zones[name] = zone
    state.schema += 1
    return zone
  }

  mutating func adoptType(_ typeName: String, makesAutomaticIndexes: Bool) throws(SQLiteError) {
    let name = Name(typeName)
    guard state.types[name] == nil else { return }
    var type = try makeType(typeName)
    if !makesAutomaticIndexes {
      let update = try connection.statement(.updateType)
      update.bind(type.id, at: 1)
      update.bind(0, at: 2)
      try update.run()
      type.makesAutomaticIndexes = false
    }
    state.types[name] = type
    state.schema += 1
  }

  /// Puts what is known of a field in; false when records have another type of value there.
  mutating func adopt(_ field: AdoptedField, ofType name: Name) throws(SQLiteError) -> Bool {
    guard let type = state.types[name] else { return true }
    let fieldName = Name(field.name)
    if let known = type.fields[fieldName] {
      guard known == field.valueType else { return false }
      // What was read first is newer.
      if type.fieldIndexing[fieldName] != nil || type.rules[fieldName] != nil { return true }
    } else {
      try insertField(field.name, field.valueType, type: type.id)
      state.types[name]?.fields[fieldName] = field.valueType
    }
    if !field.indexing.isEmpty {
      try write(field.indexing, of: fieldName, type: type.id)
      state.types[name]?.fieldIndexing[fieldName] = field.indexing
    }
    if let rules = field.rules, !rules.isEmpty {
      try write(rules, of: fieldName, type: type.id)
      state.types[name]?.rules[fieldName] = rules
    }
    state.schema += 1
    return true
  }

  func hasIndex(_ shape: IndexShape, ofType name: Name) -> Bool {
    state.types[name]?.indexes.contains { $0.shape == shape && $0.origin != .type } ?? false
  }

  /// Whether a record of that name is in the zone, or in any.
  func hasRecord(named name: String, inZone zoneName: String?) throws(SQLiteError) -> Bool {
    if let zoneName {
      guard let zone = state.zones[Name(zoneName)] else { return false }
      return try row(named: name, in: zone)?.record != nil
    }
    let find = try connection.statement(.recordsByName)
    find.bind(name, at: 1)
    return try find.first { _ in true } ?? false
  }

  /// Puts a record in as one that was deleted by the commit, and gives its row; nil where a record of its name is, or
  /// its zone is not.
  mutating func adopt(
    deleted record: StoredRecord, because cause: Int64?, in commit: inout Commit
  ) throws(SQLiteError) -> Int64? {
    guard let zone = state.zones[Name(record.zoneName)], !record.recordName.isEmpty,
      let version = RecordTag.version(in: record.recordChangeTag), version.commit < state.lastCommit
    else { return nil }
    let fields = record.fields.map { RecordBody.Field(name: $0.name, value: $0.value) }
    let type = try registerType(record.recordType, fields: fields)
    let id: Int64
    if let row = try row(named: record.recordName, in: zone) {
      // One that was deleted more than once: what comes later counts.
      guard row.record == nil else { return nil }
      id = row.id
    } else {
      id = try insert(
        name: record.recordName, zone: zone, type: type.id, version: version, body: record.body.bytes)
    }
    let deletion = commit.nextVersion
    try log(
      commit, record: id, replacing: RecordRow(id: id, type: type.id, version: version, record: record),
      because: cause.map { Cascade.Cause(id: $0, place: record.place) }, isDeletion: true)
    try update(id, type: type.id, version: deletion, body: nil)
    try refer(id, as: type, from: nil, to: record, deletion)
    try adoptAssets(of: record)
    try refer(id, as: type, from: record, to: nil, deletion)
    commit.note(record: id, from: record, to: nil, because: nil)
    return id
  }
}
