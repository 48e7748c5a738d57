internal import JSONRPC
internal import Records
internal import SQLite

/// Makes a new store of what can still be read of a damaged one, which stays as it is.
///
/// First what the engine can reach, then what stands on pages that it can't. What the records say counts: zones, types
/// and fields follow from them where they can't be read, and what contradicts them is dropped. Former versions are not
/// taken over; deleted records are, as deletions of now. Positions go on from the old store's, in a run of their own, so
/// that change tokens from before are `restored`.
struct StoreRepair {
  let old: DamagedStore
  var work: WriteTransaction
  var report = RepairReport()
  /// Names of zones by their number in the old store.
  var zones: [Int64: String] = [:]
  /// The same of types.
  var types: [Int64: Name] = [:]
  private var position: AdoptedPosition?
  private var lastCommit: Int64 = 0
  /// Records that are known to be gone, and since which version.
  private var deleted: [RecordPlace: Version] = [:]
  /// Rows whose name is another than their record's: that may be one that is there.
  private var misnamed: [(body: [UInt8], version: Version)] = []
  private var dropped = 0

  /// Gaps that no position of the old store can lie in, where it isn't known how far that was.
  private static let commitsSkipped: Int64 = 1 << 20

  /// `work` is of a new store, in a transaction.
  init(of old: DamagedStore, position: AdoptedPosition?, into work: WriteTransaction) {
    self.old = old
    self.position = position
    self.work = work
  }

  /// Fills the new store.
  mutating func run() throws(SQLiteError) -> RepairReport {
    try adoptZones()
    try adoptTypes()
    var isWhole = false
    if let connection = old.connection { isWhole = try adoptReachable(connection) }
    if !isWhole { try adoptUnreachable() }
    for row in misnamed { try adopt(row.body, row.version) }
    report[.records].isWhole = isWhole && dropped == 0
    if !report[.records].isWhole { try noteLost() }
    try adoptFields()
    try adoptIndexes()
    try adoptRules()
    try adoptSubscriptions()
    try adoptAnswers()
    try adoptAssets()
    try setPosition()
    try adoptDeleted()
    try work.state.save(work.connection)
    return report
  }

  /// Everything before is of positions of the old store, everything after of new ones.
  private mutating func setPosition() throws(SQLiteError) {
    let known = position?.lastCommit ?? lastCommit + Self.commitsSkipped
    let commit = max(known, lastCommit) + 1
    work.state.lastCommit = commit
    work.state.horizon = commit
    try work.beginEpoch(
      with: Commit(number: commit, caller: Caller(userID: 0, connection: 0), timestamp: 0))
    work.state.isOwnEpoch = true
  }

  // MARK: Records

  /// Whether all could be reached.
  private mutating func adoptReachable(_ connection: Connection) throws(SQLiteError) -> Bool {
    var rows = ReadableRows(
      of: connection.database,
      "SELECT id, name, zone, version, body FROM record WHERE id >= ?1 ORDER BY id")
    try rows.forEach { (row) throws(SQLiteError) in
      let version = Version(rawValue: row.int64(3))
      if row.isNull(4) { return noteDeleted(row.text(1), zone: row.int64(2), version) }
      try adopt(row.bytes(4), named: row.text(1), version)
    }
    return !rows.hasGaps
  }

  /// What stands on pages may be of any time: of several states of one record the newest counts.
  private mutating func adoptUnreachable() throws(SQLiteError) {
    for row in old.rows.records.sorted(by: { $0.version > $1.version }) {
      guard let place = row.body else {
        noteDeleted(row.name, zone: row.zone, row.version)
        continue
      }
      if let zone = zones[row.zone],
        let since = deleted[RecordPlace(recordName: row.name, zoneName: zone)], since > row.version
      {
        continue
      }
      guard case .blob(let body)? = old.row(at: place)?.columns.last else { continue }
      try adopt(body, named: row.name, row.version)
    }
  }

  private mutating func noteDeleted(_ name: String, zone: Int64, _ version: Version) {
    guard isPossible(version) else { return }
    lastCommit = max(lastCommit, version.commit)
    guard let zone = zones[zone] else { return }
    let place = RecordPlace(recordName: name, zoneName: zone)
    deleted[place] = max(deleted[place] ?? version, version)
  }

  private func isPossible(_ version: Version) -> Bool { (0..<1 << 42).contains(version.commit) }

  private mutating func adopt(_ body: [UInt8], named name: String, _ version: Version) throws(SQLiteError) {
    guard let json = try? JSON(parsing: body), json.kind == .object else {
      dropped += 1
      return report.note("a record was dropped: its text can't be understood")
    }
    guard StoredRecord(body: json).recordName.hasSameUTF8(as: name) else {
      dropped += 1
      return misnamed.append((body, version))
    }
    try adopt(body, version)
  }

  /// Takes a record over, unless it is there already or can't be understood. Its tag says of which version it is.
  private mutating func adopt(_ bytes: [UInt8], _ version: Version) throws(SQLiteError) {
    guard let json = try? JSON(parsing: bytes), json.kind == .object else { return }
    var record = StoredRecord(body: json)
    guard !record.recordName.isEmpty, !record.recordType.isEmpty, !record.zoneName.isEmpty else {
      dropped += 1
      return report.note("a record was dropped: its text has no name, type or zone")
    }
    var version = version
    if let tagged = RecordTag.version(in: record.recordChangeTag), isPossible(tagged) {
      version = tagged
    } else {
      guard isPossible(version) else { return }
      var body = RecordBody(record)
      body.recordChangeTag = RecordTag.text(of: version, epoch: 0)
      record = body.stored()
    }
    try withoutContradictions(&record)
    guard try work.adopt(record, version) else { return }
    report[.records].kept += 1
    lastCommit = max(lastCommit, version.commit)
  }

  /// Takes out values of other types than other records have in the same field.
  private mutating func withoutContradictions(_ record: inout StoredRecord) throws(SQLiteError) {
    guard let known = work.state.types[Name(record.recordType)]?.fields else { return }
    let fields = record.fields
    let wrong = fields.filter { field in
      guard let type = field.value.type, let expected = known[Name(field.name)] else { return false }
      return type != expected
    }
    guard !wrong.isEmpty else { return }
    for field in wrong {
      report.note(
        "the field '\(field.name)' of the record '\(record.recordName)' was dropped: "
          + "other records have another type of value there")
    }
    var body = RecordBody(record)
    body.replaceFields(
      with: body.fields.filter { field in !wrong.contains { $0.name.hasSameUTF8(as: field.name) } })
    record = body.stored()
  }

  // MARK: Lost ones

  /// Names that an index knows of and that no record was found for.
  private mutating func noteLost() throws(SQLiteError) {
    // Read from the index of names alone, which may be whole where the records are not.
    let sql = "SELECT name, zone FROM record INDEXED BY sqlite_autoindex_record_1"
    if let names = try? old.connection?.database.prepare(sql) {
      while (try? names.step()) == true {
        let (name, zone) = (names.text(0), zones[names.int64(1)])
        if let zone, deleted[RecordPlace(recordName: name, zoneName: zone)] != nil { continue }
        if try !work.hasRecord(named: name, inZone: zone) {
          report.noteLost(name)
        }
      }
    }
    guard let position else { return }
    // Counted they are all there, however they were found.
    if dropped == 0, report[.records].kept == Int(position.records) { report[.records].isWhole = true }
    report[.records].lost = max(report[.records].lost ?? 0, Int(position.records) - report[.records].kept, 0)
  }
}
