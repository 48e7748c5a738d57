internal import JSONRPC
internal import Records
internal import SQLite

/// Records by their names, which are sorted before one of them is read.
struct RecordPlaces {
  private typealias Place = (tie: [UInt8], id: Int64)

  private let connection: Connection
  /// In order; the same one behind each other where it was found more than once.
  private var places: [Place] = []

  /// What is on a path, behind a position in the order of names.
  init(of path: AccessPath, after position: QueryPosition?, _ connection: Connection) throws(SQLiteError) {
    self.connection = connection
    try gather(path)
    if let tie = position?.tie { places.removeAll { !tie.lexicographicallyPrecedes($0.tie) } }
    places.sort { $0.tie.lexicographicallyPrecedes($1.tie) }
  }

  /// Gives one record after another to `visit`, each once, until it returns false, and is false then.
  func forEach(_ visit: (FoundRow) -> Bool) throws(SQLiteError) -> Bool {
    let find = try connection.borrow(.bodyByID)
    defer { connection.giveBack(find, of: .bodyByID) }
    var last: Int64?
    for place in places where place.id != last {
      last = place.id
      find.bind(place.id, at: 1)
      let body = try find.first { $0.isNull(0) ? nil : $0.bytes(0) } ?? nil
      guard let body else { throw SQLiteError(damage: "an entry without a record") }
      guard visit(FoundRow(id: place.id, record: StoredRecord(body: JSON(unchecked: body)))) else {
        return false
      }
    }
    return true
  }

  private mutating func gather(_ path: AccessPath) throws(SQLiteError) {
    switch path {
    case .nothing, .everything: return
    case .names(let names): for name in names { try gather(named: name) }
    case .index(let access):
      for stretch in access.stretches { try gather(access.index, stretch) }
    case .words(_, let search): try gather(search)
    case .union(let paths): for path in paths { try gather(path) }
    case .gathered(let path, _): try gather(path)
    }
  }

  private mutating func gather(_ index: DeclaredIndex, _ stretch: KeyRange) throws(SQLiteError) {
    let entries = try connection.borrow(.placesOfEntries)
    defer { connection.giveBack(entries, of: .placesOfEntries) }
    entries.bind(index.id, at: 1)
    entries.bind(stretch.from, at: 2)
    entries.bind(stretch.below, at: 3)
    while try entries.step() { places.append((entries.bytes(0), entries.int64(1))) }
  }

  private mutating func gather(named name: String) throws(SQLiteError) {
    let records = try connection.borrow(.placesByName)
    defer { connection.giveBack(records, of: .placesByName) }
    records.bind(name, at: 1)
    while try records.step() {
      places.append((IndexKey.tie(recordName: name, zoneName: records.text(0)), records.int64(1)))
    }
  }

  private mutating func gather(_ search: FullTextSearch) throws(SQLiteError) {
    let find = try connection.borrow(.placeByID)
    defer { connection.giveBack(find, of: .placeByID) }
    var rows: [Int64] = []
    try search.forEachRow(in: connection) { rows.append($0) }
    for row in rows {
      find.bind(row, at: 1)
      let tie = try find.first { IndexKey.tie(recordName: $0.text(0), zoneName: $0.text(1)) }
      if let tie { places.append((tie, row)) }
    }
  }
}
