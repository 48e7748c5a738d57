internal import Records

/// What became of each record over several changes, in the order of their first changes.
struct NetChanges {
  private var changes: [Int64: Change] = [:]
  private var order: [Int64] = []

  private struct Change {
    let before: StoredRecord?
    var after: StoredRecord?
    /// Whether `before` and `after`, where there are both, are two records that bore one name.
    var wasDeleted: Bool
    var origin: Caller
    var cause: RecordPlace?
    /// Of the first deletion.
    var causeOfDeletion: RecordPlace?
    var commits: [Int64]
    /// All versions but the first.
    var later: [Int64] = []
    /// The last of the record before it was deleted.
    var deleted: StoredRecord?
  }

  var count: Int { order.count }

  /// Notes the next change of the record with this row; in a replay with the version that it made.
  mutating func note(
    record: Int64, from before: StoredRecord?, to after: StoredRecord?, by origin: Caller,
    because cause: RecordPlace? = nil, making version: Version? = nil
  ) {
    let commits = version.map { [$0.commit] } ?? []
    if changes[record] == nil {
      order.append(record)
      changes[record] = Change(
        before: before, after: after, wasDeleted: false, origin: origin, cause: cause, commits: commits)
    } else {
      changes[record]?.after = after
      changes[record]?.origin = origin
      changes[record]?.cause = cause
      if changes[record]?.commits.last != commits.last { changes[record]?.commits += commits }
      if let version { changes[record]?.later.append(version.rawValue) }
    }
    if after == nil {
      if changes[record]?.wasDeleted == false { changes[record]?.causeOfDeletion = cause }
      changes[record]?.wasDeleted = true
      changes[record]?.deleted = before
    }
  }

  var changeList: [RecordChange] {
    var list: [RecordChange] = []
    list.reserveCapacity(order.count)
    for record in order {
      guard let change = changes[record] else { continue }
      RecordChange.append(
        from: change.before, to: change.after, wasDeleted: change.wasDeleted, by: change.origin,
        because: .init(last: change.cause, ofDeletion: change.causeOfDeletion), in: change.commits,
        passing: .init(versions: change.later, last: change.deleted), to: &list)
    }
    return list
  }
}

extension RecordChange {
  /// What a replay passes over: what a record was between its two ends.
  struct Passage {
    /// Of those that came between, all but the first.
    var versions: [Int64] = []
    /// The last of them before a deletion.
    var last: StoredRecord?
  }

  /// What led to the last of several changes, and to the first deletion among them.
  struct Causes {
    var last: RecordPlace?
    var ofDeletion: RecordPlace?
  }

  /// Appends what leads from one state of a record to another: nothing, one change, or a deletion and a
  /// creation. Of one that came and went over several commits there is neither state.
  static func append(
    from before: StoredRecord?, to after: StoredRecord?, wasDeleted: Bool, by origin: Caller,
    because causes: Causes = Causes(), in commits: [Int64] = [], passing: Passage = Passage(),
    to list: inout [RecordChange]
  ) {
    let count = list.count
    if wasDeleted, let before, let after {
      list.append(
        RecordChange(from: before, to: nil, naming: before, by: origin, causes.ofDeletion, in: commits))
      list.append(RecordChange(from: nil, to: after, naming: after, by: origin, causes.last, in: commits))
    } else if let named = after ?? before {
      list.append(RecordChange(from: before, to: after, naming: named, by: origin, causes.last, in: commits))
    } else if let last = passing.last, commits.count > 1 {
      list.append(RecordChange(from: nil, to: nil, naming: last, by: origin, causes.last, in: commits))
    }
    if commits.count > 1, list.count > count { list[count].passedVersions = passing.versions }
  }

  private init(
    from before: StoredRecord?, to after: StoredRecord?, naming record: StoredRecord, by origin: Caller,
    _ cause: RecordPlace?, in commits: [Int64]
  ) {
    self.init(
      zoneName: record.zoneName, recordType: record.recordType, recordName: record.recordName,
      before: before, after: after, origin: origin, cause: cause, commits: commits)
  }
}
