internal import JSONRPC
internal import Records
internal import SQLite

extension WriteTransaction {
  /// Saves one record. A refusal is decided before anything is written.
  mutating func apply(
    _ operation: SaveOperation, in commit: inout Commit
  ) throws(SQLiteError) -> Result<ItemResult, RecordError> {
    let draft = operation.draft
    guard let zone = state.zones[Name(draft.zoneName)] else { return .failure(.zoneNotFound(draft.zoneName)) }
    let name =
      draft.recordName ?? RecordName.unique(timestamp: commit.timestamp, random: configuration.random)
    let row = try row(named: name, in: zone)
    let type = state.types[Name(draft.recordType)]
    let ancestor: StoredRecord?
    switch try decision(on: operation, name: name, row: row) {
    case .refused(let refusal): return .failure(refusal)
    case .save: ancestor = nil
    case .merge(let record): ancestor = record
    }
    var change: SaveChange
    do {
      change = try self.change(
        for: operation, name: name, type, current: row?.record, ancestor: ancestor, in: commit)
    } catch {
      return .failure(error)
    }
    if let record = row?.record, change.isNone { return .success(change.result(record)) }
    if let type, !type.rules.isEmpty,
      let refusal = try violation(of: change.body, type, over: row, claimsLater: commit.claims != nil)
    {
      return .failure(refusal)
    }
    if let refusal = try refusalOfAssets(in: change.body.fields, over: row?.record) {
      return .failure(refusal)
    }
    let references = change.body.references
    let place = RecordPlace(recordName: name, zoneName: draft.zoneName)
    if let refusal = try refusal(ofReferences: references, of: place, since: row?.record, in: commit) {
      return .failure(refusal)
    }
    try beginEpoch(with: commit)
    change.body.recordChangeTag = RecordTag.text(of: commit.nextVersion, epoch: state.epoch)
    change.body.modified = commit.stamp
    let record = change.body.stored()
    let limit = configuration.limits.maximumRecordBytes
    guard record.body.bytes.count <= limit else {
      return .failure(
        .limit(
          "maximumRecordBytes", limit, actual: record.body.bytes.count,
          "the record '\(name)' has too many bytes"))
    }
    let id = try write(record, fields: change.body.fields, over: row, in: zone, commit: &commit)
    note(references, ofRecord: id, since: row?.record, in: &commit)
    return .success(change.result(record))
  }

  // MARK: Deciding

  private enum Decision {
    case refused(RecordError)
    case save
    /// Onto what somebody else made of this one.
    case merge(ancestor: StoredRecord)
  }

  /// Whether the record may be saved as things are.
  private func decision(
    on operation: SaveOperation, name: String, row: RecordRow?
  ) throws(SQLiteError) -> Decision {
    let draft = operation.draft
    guard let current = row?.record else {
      if operation.existence == .mustExist { return .refused(.unknownItem(name, zone: draft.zoneName)) }
      guard operation.tagCheck == .required, draft.recordChangeTag != nil else { return .save }
      return .refused(
        .conflict(
          "the record '\(name)' is not there any more", server: nil, client: draft,
          ancestor: try ancestor(of: row, tag: draft.recordChangeTag)))
    }
    if operation.existence == .mustNotExist {
      return .refused(
        .conflict("the record '\(name)' exists already", server: current, client: draft, ancestor: nil))
    }
    let isCurrent: Bool
    switch (operation.tagCheck, draft.recordChangeTag) {
    case (.ignored, _), (.ifSent, nil): isCurrent = true
    case (.required, nil): isCurrent = false
    case (.required, .some(let tag)), (.ifSent, .some(let tag)):
      isCurrent = tag.hasSameUTF8(as: current.recordChangeTag)
    }
    let isOfItsType = current.recordType.hasSameUTF8(as: draft.recordType)
    if !isCurrent {
      let ancestor = try ancestor(of: row, tag: draft.recordChangeTag)
      if let ancestor, isOfItsType, state.types[Name(draft.recordType)]?.mergesChanges == true {
        return .merge(ancestor: ancestor)
      }
      return .refused(.conflict(draft, name: name, server: current, ancestor: ancestor))
    }
    guard isOfItsType else {
      return .refused(
        RecordError(
          .invalidArguments,
          "the record '\(name)' is of type '\(current.recordType)' and can't become '\(draft.recordType)'"))
    }
    return .save
  }

  /// What the save makes of the record.
  private func change(
    for operation: SaveOperation, name: String, _ type: RecordType?, current: StoredRecord?,
    ancestor: StoredRecord?,
    in commit: Commit
  ) throws(RecordError) -> SaveChange {
    let draft = operation.draft
    var body =
      (ancestor ?? current).map { RecordBody($0) }
      ?? RecordBody(
        recordType: draft.recordType, recordName: name, zoneName: draft.zoneName,
        created: operation.created ?? commit.stamp, modified: commit.stamp)
    let before = body.fields
    let types = type?.fields ?? [:]
    try body.apply(draft.fields, replacing: operation.fields == .replace) { types[Name($0)] }
    // What is restored is to be as it was.
    if let type, !type.rules.isEmpty, current == nil || operation.fields == .replace, operation.created == nil
    {
      body.fillIn(type.defaults)
    }
    var change = SaveChange(body: body, isNone: current != nil && body.fields == before, settled: nil)
    if let ancestor, let current, let type {
      guard let merged = SaveChange(merging: body, since: ancestor, into: current, type) else {
        throw .conflict(draft, name: name, server: current, ancestor: ancestor)
      }
      change = merged
    }
    let limit = configuration.limits.maximumFields
    guard change.isNone || change.body.fields.count <= limit else {
      throw .limit(
        "maximumFields", limit, actual: change.body.fields.count, "the record '\(name)' has too many fields")
    }
    return change
  }

  // MARK: Writing

  /// Writes a record that may be. Gives its row.
  @discardableResult
  mutating func write(
    _ record: StoredRecord, fields: [RecordBody.Field], over row: RecordRow?, in zone: Int64,
    because cause: Cascade.Cause? = nil, commit: inout Commit
  ) throws(SQLiteError) -> Int64 {
    let type = try registerType(record.recordType, fields: fields)
    let bytes = record.body.bytes
    let id: Int64
    if let row {
      id = row.id
      try update(row.id, type: type.id, version: commit.nextVersion, body: bytes)
    } else {
      id = try insert(
        name: record.recordName, zone: zone, type: type.id, version: commit.nextVersion, body: bytes)
    }
    try log(commit, record: id, replacing: row, because: cause)
    try index(id, as: type, from: row?.record, to: record)
    try refer(id, as: type, from: row?.record, to: record, commit.nextVersion)
    claim(fields, type, ofRecord: id, over: row, in: &commit)
    if row?.record == nil {
      state.records += 1
      state.growth[type.id, default: 0] += 1
    }
    state.recordBytes += Int64(bytes.count - (row?.record?.body.bytes.count ?? 0))
    commit.note(record: id, from: row?.record, to: record, because: cause?.place)
    return id
  }

  /// The record's type, made and completed by what the record brings that is new.
  mutating func registerType(
    _ typeName: String, fields: [RecordBody.Field]
  ) throws(SQLiteError) -> RecordType {
    let name = Name(typeName)
    var type: RecordType
    var isChanged = false
    if let known = state.types[name] {
      type = known
    } else {
      type = try makeType(typeName)
      isChanged = true
    }
    for field in fields where type.fields[Name(field.name)] == nil {
      guard let valueType = field.value.type else { continue }
      try insertField(field.name, valueType, type: type.id)
      type.fields[Name(field.name)] = valueType
      isChanged = true
    }
    if isChanged {
      state.types[name] = type
      state.schema += 1
    }
    return type
  }

  func insertField(_ name: String, _ valueType: FieldType, type: Int64) throws(SQLiteError) {
    let insert = try connection.statement(.insertField)
    insert.bind(type, at: 1)
    insert.bind(name, at: 2)
    insert.bind(valueType.name, at: 3)
    try insert.run()
  }

  func makeType(_ name: String) throws(SQLiteError) -> RecordType {
    let insert = try connection.statement(.insertType)
    insert.bind(name, at: 1)
    try insert.run()
    let id = connection.database.lastInsertedRow
    return RecordType(id: id, indexes: [try insertIndex(IndexShape(), origin: .type, type: id, reached: nil)])
  }

  /// The first commit of a run says so.
  mutating func beginEpoch(with commit: Commit) throws(SQLiteError) {
    guard !state.isOwnEpoch else { return }
    let nonce = UInt32(truncatingIfNeeded: configuration.random())
    let insert = try connection.statement(.insertEpoch)
    insert.bind(commit.number, at: 1)
    insert.bind(Int64(nonce), at: 2)
    try insert.run()
    state.epoch = nonce
    state.isOwnEpoch = true
  }
}
