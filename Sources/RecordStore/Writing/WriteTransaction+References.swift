internal import JSONRPC
internal import Records
internal import SQLite

extension WriteTransaction {
  // MARK: Saves

  /// Why a record may not be saved with its references; nil when it may, or when the end of the request decides.
  func refusal(
    ofReferences references: [HeldReference], of record: RecordPlace, since earlier: StoredRecord?,
    in commit: Commit
  ) throws(SQLiteError) -> RecordError? {
    guard commit.checks == nil else { return nil }
    for reference in Self.validated(references, since: earlier) where reference.target != record {
      guard try isThere(reference.target) else { return .noTarget(reference.field, reference.target) }
    }
    return nil
  }

  /// Notes what the end of the request has to look at.
  func note(
    _ references: [HeldReference], ofRecord id: Int64, since earlier: StoredRecord?, in commit: inout Commit
  ) {
    guard let checks = commit.checks else { return }
    for reference in Self.validated(references, since: earlier) {
      commit.checks?.validate(
        .init(id: id, field: reference.field, target: reference.target, place: commit.place))
    }
    for reference in references where reference.action == .restrict {
      guard let place = checks.deletion(of: reference.target) else { continue }
      commit.checks?.hold(.init(id: id, target: reference.target), place: place)
    }
  }

  /// The references that must lead to a record and did not stand in it before: what is long there is not held
  /// against who changes something else.
  private static func validated(
    _ references: [HeldReference], since earlier: StoredRecord?
  ) -> [HeldReference] {
    let validated = references.filter { $0.action == .validate }
    guard !validated.isEmpty, let earlier else { return validated }
    let known = Set(earlier.references.lazy.filter { $0.action == .validate }.map(\.target))
    return validated.filter { !known.contains($0.target) }
  }

  func isThere(_ record: RecordPlace) throws(SQLiteError) -> Bool {
    guard let zone = state.zones[Name(record.zoneName)] else { return false }
    return try row(named: record.recordName, in: zone)?.record != nil
  }

  // MARK: The end of a request

  /// What is wrong with references once all operations are done, and with which of them; nil when nothing is.
  /// Carries out what was held up and is not any more, and counts in `deletions`, by operation, what that deletes.
  mutating func settle(
    _ commit: inout Commit, deletions: inout [Int: Int]
  ) throws(SQLiteError) -> (place: Int, error: RecordError)? {
    var holds: [ReferenceChecks.Hold] = []
    while let waiting = commit.checks?.takeHolds(), !waiting.isEmpty {
      for hold in waiting {
        commit.place = hold.place
        switch try action(of: hold.holder) {
        case .none: continue
        case .restrict, .validate: holds.append(hold)
        case .deleteSelf, .setNull:
          // The record was changed meanwhile, as if before the deletion.
          switch try release(hold.holder, in: &commit) {
          case .success(let count): deletions[hold.place, default: 0] += count
          case .failure(let error): return (hold.place, error)
          }
        }
      }
    }
    if let violation = try violation(of: holds) { return violation }
    return try violation(of: commit.checks?.validations ?? [])
  }

  /// What the holder would have done to it as things are.
  private func action(of holder: Cascade.Holder) throws(SQLiteError) -> Reference.Action {
    guard let record = try row(holder.id)?.record, try !isThere(holder.target) else { return .none }
    return record.action(onDeletionOf: holder.target)
  }

  /// Does to a record what the deletion of what it refers to would have done. Gives the number of records deleted.
  private mutating func release(
    _ holder: Cascade.Holder, in commit: inout Commit
  ) throws(SQLiteError) -> Result<Int, RecordError> {
    guard let zone = try connection.zone(named: holder.target.zoneName),
      let record = try row(holder.id)?.record
    else { return .success(0) }
    // Without the log its row is gone, and nobody will ask for it.
    let target = try row(named: holder.target.recordName, in: zone)?.id ?? 0
    var roots = Cascade()
    roots.delete(target, holder.target)
    roots.note(record.action(onDeletionOf: holder.target), ofRecord: holder.id, record.place, on: 0)
    switch try cascade(roots, behind: 1, in: commit) {
    case .success(let cascade):
      try carryOut(cascade, in: &commit)
      return .success(cascade.deletions.count - 1)
    case .failure(let error): return .failure(error)
    }
  }

  private func violation(
    of holds: [ReferenceChecks.Hold]
  ) throws(SQLiteError) -> (place: Int, error: RecordError)? {
    var holders: [Cascade.Holder] = []
    var first = Int.max
    // What was released later may have changed it.
    for hold in holds where hold.place <= first {
      guard try action(of: hold.holder).holds else { continue }
      if hold.place < first { holders = [] }
      first = hold.place
      holders.append(hold.holder)
    }
    return holders.isEmpty ? nil : (first, try refusal(by: holders))
  }

  private func violation(
    of validations: [ReferenceChecks.Validation]
  ) throws(SQLiteError) -> (place: Int, error: RecordError)? {
    for validation in validations {
      guard let record = try row(validation.id)?.record else { continue }
      let isHeld = record.references.contains {
        $0.action == .validate && $0.target == validation.target
      }
      guard isHeld, try !isThere(validation.target) else { continue }
      return (validation.place, .noTarget(validation.field, validation.target))
    }
    return nil
  }
}

extension RecordError {
  fileprivate static func noTarget(_ field: String, _ target: RecordPlace) -> RecordError {
    var writer = JSONWriter()
    target.write(to: &writer)
    return RecordError(
      .referenceViolation,
      "field '\(field)' refers to a record that is not there: '\(target.recordName)' in the zone "
        + "'\(target.zoneName)'",
      details: [Detail(name: "field", text: field), Detail(name: "target", json: writer.bytes)])
  }
}
