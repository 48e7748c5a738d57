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

  /// Puts what is known of a field in.
  mutating func adopt(_ field: AdoptedField, ofType name: Name) throws(SQLiteError) {
    guard let type = state.types[name], let valueType = FieldType(name: field.valueType),
      type.fields[Name(field.name)] == nil
    else { return }
    let insert = try connection.database.cached(
      "INSERT INTO field (type, name, valueType, indexes, rules) VALUES (?1, ?2, ?3, ?4, ?5)")
    insert.bind(type.id, at: 1)
    insert.bind(field.name, at: 2)
    insert.bind(valueType.name, at: 3)
    insert.bind(field.indexes, at: 4)
    if let rules = field.rules { insert.bind(rules, at: 5) } else { insert.bindNull(at: 5) }
    try insert.run()
    state.types[name]?.fields[Name(field.name)] = valueType
    let indexing = FieldIndexing(rawValue: field.indexes)
    if !indexing.isEmpty { state.types[name]?.fieldIndexing[Name(field.name)] = indexing }
    state.schema += 1
  }

  /// Whether a record of that name is in any zone.
  func hasRecord(named name: String) throws(SQLiteError) -> Bool {
    let find = try connection.statement(.recordsByName)
    find.bind(name, at: 1)
    return try find.first { _ in true } ?? false
  }
}
