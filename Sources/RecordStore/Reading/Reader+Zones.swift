public import Records
internal import SQLite

extension Reader {
  /// The zones of the snapshot, sorted by code point; the default zone is always among them.
  public func zones() throws(RecordError) -> [String] {
    try read { (_, state) throws(SQLiteError) in state.zones.keys.sorted().map(\.text) }
  }
}

extension Connection {
  /// The row of the zone of that name, also of one that was deleted while the log tells of it.
  func zone(named name: String) throws(SQLiteError) -> Int64? {
    let find = try statement(.zoneByName)
    find.bind(name, at: 1)
    return try find.first { $0.int64(0) }
  }

  /// The zones that were deleted after one version and up to another, and are not there any more; in the order
  /// of their deletion.
  func zonesDeleted(after start: Version, upTo end: Version) throws(SQLiteError) -> [String] {
    var names: [String] = []
    let find = try statement(.zonesDeleted)
    find.bind(start.rawValue, at: 1)
    find.bind(end.rawValue, at: 2)
    while try find.step() { names.append(find.text(0)) }
    return names
  }
}
