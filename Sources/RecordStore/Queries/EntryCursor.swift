internal import JSONRPC
internal import Records
internal import SQLite

/// An entry of an index, with its record.
struct IndexEntry {
  let key: [UInt8]
  let tie: [UInt8]
  let row: FoundRow
}

/// A record that was come upon.
struct FoundRow {
  let id: Int64
  let record: StoredRecord

  init(id: Int64, record: StoredRecord) {
    self.id = id
    self.record = record
  }

  /// Of the first two columns.
  init(_ row: Statement) {
    id = row.int64(1)
    record = StoredRecord(body: JSON(unchecked: row.bytes(0)))
  }
}

/// Goes through the entries of one source of an index.
///
/// Keys ascend or descend, ties ascend in both directions: going down, the entries of one key are gathered and
/// turned round, or, when there are many, read anew in the other direction.
final class EntryCursor {
  /// Equal keys that are kept in memory to turn them round.
  private static let maximumTies = 64

  private let connection: Connection
  private let index: Int64
  private let direction: IndexAccess.Direction
  /// Those not begun yet, the next one last.
  private var stretches: [KeyRange]
  /// Within the first stretch, only what is behind this.
  private var start: (key: [UInt8], tie: [UInt8])?

  private var rows: (statement: Statement, sql: SQL)?
  private var ties: Statement?
  /// Entries of one key, the next one last.
  private var gathered: [IndexEntry] = []
  /// Read already, of the next key.
  private var ahead: IndexEntry?
  private var from: [UInt8] = []

  /// - Parameter start: the key behind the source's head and the tie of the entry behind which to start.
  init(
    _ connection: Connection, index: Int64, _ source: IndexAccess.Source,
    _ direction: IndexAccess.Direction, after start: (key: [UInt8], tie: [UInt8])? = nil
  ) {
    self.connection = connection
    self.index = index
    self.direction = direction
    stretches = direction == .up ? source.stretches.reversed() : source.stretches
    guard let start else { return }
    let key = source.head + start.key
    while let next = stretches.last {
      let isBehind =
        direction == .up
        ? key.lexicographicallyPrecedes(next.from) : !key.lexicographicallyPrecedes(next.below)
      if isBehind { return }
      if next.contains(key) {
        self.start = (key, start.tie)
        return
      }
      stretches.removeLast()
    }
  }

  deinit {
    if let rows { connection.giveBack(rows.statement, of: rows.sql) }
    if let ties { connection.giveBack(ties, of: .tiesAfter) }
  }

  /// The next entry; nil at the end.
  func next() throws(SQLiteError) -> IndexEntry? {
    direction == .up ? try nextUp() : try nextDown()
  }

  private func entry(_ row: Statement) -> IndexEntry {
    IndexEntry(key: row.bytes(2), tie: row.bytes(3), row: FoundRow(row))
  }

  private func closeRows() {
    if let rows { connection.giveBack(rows.statement, of: rows.sql) }
    rows = nil
  }

  // MARK: Up

  private func nextUp() throws(SQLiteError) -> IndexEntry? {
    while true {
      if let rows {
        if try rows.statement.step() { return entry(rows.statement) }
        closeRows()
      }
      guard let stretch = stretches.popLast() else { return nil }
      let entries = try connection.borrow(.entriesUp)
      rows = (entries, .entriesUp)
      entries.bind(index, at: 1)
      entries.bind(start?.key ?? stretch.from, at: 2)
      entries.bind(start?.tie ?? [], at: 3)
      entries.bind(stretch.below, at: 4)
      start = nil
    }
  }

  // MARK: Down

  private func nextDown() throws(SQLiteError) -> IndexEntry? {
    while true {
      if let entry = gathered.popLast() { return entry }
      if let ties {
        if try ties.step() { return entry(ties) }
        connection.giveBack(ties, of: .tiesAfter)
        self.ties = nil
      }
      if try gather() { continue }
      guard let stretch = stretches.popLast() else { return nil }
      from = stretch.from
      if let start {
        try readTies(of: start.key, after: start.tie)
        try descend(below: start.key)
        self.start = nil
      } else {
        try descend(below: stretch.below)
      }
    }
  }

  private func descend(below: [UInt8]) throws(SQLiteError) {
    let entries = try connection.borrow(.entriesDown)
    rows = (entries, .entriesDown)
    entries.bind(index, at: 1)
    entries.bind(from, at: 2)
    entries.bind(below, at: 3)
  }

  private func readTies(of key: [UInt8], after tie: [UInt8]) throws(SQLiteError) {
    let entries = try connection.borrow(.tiesAfter)
    ties = entries
    entries.bind(index, at: 1)
    entries.bind(key, at: 2)
    entries.bind(tie, at: 3)
  }

  /// Gathers the entries of the next key; false when the stretch is at its end.
  private func gather() throws(SQLiteError) -> Bool {
    guard let rows = rows?.statement else { return false }
    if let ahead {
      gathered = [ahead]
      self.ahead = nil
    } else if try rows.step() {
      gathered = [entry(rows)]
    } else {
      closeRows()
      return false
    }
    let key = gathered[0].key
    while try rows.step() {
      let next = entry(rows)
      guard next.key == key else {
        ahead = next
        return true
      }
      gathered.append(next)
      guard gathered.count <= Self.maximumTies else {
        gathered = []
        closeRows()
        try readTies(of: key, after: [])
        try descend(below: key)
        return true
      }
    }
    closeRows()
    return true
  }
}

/// The entries of several sources in one order: by what comes behind each source's head, then by tie.
final class MergedEntries {
  private let direction: IndexAccess.Direction
  private var sources: [(cursor: EntryCursor, head: Int)]
  /// The next entry of each source; empty before the first is asked for, and where there is one source.
  private var entries: [IndexEntry] = []

  init(_ sources: [(cursor: EntryCursor, head: Int)], _ direction: IndexAccess.Direction) {
    self.sources = sources
    self.direction = direction
  }

  func next() throws(SQLiteError) -> IndexEntry? {
    if sources.count <= 1, entries.isEmpty { return try sources.first?.cursor.next() }
    if entries.isEmpty { try begin() }
    guard var first = entries.indices.first else { return nil }
    for place in entries.indices.dropFirst() where precedes(place, first) { first = place }
    let entry = entries[first]
    if let next = try sources[first].cursor.next() {
      entries[first] = next
    } else {
      entries.remove(at: first)
      sources.remove(at: first)
    }
    return entry
  }

  private func begin() throws(SQLiteError) {
    var begun: [(cursor: EntryCursor, head: Int)] = []
    for source in sources {
      guard let entry = try source.cursor.next() else { continue }
      begun.append(source)
      entries.append(entry)
    }
    sources = begun
  }

  private func precedes(_ one: Int, _ other: Int) -> Bool {
    let left = entries[one].key[sources[one].head...]
    let right = entries[other].key[sources[other].head...]
    if left != right {
      return direction == .up
        ? left.lexicographicallyPrecedes(right) : right.lexicographicallyPrecedes(left)
    }
    return entries[one].tie.lexicographicallyPrecedes(entries[other].tie)
  }
}
