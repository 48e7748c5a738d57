internal import JSONRPC
internal import Records
internal import SQLite

/// The table of which records refer to which names, now or in a version that the log keeps.
///
/// A row for each name that a field of a record refers to, itself or in a list: what a path can follow. The
/// zone is not in it: who looks a name up reads the record, as it is or was.
enum ReferenceTable {
  /// For `Schema`.
  static let table = """
    -- Which records refer to which names, whatever the zone, or did so in a version that is kept in change.
    CREATE TABLE reference (
      target TEXT NOT NULL, record INTEGER NOT NULL,
      until INTEGER,                    -- the version in which the record ceased to; null while it does
      acts INTEGER NOT NULL DEFAULT 0,  -- whether a deletion of the target concerns the record
      PRIMARY KEY (target, record)) WITHOUT ROWID;
    CREATE INDEX endedReference ON reference (until) WHERE until IS NOT NULL;
    -- So that a deletion costs nothing where many refer to the record and none of them has to know.
    CREATE INDEX actingReference ON reference (target) WHERE until IS NULL AND acts <> 0;
    """

  /// Fills the table anew. Within the caller's transaction.
  static func fill(in database: Database) throws(SQLiteError) {
    // A version in the log may have one in a field that is dropped now.
    let types = "SELECT type FROM field WHERE valueType IN ('reference', 'list<reference>')"
    let insert = try database.prepare(
      """
      INSERT INTO reference (target, record, until, acts) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT DO UPDATE SET until = excluded.until, acts = excluded.acts
      """)
    for rows in [
      "SELECT record, body, version FROM change WHERE body IS NOT NULL ORDER BY version",
      "SELECT id, body, NULL FROM record WHERE body IS NOT NULL AND type IN (\(types))",
    ] {
      let records = try database.prepare(rows)
      while try records.step() {
        for (target, acts) in StoredRecord(body: JSON(unchecked: records.bytes(1))).referencedNames {
          insert.bind(target.text, at: 1)
          insert.bind(records.int64(0), at: 2)
          insert.bind(records.optionalInt64(2), at: 3)
          insert.bind(acts ? 1 : 0, at: 4)
          try insert.run()
        }
      }
    }
  }
}

extension WriteTransaction {
  /// Brings what the tables say of what a record refers to, and which assets it has, from one state of it to the
  /// other, which is of this version. Writes only what differs.
  func refer(
    _ id: Int64, as type: RecordType, from before: StoredRecord?, to after: StoredRecord?, _ version: Version
  ) throws(SQLiteError) {
    try useAssets(id, as: type, from: before, to: after, version)
    guard type.fields.values.contains(where: { $0.element == .reference }) else { return }
    let old = before?.referencedNames ?? [:]
    let new = after?.referencedNames ?? [:]
    for target in old.keys where new[target] == nil { try end(target, id, version) }
    for (target, acts) in new where old[target] != acts {
      let insert = try connection.statement(.insertReference)
      insert.bind(target.text, at: 1)
      insert.bind(id, at: 2)
      insert.bind(acts ? 1 : 0, at: 3)
      try insert.run()
    }
  }

  private func end(_ target: Name, _ id: Int64, _ version: Version) throws(SQLiteError) {
    let end = try connection.statement(keepsHistory ? .endReference : .removeReference)
    end.bind(target.text, at: 1)
    end.bind(id, at: 2)
    if keepsHistory { end.bind(version.rawValue, at: 3) }
    try end.run()
  }

  /// Takes out what only versions up to this one say, when they are taken out of the log.
  func pruneReferences(upTo version: Version) throws(SQLiteError) {
    let remove = try connection.statement(.removeReferences)
    remove.bind(version.rawValue, at: 1)
    try remove.run()
  }
}

extension Connection {
  /// The records that may have to know when a record of that name is deleted, by their rows.
  func actingReferrers(of name: String) throws(SQLiteError) -> [Int64] {
    var referrers: [Int64] = []
    let find = try statement(.actingReferrers)
    find.bind(name, at: 1)
    while try find.step() { referrers.append(find.int64(0)) }
    return referrers
  }

  /// Whether there are any.
  func isReferredTo(_ name: String) throws(SQLiteError) -> Bool {
    let find = try statement(.actingReferrers)
    find.bind(name, at: 1)
    return try find.first { _ in true } ?? false
  }

  /// Whether there are any of any record.
  func hasActingReferences() throws(SQLiteError) -> Bool {
    try statement(.anyActingReferrer).first { $0.int64(0) != 0 } ?? false
  }
}

extension StoredRecord {
  /// The names that its fields refer to, each with whether a reference to it does something when its record is
  /// deleted.
  var referencedNames: [Name: Bool] {
    var names: [Name: Bool] = [:]
    for reference in references {
      names[Name(reference.recordName), default: false] |= reference.action != .none
    }
    return names
  }
}

extension Bool {
  fileprivate static func |= (left: inout Bool, right: Bool) { left = left || right }
}
