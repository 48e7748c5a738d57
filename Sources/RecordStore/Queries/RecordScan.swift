internal import JSONRPC
internal import Records
internal import SQLite

/// Goes through the records of an access path.
struct RecordScan {
  let connection: Connection
  let zones: [Name: Int64]
  let path: AccessPath

  /// Equal keys that a descending scan keeps in memory to turn them round.
  private static let maximumTies = 64

  /// Whether the records come in the query's order, which has `descriptors`.
  func isOrdered(by order: QueryOrder) -> Bool {
    switch path {
    case .nothing: true
    case .names: false
    case .everything: order.descriptors.isEmpty
    case .index(let scan): scan.order != nil
    }
  }

  /// Gives one record after another to `visit` until it returns false. With a position only those behind it,
  /// which takes a path that is ordered.
  func forEach(
    after position: QueryPosition? = nil, _ visit: (StoredRecord) -> Bool
  ) throws(SQLiteError) {
    switch path {
    case .nothing: return
    case .names(let names): try byName(names, visit)
    case .everything: try everything(after: position, visit)
    case .index(let scan):
      if scan.order == .down {
        try down(scan, after: position, visit)
      } else {
        try up(scan, after: position, visit)
      }
    }
  }

  // MARK: -

  private func byName(_ names: [String], _ visit: (StoredRecord) -> Bool) throws(SQLiteError) {
    let find = try connection.statement(.recordsByName)
    for name in names {
      find.bind(name, at: 1)
      guard try give(find, visit) else { return }
    }
  }

  private func everything(
    after position: QueryPosition?, _ visit: (StoredRecord) -> Bool
  ) throws(SQLiteError) {
    let all = try connection.statement(.recordsAfter)
    let tie = position?.tie ?? [0]
    let parts = tie.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    all.bind(String(decoding: parts[0], as: UTF8.self), at: 1)
    all.bind(zones[Name(String(decoding: parts.last ?? [], as: UTF8.self))] ?? 0, at: 2)
    _ = try give(all, visit)
  }

  private func up(
    _ scan: IndexScan, after position: QueryPosition?, _ visit: (StoredRecord) -> Bool
  ) throws(SQLiteError) {
    let entries = try connection.statement(.entriesUp)
    entries.bind(scan.index.id, at: 1)
    entries.bind(position.map { scan.key(of: $0) } ?? scan.from, at: 2)
    entries.bind(position?.tie ?? [], at: 3)
    entries.bind(scan.below, at: 4)
    _ = try give(entries, visit)
  }

  /// Keys descend, ties ascend: the entries of one key are gathered and turned round, or, when there are
  /// many, read anew in the other direction.
  private func down(
    _ scan: IndexScan, after position: QueryPosition?, _ visit: (StoredRecord) -> Bool
  ) throws(SQLiteError) {
    var below = scan.below
    if let position {
      below = scan.key(of: position)
      guard try ties(scan, key: below, after: position.tie, visit) else { return }
    }
    while true {
      guard let large = try descend(scan, below: below, visit) else { return }
      guard try ties(scan, key: large, after: [], visit) else { return }
      below = large
    }
  }

  /// Gives what is below a key up to a key with too many entries, which is returned; nil at the end.
  private func descend(
    _ scan: IndexScan, below: [UInt8], _ visit: (StoredRecord) -> Bool
  ) throws(SQLiteError) -> [UInt8]? {
    let entries = try connection.statement(.entriesDown)
    entries.bind(scan.index.id, at: 1)
    entries.bind(scan.from, at: 2)
    entries.bind(below, at: 3)
    defer { entries.reset() }
    var key: [UInt8] = []
    var ties: [StoredRecord] = []
    while try entries.step() {
      let next = entries.bytes(1)
      if next != key {
        for record in ties.reversed() where !visit(record) { return nil }
        ties.removeAll(keepingCapacity: true)
        key = next
      }
      ties.append(StoredRecord(body: JSON(unchecked: entries.bytes(0))))
      if ties.count > Self.maximumTies { return key }
    }
    for record in ties.reversed() where !visit(record) { return nil }
    return nil
  }

  private func ties(
    _ scan: IndexScan, key: [UInt8], after tie: [UInt8], _ visit: (StoredRecord) -> Bool
  ) throws(SQLiteError) -> Bool {
    let entries = try connection.statement(.tiesAfter)
    entries.bind(scan.index.id, at: 1)
    entries.bind(key, at: 2)
    entries.bind(tie, at: 3)
    return try give(entries, visit)
  }

  /// Gives the records of the first column; false when `visit` had enough.
  private func give(_ rows: Statement, _ visit: (StoredRecord) -> Bool) throws(SQLiteError) -> Bool {
    defer { rows.reset() }
    while try rows.step() {
      if !visit(StoredRecord(body: JSON(unchecked: rows.bytes(0)))) { return false }
    }
    return true
  }
}
