internal import JSONRPC
internal import Records
internal import SQLite

/// What the writer knows of its store without reading: a value, so that a rolled back transaction takes its
/// changes back with it.
struct StoreState {
  var identity: UInt64 = 0
  var lastCommit: Int64 = 0
  /// Changes up to this commit are no longer kept.
  var horizon: Int64 = 0
  var records: Int64 = 0
  var recordBytes: Int64 = 0
  var changes: Int64 = 0
  var changeBytes: Int64 = 0
  /// Those that are there.
  var zones: [Name: Int64] = [:]
  /// Those whose deletion is kept in the log.
  var deletedZones: [Name: DeletedZone] = [:]
  var types: [Name: RecordType] = [:]
  /// Indexes of which only the entries are still there.
  var droppedIndexes: [Int64] = []
  /// Grows when zones, types, fields or indexes are added, so that readers know when to read them again.
  var schema: Int64 = 0
  /// By how many records each type has grown since the last `save`.
  var growth: [Int64: Int64] = [:]
  /// The same of indexes.
  var indexGrowth: [Int64: IndexSize] = [:]
  /// Of requests with an idempotency key; nil when they were not counted.
  var answers: KeptAnswers?
  /// The random number of the run that made `lastCommit`.
  var epoch: UInt32 = 0
  /// Whether that run is this one.
  var isOwnEpoch = false

  /// A position reached by this store's last commit or an earlier one of the same run.
  func token(at sequence: Int64) -> ChangeToken {
    ChangeToken(store: identity, epoch: epoch, sequence: sequence)
  }

  /// The position of the last commit.
  var token: ChangeToken { token(at: lastCommit) }
}

/// A zone that is not there any more. Should it be made anew, it is the same again.
struct DeletedZone {
  let id: Int64
  /// Of its deletion.
  let version: Version
}

/// What is known of a record type.
struct RecordType {
  let id: Int64
  var fields: [Name: FieldType] = [:]
  /// What is declared of fields, where anything is.
  var fieldIndexing: [Name: FieldIndexing] = [:]
  /// The rules of fields that have any: of most types none has.
  var rules: [Name: FieldRules] = [:]
  /// The first is the one without keys.
  var indexes: [DeclaredIndex] = []
  /// Whether it may get indexes by itself.
  var makesAutomaticIndexes = true
}

/// How much there is in an index, or by how much it grew.
struct IndexSize {
  var entries: Int64 = 0
  /// Of the entries' blobs.
  var bytes: Int64 = 0

  static func += (size: inout IndexSize, growth: IndexSize) {
    size.entries += growth.entries
    size.bytes += growth.bytes
  }
}

extension StoreState {
  /// Reads it; within the caller's transaction. What is of the same schema is taken from `known`.
  init(reading connection: Connection, schemaFrom known: StoreState? = nil) throws(SQLiteError) {
    self.init()
    try readStore(connection)
    let epochOfCommit = try connection.statement(.epochOfCommit)
    epochOfCommit.bind(lastCommit, at: 1)
    epoch = try epochOfCommit.first { UInt32(truncatingIfNeeded: $0.int64(0)) } ?? 0
    if let known, known.schema == schema {
      zones = known.zones
      deletedZones = known.deletedZones
      types = known.types
      droppedIndexes = known.droppedIndexes
    } else {
      try readSchema(connection)
    }
  }

  private mutating func readStore(_ connection: Connection) throws(SQLiteError) {
    let store = try connection.statement(.store)
    guard try store.step() else { throw SQLiteError(damage: "no row in store") }
    defer { store.reset() }
    identity = UInt64(bitPattern: store.int64(0))
    lastCommit = store.int64(1)
    horizon = store.int64(2)
    records = store.int64(3)
    recordBytes = store.int64(4)
    changes = store.int64(5)
    changeBytes = store.int64(6)
    schema = store.int64(7)
  }

  /// Zones, types, fields and indexes.
  private mutating func readSchema(_ connection: Connection) throws(SQLiteError) {
    let zone = try connection.statement(.zones)
    while try zone.step() {
      let name = Name(zone.text(1))
      if let deleted = zone.optionalInt64(2) {
        deletedZones[name] = DeletedZone(id: zone.int64(0), version: Version(rawValue: deleted))
      } else {
        zones[name] = zone.int64(0)
      }
    }
    var byID: [Int64: RecordType] = [:]
    var names: [Int64: Name] = [:]
    let type = try connection.statement(.types)
    while try type.step() {
      byID[type.int64(0)] = RecordType(id: type.int64(0), makesAutomaticIndexes: type.int64(2) != 0)
      names[type.int64(0)] = Name(type.text(1))
    }
    let field = try connection.statement(.fields)
    while try field.step() {
      guard let valueType = FieldType(name: field.text(2)) else { continue }
      let name = Name(field.text(1))
      byID[field.int64(0)]?.fields[name] = valueType
      let indexing = FieldIndexing(rawValue: field.int64(3))
      if !indexing.isEmpty { byID[field.int64(0)]?.fieldIndexing[name] = indexing }
      guard !field.isNull(4), let json = try? JSON(parsing: field.text(4)) else { continue }
      byID[field.int64(0)]?.rules[name] = FieldRules(stored: json, type: valueType)
    }
    let index = try connection.statement(.indexes)
    while try index.step() {
      guard let declared = DeclaredIndex(row: index) else { continue }
      byID[index.int64(1)]?.indexes.append(declared)
    }
    let dropped = try connection.statement(.droppedIndexes)
    while try dropped.step() { droppedIndexes.append(dropped.int64(0)) }
    for (id, type) in byID {
      // Without it, records that are there would not be found.
      guard type.indexes.contains(where: { $0.origin == .type }) else {
        throw SQLiteError(damage: "type \(id) has no index")
      }
      if let name = names[id] { types[name] = type }
    }
  }

  /// Writes what changes with a commit; within the caller's transaction.
  mutating func save(_ connection: Connection) throws(SQLiteError) {
    let store = try connection.statement(.updateStore)
    let values = [lastCommit, horizon, records, recordBytes, changes, changeBytes, schema]
    for (offset, value) in values.enumerated() { store.bind(value, at: Int32(offset + 1)) }
    try store.run()
    for (type, difference) in growth where difference != 0 {
      let update = try connection.statement(.growType)
      update.bind(type, at: 1)
      update.bind(difference, at: 2)
      try update.run()
    }
    growth = [:]
    for (index, size) in indexGrowth {
      let update = try connection.statement(.growIndex)
      update.bind(index, at: 1)
      update.bind(size.entries, at: 2)
      update.bind(size.bytes, at: 3)
      try update.run()
    }
    indexGrowth = [:]
  }
}

extension DeclaredIndex {
  /// Nil when a later program made it in a form that this one doesn't know.
  fileprivate init?(row: Statement) {
    guard let parts = [IndexPart](keys: row.text(2)), let kind = Kind(rawValue: row.text(3)),
      let origin = Origin(rawValue: row.text(4))
    else { return nil }
    self.init(
      id: row.int64(0), parts: parts, kind: kind, origin: origin, isListed: row.int64(5) != 0,
      reached: row.optionalInt64(6), collator: row.isNull(7) ? nil : row.text(7))
  }
}

extension SQLiteError {
  /// The file is readable and does not hold what it must.
  init(damage: String) {
    self.init(extendedCode: 11, message: damage)  // SQLITE_CORRUPT
  }
}
