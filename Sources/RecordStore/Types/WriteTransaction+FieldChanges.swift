internal import JSONRPC
internal import Records
internal import SQLite

extension WriteTransaction {
  /// Changes fields of a type, and every record that has them. What this throws or refuses leaves the transaction to
  /// be undone.
  mutating func apply(
    _ fates: FieldFates, toType name: Name, in commit: inout Commit, telling report: inout RecordTypeReport
  ) throws(SQLiteError) -> RecordError? {
    guard !fates.isEmpty, let known = state.types[name] else { return nil }
    let limit = configuration.limits.maximumChangedRecords
    let count = Int(try countRecords(ofType: known.id))
    guard count <= limit else {
      return .limit(
        "maximumChangedRecords", limit, actual: count,
        "the type '\(name.text)' has too many records to be changed at once")
    }
    let type = fates.applied(to: known, telling: &report)
    state.types[name] = type
    state.schema += 1
    try writeFields(of: known, as: type, fates)
    try keepIndexes(of: name, known, fates, telling: &report)
    try keep(fates, ofType: name, in: commit)
    return try rewriteRecords(ofType: name, known, fates, in: &commit, telling: &report)
  }

  /// The rows of the fields that are others now.
  private func writeFields(
    of known: RecordType, as type: RecordType, _ fates: FieldFates
  ) throws(SQLiteError) {
    let remove = try connection.statement(.removeField)
    for name in fates.fates.keys {
      remove.bind(known.id, at: 1)
      remove.bind(name.text, at: 2)
      try remove.run()
    }
    for name in fates.fates.values.compactMap(\.name) {
      guard let valueType = type.fields[name] else { continue }
      try insertField(name.text, valueType, type: type.id)
      try write(type.fieldIndexing[name] ?? [], of: name, type: type.id)
      try write(type.rules[name] ?? FieldRules(), of: name, type: type.id)
    }
  }

  /// Gives indexes the new names of their keys, which leaves their entries as they are, and drops those that can't
  /// go on. The words of all texts are cut anew: their fields are part of them.
  private mutating func keepIndexes(
    of name: Name, _ known: RecordType, _ fates: FieldFates, telling report: inout RecordTypeReport
  ) throws(SQLiteError) {
    for index in known.indexes where index.origin != .type {
      guard index.kind != .fullText, let type = state.types[name], let parts = fates.parts(of: index, type)
      else {
        try dropIndex(index, ofType: name)
        if index.origin == .declared, index.kind != .fullText {
          report.indexesDropped.append(index.parts.map(\.descriptor.key))
        }
        continue
      }
      guard parts != index.parts else { continue }
      let update = try connection.statement(.updateKeys)
      update.bind(index.id, at: 1)
      update.bind(parts.keys, at: 2)
      try update.run()
      guard let place = state.types[name]?.indexes.firstIndex(where: { $0.id == index.id }) else { continue }
      state.types[name]?.indexes[place].parts = parts
    }
  }

  // MARK: Records

  private mutating func rewriteRecords(
    ofType name: Name, _ known: RecordType, _ fates: FieldFates, in commit: inout Commit,
    telling report: inout RecordTypeReport
  ) throws(SQLiteError) -> RecordError? {
    try beginEpoch(with: commit)
    var losses = Tally<Name>()
    let limit = configuration.limits.maximumRecordBytes
    for id in try records(ofType: known.id) {
      guard let row = try row(id), let record = row.record else { continue }
      var body = RecordBody(record)
      guard let outcome = fates.outcome(of: body.fields) else { continue }
      report.records += 1
      for (field, value) in outcome.losses { losses.add(field, record, value) }
      // Indexes go by the new names from the record as it was on: only other values are other entries.
      var indexed = record
      if fates.renames {
        body.replaceFields(with: outcome.renamed)
        indexed = body.stored()
      }
      body.replaceFields(with: outcome.fields)
      body.recordChangeTag = RecordTag.text(of: commit.nextVersion, epoch: state.epoch)
      body.modified = commit.stamp
      let changed = body.stored()
      guard changed.body.bytes.count <= limit else {
        return .limit(
          "maximumRecordBytes", limit, actual: changed.body.bytes.count,
          "the record '\(record.recordName)' would have too many bytes")
      }
      try rewrite(row, as: changed, knownTo: known, indexedAs: indexed, commit: &commit)
    }
    report.losses = losses.entries.map {
      .init(field: $0.key.text, count: $0.count, examples: $0.examples)
    }
    return nil
  }

  private mutating func rewrite(
    _ row: RecordRow, as record: StoredRecord, knownTo known: RecordType, indexedAs before: StoredRecord,
    commit: inout Commit
  ) throws(SQLiteError) {
    guard let old = row.record, let type = state.types[Name(record.recordType)] else { return }
    let version = commit.nextVersion
    try update(row.id, type: row.type, version: version, body: record.body.bytes)
    try log(commit, record: row.id, replacing: row)
    try index(row.id, as: type, from: before, to: record)
    // A field that is no reference or asset any more has still to be taken out of their tables.
    try refer(row.id, as: known, from: old, to: record, version)
    state.recordBytes += Int64(record.body.bytes.count - old.body.bytes.count)
    commit.note(record: row.id, from: old, to: record, because: nil)
  }

  private func records(ofType type: Int64) throws(SQLiteError) -> [Int64] {
    var records: [Int64] = []
    let find = try connection.statement(.idsOfType)
    find.bind(type, at: 1)
    while try find.step() { records.append(find.int64(0)) }
    return records
  }

  // MARK: Rows

  func write(_ indexing: FieldIndexing, of field: Name, type: Int64) throws(SQLiteError) {
    let update = try connection.statement(.updateField)
    update.bind(type, at: 1)
    update.bind(field.text, at: 2)
    update.bind(indexing.rawValue, at: 3)
    try update.run()
  }

  func write(_ rules: FieldRules, of field: Name, type: Int64) throws(SQLiteError) {
    let update = try connection.statement(.updateRules)
    update.bind(type, at: 1)
    update.bind(field.text, at: 2)
    if rules.isEmpty { update.bindNull(at: 3) } else { update.bind(rules.json.text, at: 3) }
    try update.run()
  }
}
