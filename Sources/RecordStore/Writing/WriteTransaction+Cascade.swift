internal import JSONRPC
internal import Records
internal import SQLite

extension WriteTransaction {
  /// What the deletion of these records leads to. Writes nothing. Refuses more than is deleted at once, and, where
  /// nothing else of the request can clear the way, what is still needed.
  ///
  /// - Parameter done: how many of them are deleted already, with what that led to.
  func cascade(
    _ roots: Cascade, behind done: Int = 0, in commit: Commit
  ) throws(SQLiteError) -> Result<Cascade, RecordError> {
    var cascade = roots
    var next = done
    while next < cascade.deletions.count {
      let target = cascade.deletions[next].place
      for id in try connection.actingReferrers(of: target.recordName) where !cascade.deletes(id) {
        guard let record = try row(id)?.record else { continue }
        cascade.note(record.action(onDeletionOf: target), ofRecord: id, record.place, on: next)
        if let refusal = refusal(ofChanges: cascade.count, in: commit) { return .failure(refusal) }
      }
      next += 1
    }
    cascade.settle()
    if let violation = try violation(of: cascade) { return .failure(violation) }
    if commit.checks == nil, !cascade.holders.isEmpty {
      return .failure(try refusal(by: cascade.holders))
    }
    return .success(cascade)
  }

  /// Why so many changes can't be made at once by one operation; nil when they can.
  private func refusal(ofChanges count: Int, in commit: Commit) -> RecordError? {
    let limit = configuration.limits.maximumDeletedRecords
    guard count > limit || commit.ordinal + Int64(count) > Version.maximumOrdinal else { return nil }
    return .limit(
      "maximumDeletedRecords", limit, actual: count,
      "too many records would be deleted, or changed, with what they refer to")
  }

  /// Carries out what was worked out, all in its order.
  mutating func carryOut(_ cascade: Cascade, in commit: inout Commit) throws(SQLiteError) {
    for deletion in cascade.deletions {
      guard let row = try row(deletion.id), let record = row.record else { continue }
      try delete(row, record, because: cascade.cause(of: deletion), in: &commit)
    }
    for update in cascade.updates {
      guard let row = try row(update.id), let record = row.record else { continue }
      let body = cascade.body(of: record, after: update)
      try save(body, over: row, because: cascade.cause(of: update), in: &commit)
    }
    for holder in cascade.holders { commit.checks?.hold(holder, place: commit.place) }
  }

  private mutating func save(
    _ body: RecordBody, over row: RecordRow, because cause: Cascade.Cause, in commit: inout Commit
  ) throws(SQLiteError) {
    guard let zone = state.zones[Name(body.zoneName)] else { return }
    var body = body
    try beginEpoch(with: commit)
    body.recordChangeTag = RecordTag.text(of: commit.nextVersion, epoch: state.epoch)
    body.modified = commit.stamp
    try write(body.stored(), fields: body.fields, over: row, in: zone, because: cause, commit: &commit)
  }

  // MARK: What is in the way

  /// Records that a refusal names.
  private static let maximumNamedReferrers = 10

  /// That these records, which are there, need what was to be deleted.
  func refusal(by holders: [Cascade.Holder]) throws(SQLiteError) -> RecordError {
    let count = Set(holders.map(\.id)).count
    var writer = JSONWriter()
    var named: Set<Int64> = []
    writer.beginArray()
    for holder in holders where named.count < Self.maximumNamedReferrers && named.insert(holder.id).inserted {
      guard let record = try row(holder.id)?.record else { continue }
      let reference = record.references.first { $0.action.holds && $0.target == holder.target }
      writer.beginObject()
      for (key, text) in [
        ("recordName", record.recordName), ("zoneName", record.zoneName), ("recordType", record.recordType),
        ("field", reference?.field ?? ""),
      ] {
        writer.key(key)
        writer.string(text)
      }
      writer.key("target")
      holder.target.write(to: &writer)
      writer.endObject()
    }
    writer.endArray()
    let target = holders.first?.target.recordName ?? ""
    let first = try holders.first.flatMap { (holder) throws(SQLiteError) in
      try row(holder.id)?.record?.recordName
    }
    let others = count > 1 ? ", and \(count - 1) more do" : ""
    return RecordError(
      .referenceViolation,
      "the record '\(target)' can't be deleted, since '\(first ?? "")' refers to it and needs it\(others)",
      details: [
        .init(name: "referrers", json: writer.bytes), .init(name: "numberOfReferrers", number: count),
      ])
  }
}

extension RecordPlace {
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("recordName")
    writer.string(recordName)
    writer.key("zoneName")
    writer.string(zoneName)
    writer.endObject()
  }
}
