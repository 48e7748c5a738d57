internal import JSONRPC
internal import Records
internal import SQLite

/// Makes a new store of what can still be read of a damaged one, which stays as it is.
///
/// First what the engine can reach, then what stands on pages that it can't. Zones, types, rules and indexes are taken
/// over where they can be read, and otherwise follow from the records. The log of changes is not: change tokens
/// from before are `pruned`.
struct StoreRepair {
  private let old: Connection?
  private let pages: DatabasePages?
  private var work: WriteTransaction
  private var outcome = RepairOutcome()
  private var lastCommit: Int64 = 0
  /// Names of records that are known to be gone, in whatever zone.
  private var deleted: Set<Name> = []

  /// `work` is of a new store, in a transaction.
  private init(from path: String, into work: WriteTransaction) {
    pages = DatabasePages(path: path)
    old = Self.open(path)
    self.work = work
  }

  private static func open(_ path: String) -> Connection? {
    // The log of an empty file would be removed.
    guard let size = Folder.size(of: path), size > 0 else { return nil }
    for access in [Database.Access.readOnly, .immutable] {
      guard let database = try? Database(path: path, access: access, busyTimeout: 1000),
        (try? database.integer("SELECT count(*) FROM sqlite_schema")) != nil
      else { continue }
      try? database.execute(
        "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cell_size_check = ON")
      return Connection(database)
    }
    return nil
  }

  /// Makes the file of a new store beside the old one's, whole and durable. Runs on the caller's thread, for as long as
  /// it takes.
  ///
  /// Throws `storageFull` and the like when the new one can't be made.
  static func run(
    from path: String, to newPath: String, _ configuration: RecordStoreConfiguration
  ) throws(RecordError) -> RepairOutcome {
    let file = StoreFile(
      path: newPath, isDurable: true, busyTimeout: configuration.limits.busyTimeout,
      cacheBytes: configuration.limits.cacheBytes, log: configuration.log)
    let connection = try file.openWriter(identity: configuration.random())
    do {
      let transaction = try Transaction(.immediate, in: connection.database)
      let empty = WriteTransaction(
        connection: connection, configuration: configuration, keepsHistory: false,
        state: try StoreState(reading: connection))
      var repair = StoreRepair(from: path, into: empty)
      let outcome = try repair.fill()
      try transaction.commit()
      try connection.database.checkpoint(.truncate)
      return outcome
    } catch {
      throw file.explain(error)
    }
  }

  private mutating func fill() throws(SQLiteError) -> RepairOutcome {
    try adoptSchema()
    var hasGaps = true
    if let old { hasGaps = try adoptReachable(old) }
    if hasGaps { try adoptUnreachable() }
    if let old, hasGaps { try noteLost(old) }
    try adoptSubscriptions()
    work.state.lastCommit = max(work.state.lastCommit, lastCommit)
    work.state.horizon = work.state.lastCommit
    while try work.advanceIndexes({ true }) {}
    try work.beginEpoch(
      with: Commit(number: work.state.lastCommit, caller: Caller(userID: 0, connection: 0), timestamp: 0))
    try work.state.save(work.connection)
    return outcome
  }

  // MARK: Records

  /// Whether some could not be reached.
  private mutating func adoptReachable(_ old: Connection) throws(SQLiteError) -> Bool {
    var rows = ReadableRows(
      of: old.database, "SELECT id, name, zone, type, version, body FROM record WHERE id >= ?1 ORDER BY id")
    try rows.forEach { (row) throws(SQLiteError) in
      let version = Version(rawValue: row.int64(4))
      if row.isNull(5) { return noteDeleted(row.text(1), version) }
      try adopt(row.bytes(5), named: row.text(1), version)
    }
    return rows.hasGaps
  }

  private mutating func adoptUnreachable() throws(SQLiteError) {
    var found: [(version: Version, name: String, body: [UInt8])] = []
    pages?.forEachRow { _, columns in
      // The form of a row of `record`, whose own number stands for its first column.
      guard columns.count == 6, case .null = columns[0], case .text(let name) = columns[1],
        case .integer = columns[2], case .integer = columns[3], case .integer(let version) = columns[4],
        case .blob(let body) = columns[5]
      else { return }
      found.append((Version(rawValue: version), name, body))
    }
    // Of several versions of one record the newest is kept.
    for row in found.sorted(by: { $0.version > $1.version }) {
      try adopt(row.body, named: row.name, row.version)
    }
  }

  private mutating func noteDeleted(_ name: String, _ version: Version) {
    deleted.insert(Name(name))
    lastCommit = max(lastCommit, version.commit)
  }

  /// Takes a record over, unless it is there already or can't be understood.
  private mutating func adopt(_ body: [UInt8], named name: String, _ version: Version) throws(SQLiteError) {
    guard let json = try? JSON(parsing: body), json.kind == .object else { return }
    let record = StoredRecord(body: json)
    guard record.recordName.hasSameUTF8(as: name), !record.recordType.isEmpty, !record.zoneName.isEmpty else {
      return
    }
    guard try work.adopt(record, version) else { return }
    outcome.records += 1
    lastCommit = max(lastCommit, version.commit)
  }

  /// Names that an index knows of and that no record was found for.
  private mutating func noteLost(_ old: Connection) throws(SQLiteError) {
    // Read from the index of names alone, which may be whole where the records are not.
    let sql = "SELECT name FROM record INDEXED BY sqlite_autoindex_record_1"
    guard let names = try? old.database.prepare(sql) else { return }
    while (try? names.step()) == true {
      let name = names.text(0)
      guard !deleted.contains(Name(name)), try !work.hasRecord(named: name) else { continue }
      outcome.lostCount += 1
      if outcome.lost.count < Self.maximumNames { outcome.lost.append(name) }
    }
  }

  private static let maximumNames = 100

  // MARK: What records are of

  private mutating func adoptSchema() throws(SQLiteError) {
    guard let old else { return }
    guard let zones = try? old.database.prepare("SELECT name FROM zone WHERE deleted IS NULL") else { return }
    while (try? zones.step()) == true { _ = try work.adoptZone(zones.text(0)) }
    var types: [Int64: Name] = [:]
    for type in adoptable(
      old, "SELECT id, name, automaticIndexes FROM type", { ($0.int64(0), $0.text(1), $0.int64(2)) })
    {
      types[type.0] = Name(type.1)
      try work.adoptType(type.1, makesAutomaticIndexes: type.2 != 0)
    }
    let fields = adoptable(old, "SELECT type, name, valueType, indexes, rules FROM field") {
      AdoptedField(
        type: $0.int64(0), name: $0.text(1), valueType: $0.text(2), indexes: $0.int64(3),
        rules: $0.isNull(4) ? nil : $0.text(4))
    }
    for field in fields {
      if let type = types[field.type] { try work.adopt(field, ofType: type) }
    }
    let indexes = adoptable(
      old,
      "SELECT type, keys, kind, origin, isListed FROM declaredIndex WHERE isDropped = 0 AND origin <> 'type'"
    ) { ($0.int64(0), $0.text(1), $0.text(2), $0.text(3), $0.int64(4)) }
    for (type, keys, kind, origin, isListed) in indexes {
      guard let type = types[type], let parts = [IndexPart](keys: keys),
        let kind = DeclaredIndex.Kind(rawValue: kind),
        let origin = DeclaredIndex.Origin(rawValue: origin)
      else { continue }
      try work.addIndex(
        IndexShape(kind: kind, parts: parts), origin: origin, isListed: isListed != 0, toType: type)
    }
  }

  /// The rows that can be read.
  private func adoptable<Row>(_ old: Connection, _ sql: String, _ read: (Statement) -> Row) -> [Row] {
    guard let rows = try? old.database.prepare(sql) else { return [] }
    var found: [Row] = []
    while (try? rows.step()) == true { found.append(read(rows)) }
    return found
  }

  /// Their positions are of the old store: whoever attaches begins anew.
  private mutating func adoptSubscriptions() throws(SQLiteError) {
    guard let old else { return }
    let saved = adoptable(old, "SELECT user, id, definition, position FROM subscription") {
      ($0.int64(0), $0.text(1), $0.text(2), $0.text(3))
    }
    for (user, id, definition, position) in saved {
      let put = try work.connection.statement(.putSubscription)
      put.bind(user, at: 1)
      put.bind(id, at: 2)
      put.bind(definition, at: 3)
      put.bind(position, at: 4)
      try put.run()
    }
  }
}

/// What came of making a store of a damaged one.
public struct RepairOutcome: Sendable {
  /// How many were taken over.
  public internal(set) var records = 0
  /// Names of which no more could be read: the first hundred. Some may be of records that were deleted.
  public internal(set) var lost: [String] = []
  /// How many names those are.
  public internal(set) var lostCount = 0
}

/// A row of `field`.
struct AdoptedField {
  let type: Int64
  let name: String
  let valueType: String
  let indexes: Int64
  let rules: String?
}
