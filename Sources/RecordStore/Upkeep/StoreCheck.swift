internal import JSONRPC
internal import Records
internal import SQLite

/// Looks a store's file through, in one snapshot: whether the engine finds it whole, and whether everything that is
/// kept twice (counts, indexes, references, the log) agrees with the records.
///
/// Changes nothing. Whatever fails to be read is a problem of the report and no end of the check.
final class StoreCheck {
  let connection: Connection
  let state: StoreState
  /// Asked now and then; the check ends early when it says so.
  let isStopped: () -> Bool
  private(set) var report = StoreReport()
  /// By index, the entries that the records ought to have.
  private var expectedEntries: [Int64: Int64] = [:]
  private var expectedReferences: Int64 = 0
  private var tally = Tally()
  /// The files beside the store; nil to leave them out.
  let assets: AssetFolder?
  /// Whether what is in them is held against their checksums.
  let readsAssets: Bool
  /// Records that have an asset, once for each.
  var expectedUses: Int64 = 0

  /// What the records add up to.
  private struct Tally {
    var records: Int64 = 0
    var bytes: Int64 = 0
    var ofType: [Int64: Int64] = [:]
  }

  /// Within the caller's read transaction. Throws when not even the schema can be read.
  init(
    _ connection: Connection, assets: AssetFolder? = nil, readsAssets: Bool = false,
    isStopped: @escaping () -> Bool
  ) throws(SQLiteError) {
    self.connection = connection
    self.assets = assets
    self.readsAssets = readsAssets
    self.isStopped = isStopped
    state = try StoreState(reading: connection)
  }

  /// Nil when it was stopped.
  func run() -> StoreReport? {
    attempt(.file, "the file's pages can't all be read", checkFile)
    attempt(.record, "not all records can be read", checkRecords)
    attempt(.index, "an index can't be read", checkEntries)
    attempt(.reference, "what refers to what can't be read", checkReferences)
    attempt(.index, "an index of words can't be read", checkWords)
    attempt(.rule, "whether records keep the rules of their fields can't be read", checkRules)
    attempt(.assetUse, "which assets there are can't be read", checkAssets)
    attempt(.zone, "zones can't be read", checkZones)
    attempt(.changeLog, "the log of changes can't be read", checkLog)
    attempt(.changeLog, "former versions of records can't be read", checkFormerVersions)
    attempt(.subscription, "saved subscriptions can't be read", checkSubscriptions)
    attempt(.idempotencyKey, "answers that are kept under keys can't be read", checkAnswers)
    checkCounts()
    return isStopped() ? nil : report
  }

  func note(_ problem: StoreReport.Problem) { report.note(problem) }

  func count(assets: Int) { report.assets = assets }

  private func attempt(
    _ kind: StoreReport.Problem.Kind, _ failure: String, _ check: () throws(SQLiteError) -> Void
  ) {
    guard !isStopped() else { return }
    do {
      try check()
    } catch {
      report.note(.init(kind, "\(failure): the file is damaged there"))
    }
  }

  /// How many the engine lists.
  private static let maximumFaults = 100

  private func checkFile() throws(SQLiteError) {
    let check = try connection.database.prepare("PRAGMA integrity_check(\(Self.maximumFaults))")
    var faults = 0
    while try check.step() {
      if check.text(0) != "ok" { faults += 1 }
    }
    if faults > 0 {
      let count = faults < Self.maximumFaults ? "\(faults)" : "\(faults) or more"
      report.note(.init(.file, "the engine finds \(count) faults in the file's pages"))
    }
  }

  // MARK: Records

  private func checkRecords() throws(SQLiteError) {
    let zones = Dictionary(
      state.zones.map { ($1, $0) } + state.deletedZones.map { ($1.id, $0) },
      uniquingKeysWith: { first, _ in first })
    let types = Dictionary(state.types.map { ($1.id, ($0, $1)) }, uniquingKeysWith: { first, _ in first })
    let rows = try connection.database.prepare(
      "SELECT id, name, zone, type, version, body FROM record ORDER BY id")
    var seen = 0
    while try rows.step() {
      seen += 1
      if seen % 256 == 0, isStopped() { return }
      let name = rows.text(1)
      // What is kept of a deleted record may be of a type that is deleted, too.
      if rows.isNull(5) { continue }
      guard let zone = zones[rows.int64(2)], let (typeName, type) = types[rows.int64(3)] else {
        report.note(.init(.record, "a record is of a zone or a type that is not there", recordName: name))
        continue
      }
      let bytes = rows.bytes(5)
      tally.records += 1
      tally.bytes += Int64(bytes.count)
      tally.ofType[type.id, default: 0] += 1
      let version = Version(rawValue: rows.int64(4))
      guard let record = wellFormed(bytes, named: name, zone: zone, type: typeName, version) else { continue }
      checkFields(of: record, type)
      try expect(record, rows.int64(0), type)
      try expectAssets(of: record, rows.int64(0))
    }
    report.records = Int(tally.records)
  }

  /// The record, if it is what its row says; otherwise that is noted.
  private func wellFormed(
    _ bytes: [UInt8], named name: String, zone: Name, type: Name, _ version: Version
  ) -> StoredRecord? {
    func note(_ what: String) {
      report.note(.init(.record, "the record \(what)", recordName: name, zoneName: zone.text))
    }
    guard let json = try? JSON(parsing: bytes), json.kind == .object else {
      note("is not readable: its text is no JSON")
      return nil
    }
    let record = StoredRecord(body: json)
    guard record.recordName.hasSameUTF8(as: name), record.zoneName.hasSameUTF8(as: zone.text) else {
      note("says that it is another one")
      return nil
    }
    if !record.recordType.hasSameUTF8(as: type.text) { note("says that it is of another type") }
    if RecordTag.version(in: record.recordChangeTag) != version { note("has the tag of another version") }
    return record
  }

  private func checkFields(of record: StoredRecord, _ type: RecordType) {
    for (name, value) in record.fields {
      guard let valueType = value.type else { continue }
      if type.fields[Name(name)] != valueType {
        report.note(
          .init(
            .record, "the record's field '\(name)' is not of the type that the record type has",
            recordName: record.recordName, zoneName: record.zoneName))
      }
    }
  }

  // MARK: What is kept beside them

  /// Looks for the entries and references that the record must have, and counts them.
  private func expect(_ record: StoredRecord, _ id: Int64, _ type: RecordType) throws(SQLiteError) {
    let tie = IndexKey.tie(of: record)
    for index in type.indexes where index.kind != .fullText && index.covers(record: id) {
      guard index.isOfCurrentCollator, let keys = try? keys(of: record, index) else { continue }
      for key in keys {
        expectedEntries[index.id, default: 0] += 1
        let find = try connection.database.cached(
          "SELECT 1 FROM entry WHERE declaredIndex = ?1 AND key = ?2 AND tie = ?3 AND record = ?4")
        find.bind(index.id, at: 1)
        find.bind(key, at: 2)
        find.bind(tie, at: 3)
        find.bind(id, at: 4)
        guard try find.first({ _ in true }) == nil else { continue }
        report.note(
          .init(
            .index, "the record is missing from the index by \(index.description)",
            recordName: record.recordName, zoneName: record.zoneName))
      }
    }
    for (target, acts) in record.referencedNames {
      expectedReferences += 1
      let find = try connection.database.cached(
        "SELECT 1 FROM reference WHERE target = ?1 AND record = ?2 AND until IS NULL AND acts = ?3")
      find.bind(target.text, at: 1)
      find.bind(id, at: 2)
      find.bind(acts ? 1 : 0, at: 3)
      guard try find.first({ _ in true }) == nil else { continue }
      report.note(
        .init(
          .reference, "that the record refers to '\(target.text)' is not kept",
          recordName: record.recordName, zoneName: record.zoneName))
    }
  }

  private func keys(of record: StoredRecord, _ index: DeclaredIndex) throws(RecordError) -> Set<[UInt8]> {
    index.kind == .elements
      ? try IndexKey.elementKeys(of: record, part: index.parts[0])
      : [try IndexKey.key(of: record, parts: index.parts)]
  }

  private func checkEntries() throws(SQLiteError) {
    for (name, type) in state.types {
      for index in type.indexes where index.kind != .fullText && index.isOfCurrentCollator {
        let entries = try connection.database.integer(
          "SELECT count(*) FROM entry WHERE declaredIndex = \(index.id)")
        let surplus = (entries ?? 0) - expectedEntries[index.id, default: 0]
        guard surplus > 0 else { continue }
        report.note(
          .init(
            .index,
            "the index of '\(name.text)' by \(index.description) has \(surplus) entries of what is not there")
        )
      }
    }
  }

  private func checkReferences() throws(SQLiteError) {
    let kept = try connection.database.integer("SELECT count(*) FROM reference WHERE until IS NULL") ?? 0
    if kept > expectedReferences {
      report.note(
        .init(.reference, "\(kept - expectedReferences) references are kept of records that have them not"))
    }
  }

  // MARK: The log

  private func checkLog() throws(SQLiteError) {
    let rows = try connection.database.prepare(
      "SELECT version, previous, length(body) FROM change ORDER BY version")
    var changes: Int64 = 0
    var bytes: Int64 = 0
    var outside = 0
    while try rows.step() {
      changes += 1
      bytes += rows.int64(2)
      let version = Version(rawValue: rows.int64(0))
      if version.commit <= state.horizon || version.commit > state.lastCommit { outside += 1 }
      if changes % 4096 == 0, isStopped() { return }
    }
    report.changes = Int(changes)
    if outside > 0 {
      report.note(.init(.changeLog, "\(outside) changes are of commits that are not kept, or not made yet"))
    }
    if changes != state.changes || bytes != state.changeBytes {
      report.note(.init(.count, "the count of changes is not right"))
    }
    let missing =
      try connection.database.integer(
        """
        SELECT count(*) FROM record AS r WHERE r.version > \(Version.last(ofCommit: state.horizon).rawValue)
        AND NOT EXISTS (SELECT 1 FROM change AS c WHERE c.version = r.version AND c.record = r.id)
        """) ?? 0
    if missing > 0 {
      report.note(.init(.changeLog, "the last changes of \(missing) records are not in the log"))
    }
    try checkChains()
  }

  /// Whether each change that replaced a kept one says so truly.
  private func checkChains() throws(SQLiteError) {
    let broken =
      try connection.database.integer(
        """
        SELECT count(*) FROM change AS c WHERE c.previous > \(Version.last(ofCommit: state.horizon).rawValue)
        AND NOT EXISTS (SELECT 1 FROM change AS p WHERE p.version = c.previous AND p.record = c.record)
        """) ?? 0
    if broken > 0 {
      report.note(.init(.changeLog, "\(broken) changes follow changes that are not in the log"))
    }
  }

  // MARK: Counts

  private func checkCounts() {
    guard !isStopped() else { return }
    if tally.records != state.records {
      report.note(.init(.count, "\(state.records) records are counted, and \(tally.records) are there"))
    }
    if tally.bytes != state.recordBytes {
      report.note(.init(.count, "the count of the records' bytes is not right"))
    }
    for (name, type) in state.types {
      let counted = try? connection.database.integer("SELECT records FROM type WHERE id = \(type.id)")
      if counted != tally.ofType[type.id, default: 0] {
        report.note(.init(.count, "the count of the records of '\(name.text)' is not right"))
      }
    }
  }
}
