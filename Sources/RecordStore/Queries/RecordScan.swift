internal import JSONRPC
internal import Records
internal import SQLite

/// Goes through the records of an access path, each once.
struct RecordScan {
  let connection: Connection
  let path: AccessPath

  /// Whether the records come in the query's order.
  var isOrdered: Bool { path.isOrdered }

  /// Entries that are gone through before the first record is given.
  var entriesGathered: Int {
    if case .gathered(_, let entries) = path { entries } else { 0 }
  }

  /// Gives one record after another to `visit` until it returns false. With a position only those behind it,
  /// which takes a path that is ordered.
  func forEach(
    after position: QueryPosition? = nil, _ visit: (StoredRecord) -> Bool
  ) throws(SQLiteError) {
    _ = try forEachRow(of: path, after: position) { visit($0.record) }
  }

  /// False when `visit` had enough.
  private func forEachRow(
    of path: AccessPath, after position: QueryPosition?, _ visit: (FoundRow) -> Bool
  ) throws(SQLiteError) -> Bool {
    switch path {
    case .nothing: return true
    case .names(let names): return try byName(names, visit)
    case .everything: return try everything(after: position, visit)
    case .index(let access): return try entries(of: access, after: position, visit)
    case .gathered(let path, _):
      let places = try RecordPlaces(of: path, after: position, connection)
      return try places.forEach(visit)
    case .words(_, let search):
      var goesOn = true
      try search.forEach(in: connection) { row, record in
        goesOn = visit(FoundRow(id: row, record: record))
        return goesOn
      }
      return goesOn
    case .union(let paths):
      var seen: Set<Int64> = []
      for path in paths {
        let goesOn = try forEachRow(of: path, after: nil) { row in
          seen.insert(row.id).inserted ? visit(row) : true
        }
        guard goesOn else { return false }
      }
      return true
    }
  }

  // MARK: -

  private func byName(_ names: [String], _ visit: (FoundRow) -> Bool) throws(SQLiteError) -> Bool {
    let find = try connection.borrow(.recordsByName)
    defer { connection.giveBack(find, of: .recordsByName) }
    for name in names {
      find.bind(name, at: 1)
      guard try give(find, visit) else { return false }
    }
    return true
  }

  private func everything(
    after position: QueryPosition?, _ visit: (FoundRow) -> Bool
  ) throws(SQLiteError) -> Bool {
    let all = try connection.borrow(.recordsAfter)
    defer { connection.giveBack(all, of: .recordsAfter) }
    let tie = position?.tie ?? [0]
    let parts = tie.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    all.bind(String(decoding: parts[0], as: UTF8.self), at: 1)
    all.bind(String(decoding: parts.last ?? [], as: UTF8.self), at: 2)
    return try give(all, visit)
  }

  private func give(_ rows: Statement, _ visit: (FoundRow) -> Bool) throws(SQLiteError) -> Bool {
    defer { rows.reset() }
    while try rows.step() {
      if !visit(FoundRow(rows)) { return false }
    }
    return true
  }

  // MARK: Indexes

  private func entries(
    of access: IndexAccess, after position: QueryPosition?, _ visit: (FoundRow) -> Bool
  ) throws(SQLiteError) -> Bool {
    let start = position.map { access.start(after: $0) }
    var seen: Set<Int64> = []
    for place in access.phases.indices where place >= start?.phase ?? 0 {
      let isFirst = place == start?.phase
      let cursors = access.phases[place].map { source in
        (
          cursor: EntryCursor(
            connection, index: access.index.id, source, access.direction,
            after: isFirst ? start.map { ($0.key, $0.tie) } : nil),
          head: source.head.count
        )
      }
      let merged = MergedEntries(cursors, access.direction)
      var last: Int64?
      while let row = try merged.next()?.row {
        if access.mayRepeat {
          // In the order of names a record's entries come one behind the other.
          if access.isOrdered ? last == row.id : !seen.insert(row.id).inserted { continue }
          last = row.id
        }
        guard visit(row) else { return false }
      }
    }
    return true
  }
}
