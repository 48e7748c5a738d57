internal import JSONRPC
public import Records
internal import SQLite

/// Reads one snapshot of a store.
///
/// Confined to the thread or actor that made it. The snapshot is taken by the first read after ``renew()``
/// (or after the reader was made) and stays the same until the next ``renew()``. It never waits for a writer
/// and no writer waits for it; but while it is old, the store's log can't be shortened, so renew it with
/// every ``CommitGroup``, also one without answers.
///
/// All reads throw `storeDamaged`, `storageReadOnly`, `storageFull`, `serviceUnavailable` or `internalError` when
/// the file can't be read; a later read tries again.
public final class Reader {
  let file: StoreFile
  /// Told what each query cost.
  let advisor: IndexAdvisor
  private let use: FileUse
  let sectionCache: SectionCache
  private var openedIn = -1
  private var connection: Connection?
  private var state: StoreState?
  /// Kept from one snapshot to the next, since it seldom changes.
  private var schema: StoreState?
  /// Of the snapshot, once it was asked for.
  private var references: ReferencedRecords?
  /// Of the snapshot, what was asked for last.
  private var past: [(sequence: Int64, records: PastRecords)] = []

  init(file: StoreFile, use: FileUse, advisor: IndexAdvisor, sectionCache: SectionCache) {
    self.file = file
    self.advisor = advisor
    self.use = use
    self.sectionCache = sectionCache
  }

  /// Lets go of the snapshot; the next read takes a new one, which has every commit made known before.
  public func renew() {
    defer { if !use.isWritable { connection = nil } }
    forgetRecords()
    guard state != nil else { return }
    state = nil
    do {
      try connection?.database.cached("COMMIT").run()
    } catch {
      connection = nil
    }
  }

  /// The snapshot's position.
  public var changeToken: ChangeToken {
    get throws(RecordError) { try read { (_, state) throws(SQLiteError) in state.token } }
  }

  /// The snapshot's position as a number: that of the last ``ChangeSet`` in it; 0 for a new store.
  public var sequence: Int64 {
    get throws(RecordError) { try read { (_, state) throws(SQLiteError) in state.lastCommit } }
  }

  /// The record of that name; nil when there is none. Throws `zoneNotFound` as well.
  public func fetch(
    recordName: String, zoneName: String = Identifier.defaultZone
  ) throws(RecordError) -> StoredRecord? {
    let record = try read { (connection, state) throws(SQLiteError) -> Result<StoredRecord?, RecordError> in
      guard let zone = state.zones[Name(zoneName)] else { return .failure(.zoneNotFound(zoneName)) }
      let find = try connection.statement(.recordByName)
      find.bind(recordName, at: 1)
      find.bind(zone, at: 2)
      let body = try find.first { $0.isNull(3) ? nil : $0.bytes(3) } ?? nil
      return .success(body.map { StoredRecord(body: JSON(unchecked: $0)) })
    }
    return try record.get()
  }

  /// Throws `zoneNotFound` when there is no zone of that name; with `orPast` also when it was deleted and the log
  /// still tells of it.
  public func checkZone(_ name: String, orPast: Bool = false) throws(RecordError) {
    let isThere = try read { (connection, state) throws(SQLiteError) in
      try connection.hasZone(name, state, orPast: orPast)
    }
    if !isThere { throw .zoneNotFound(name) }
  }

  /// What finds the records that references lead to in the snapshot. Not to be used after the next ``renew()``;
  /// it finds nothing that can't be read.
  public var resolver: any RecordSnapshot {
    get throws(RecordError) {
      if let references { return references }
      let made = try read { (connection, state) throws(SQLiteError) in
        ReferencedRecords(connection, zones: state.zones)
      }
      references = made
      return made
    }
  }

  func knownPast(at sequence: Int64) -> PastRecords? {
    past.first { $0.sequence == sequence && $0.records.failure == nil }?.records
  }

  /// Keeps it for who asks for the same before the next ``renew()``.
  func keep(_ records: PastRecords, at sequence: Int64) {
    past.removeAll { $0.sequence == sequence }
    if past.count >= 4 { past.removeFirst() }
    past.append((sequence, records))
  }

  private func forgetRecords() {
    references = nil
    past = []
  }

  /// How much is in the store.
  public func statistics() throws(RecordError) -> StoreStatistics {
    try read { (_, state) throws(SQLiteError) in
      StoreStatistics(
        records: Int(state.records), recordBytes: state.recordBytes, changes: Int(state.changes),
        sequence: state.lastCommit)
    }
  }

  // MARK: The snapshot

  /// Runs `body` in the snapshot.
  func read<Value>(
    _ body: (Connection, StoreState) throws(SQLiteError) -> Value
  ) throws(RecordError) -> Value {
    let connection = try open()
    do {
      return try body(connection, try snapshot(connection))
    } catch {
      // Whatever it was, the next read starts with a connection of its own.
      self.connection = nil
      state = nil
      forgetRecords()
      throw file.explain(error)
    }
  }

  private func open() throws(RecordError) -> Connection {
    let current = use.generation
    if openedIn != current {
      connection = nil
      state = nil
      schema = nil
      forgetRecords()
      openedIn = current
    }
    if let connection { return connection }
    let opened = try use.opening { () throws(RecordError) in try file.openReader() }
    connection = opened
    return opened
  }

  private func snapshot(_ connection: Connection) throws(SQLiteError) -> StoreState {
    if let state { return state }
    try connection.database.cached("BEGIN").run()
    let read = try StoreState(reading: connection, schemaFrom: schema)
    schema = read
    state = read
    return read
  }
}

/// How much is in a store.
public struct StoreStatistics: Sendable, Equatable {
  public var records: Int
  /// Bytes of the records' JSON.
  public var recordBytes: Int64
  /// Changes kept for replays.
  public var changes: Int
  /// The position of the last commit.
  public var sequence: Int64
}
