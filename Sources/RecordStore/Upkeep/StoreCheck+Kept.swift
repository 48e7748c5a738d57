internal import JSONRPC
internal import Records
internal import SQLite

/// What a store keeps besides records, and what is demanded of them.
extension StoreCheck {
  // MARK: Declared

  /// Whether what is declared of fields has its indexes, and the records keep the rules.
  func checkRules() throws(SQLiteError) {
    // Looks, and changes nothing: every index that it needs is there.
    var work = WriteTransaction(
      connection: connection, configuration: RecordStoreConfiguration(location: .memory), keepsHistory: false,
      state: state)
    for (name, type) in state.types {
      guard !isStopped() else { return }
      for shape in type.wantedIndexes where !work.hasIndex(shape, ofType: name) {
        let keys = shape.parts.map(\.descriptor.key).joined(separator: ", ")
        note(
          .init(.index, "what is declared of '\(name.text)' demands an index by \(keys), which is not there"))
      }
      let ruled = type.rules.filter { field, rules in
        guard rules.isUnique else { return rules.areChecked }
        return type.indexes.contains {
          $0.shape == IndexShape(uniqueValuesOf: field) && $0.origin != .type && $0.isReady
        }
      }
      for breach in try work.breaches(ofType: name, in: ruled.keys.sorted()) {
        note(
          .init(
            .rule,
            "\(breach.count) records break the rule '\(breach.rule.rawValue)' of the field '\(breach.field)' of '\(name.text)'",
            recordName: breach.examples.first?.recordName, zoneName: breach.examples.first?.zoneName))
      }
    }
  }

  // MARK: Words

  /// Whether the indexes of words have those of the records, each where it stands.
  func checkWords() throws(SQLiteError) {
    for (name, type) in state.types {
      for index in type.indexes where index.kind == .fullText && index.isReady {
        guard !isStopped() else { return }
        var expected = try wordsOfRecords(ofType: type.id, in: FullTextIndex(id: index.id))
        try forEachWord(in: FullTextIndex(id: index.id)) { record, word in
          expected[record, default: 0] &-= word
        }
        let wrong = expected.values.count { $0 != 0 }
        guard wrong > 0, !isStopped() else { continue }
        note(.init(.index, "the index of the words of '\(name.text)' is not true of \(wrong) records"))
      }
    }
  }

  /// A number for each record that stands for its words and their places.
  private func wordsOfRecords(ofType type: Int64, in index: FullTextIndex) throws(SQLiteError) -> [Int64: Int]
  {
    let empty = try FullTextColumns(of: index, in: connection)
    var sums: [Int64: Int] = [:]
    let bodies = try connection.borrow(.bodiesAfter)
    defer { connection.giveBack(bodies, of: .bodiesAfter) }
    bodies.bind(type, at: 1)
    bodies.bind(0, at: 2)
    while try bodies.step() {
      if bodies.isNull(1) || isStopped() { continue }
      guard let json = try? JSON(parsing: bodies.bytes(1)), json.kind == .object else { continue }
      var columns = empty
      columns.add(StoredRecord(body: json))
      for (slot, words) in columns.words.enumerated() {
        for (place, word) in words.split(separator: UInt8(ascii: " ")).enumerated() {
          sums[bodies.int64(0), default: 0] &+= Self.number(of: word, column: "c\(slot)", Int64(place))
        }
      }
    }
    return sums
  }

  private func forEachWord(
    in index: FullTextIndex, _ body: (_ record: Int64, _ word: Int) -> Void
  ) throws(SQLiteError) {
    let database = connection.database
    // The table that tells them is of this connection alone, and in no file.
    try database.execute(
      """
      PRAGMA query_only = OFF;
      CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, \(index.table), instance);
      """)
    defer { try? database.execute("DROP TABLE IF EXISTS temp.words") }
    let words = try database.prepare("SELECT term, doc, col, offset FROM temp.words")
    var seen = 0
    while try words.step() {
      seen += 1
      if seen % 4096 == 0, isStopped() { return }
      body(words.int64(1), Self.number(of: words.bytes(0)[...], column: words.text(2), words.int64(3)))
    }
  }

  private static func number(of word: ArraySlice<UInt8>, column: String, _ place: Int64) -> Int {
    var hasher = Hasher()
    for byte in word { hasher.combine(byte) }
    hasher.combine(column)
    hasher.combine(place)
    return hasher.finalize()
  }

  // MARK: Zones and what was deleted

  func checkZones() throws(SQLiteError) {
    if state.zones[Name(Identifier.defaultZone)] == nil {
      note(.init(.zone, "the zone '\(Identifier.defaultZone)' is not there"))
    }
    try count(
      .zone, "records are in a zone that was deleted",
      "record AS r JOIN zone AS z ON z.id = r.zone WHERE r.body IS NOT NULL AND z.deleted IS NOT NULL")
    let horizon = Version.last(ofCommit: state.horizon).rawValue
    // Those that the log was given up with on a full disk go when it is next pruned.
    try count(
      .zone, "deletions of zones are not in the log",
      """
      zone AS z WHERE z.deleted > \(horizon)
      AND NOT EXISTS (SELECT 1 FROM change AS c WHERE c.version = z.deleted AND c.record = -z.id)
      """)
    try count(
      .changeLog, "deleted records are kept of which the log knows no more",
      """
      record AS r WHERE r.body IS NULL AND r.version <= \(horizon)
      AND NOT EXISTS (SELECT 1 FROM change AS c WHERE c.version = r.version AND c.record = r.id)
      """)
    try count(
      .changeLog, "records were deleted, and what they were is not kept",
      """
      record AS r JOIN change AS c ON c.version = r.version AND c.record = r.id
      WHERE r.body IS NULL AND c.body IS NULL
      """)
  }

  private func count(
    _ kind: StoreReport.Problem.Kind, _ what: String, _ rows: String
  ) throws(SQLiteError) {
    let count = try connection.database.integer("SELECT count(*) FROM \(rows)") ?? 0
    if count > 0 { note(.init(kind, "\(count) \(what)")) }
  }

  // MARK: Users

  func checkSubscriptions() throws(SQLiteError) {
    let rows = try connection.database.prepare("SELECT id, definition, position FROM subscription")
    while try rows.step() {
      let json = try? JSON(parsing: rows.bytes(1))
      guard json?.kind != .object || ChangeToken(text: rows.text(2)) == nil else { continue }
      note(.init(.subscription, "a saved subscription can't be understood"))
    }
  }

  func checkAnswers() throws(SQLiteError) {
    let rows = try connection.database.prepare("SELECT key, digest, result, bytes FROM idempotency")
    while try rows.step() {
      let result = rows.bytes(2)
      let isRight =
        (1...255).contains(rows.bytes(0).count) && !rows.bytes(1).isEmpty
        && Int64(result.count) == rows.int64(3) && (try? JSON(parsing: result))?.kind == .object
      if !isRight { note(.init(.idempotencyKey, "an answer that is kept under a key can't be understood")) }
    }
  }

  // MARK: Former versions

  func checkFormerVersions() throws(SQLiteError) {
    let rows = try connection.database.prepare(
      "SELECT body, previous >= version FROM change WHERE body IS NOT NULL ORDER BY version")
    var wrong = 0
    var seen = 0
    while try rows.step() {
      seen += 1
      if seen % 256 == 0, isStopped() { return }
      if (try? JSON(parsing: rows.bytes(0)))?.kind != .object || rows.int64(1) != 0 { wrong += 1 }
    }
    let runs = try connection.database.integer(
      "SELECT count(*) FROM epoch WHERE firstCommit <= \(state.lastCommit)")
    if runs == 0, state.lastCommit > 0 {
      note(.init(.changeLog, "it is not kept which run of the service made the last change"))
    }
    if wrong > 0 { note(.init(.changeLog, "\(wrong) former versions of records can't be understood")) }
  }
}
