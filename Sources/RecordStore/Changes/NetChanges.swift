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
    var commits: [Int64]
  }

  var count: Int { order.count }

  /// Notes the next change of the record with this row; in a replay with the commit that made it.
  mutating func note(
    record: Int64, from before: StoredRecord?, to after: StoredRecord?, by origin: Caller,
    in commit: Int64? = nil
  ) {
    let commits = commit.map { [$0] } ?? []
    if changes[record] == nil {
      order.append(record)
      changes[record] = Change(
        before: before, after: after, wasDeleted: false, origin: origin, commits: commits)
    } else {
      changes[record]?.after = after
      changes[record]?.origin = origin
      if changes[record]?.commits.last != commits.last { changes[record]?.commits += commits }
    }
    if after == nil { changes[record]?.wasDeleted = true }
  }

  var changeList: [RecordChange] {
    var list: [RecordChange] = []
    list.reserveCapacity(order.count)
    for record in order {
      guard let change = changes[record] else { continue }
      RecordChange.append(
        from: change.before, to: change.after, wasDeleted: change.wasDeleted, by: change.origin,
        in: change.commits,
        to: &list)
    }
    return list
  }
}

extension RecordChange {
  /// Appends what leads from one state of a record to another: nothing, one change, or a deletion and a
  /// creation.
  static func append(
    from before: StoredRecord?, to after: StoredRecord?, wasDeleted: Bool, by origin: Caller,
    in commits: [Int64] = [], to list: inout [RecordChange]
  ) {
    if wasDeleted, let before, let after {
      list.append(RecordChange(from: before, to: nil, naming: before, by: origin, in: commits))
      list.append(RecordChange(from: nil, to: after, naming: after, by: origin, in: commits))
    } else if let named = after ?? before {
      list.append(RecordChange(from: before, to: after, naming: named, by: origin, in: commits))
    }
  }

  private init(
    from before: StoredRecord?, to after: StoredRecord?, naming record: StoredRecord, by origin: Caller,
    in commits: [Int64]
  ) {
    self.init(
      zoneName: record.zoneName, recordType: record.recordType, recordName: record.recordName,
      before: before, after: after, origin: origin, commits: commits)
  }
}
