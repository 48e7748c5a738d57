internal import Records

/// A commit in the making.
struct Commit {
  let number: Int64
  let caller: Caller
  /// When it is made: milliseconds since 1970 (UTC).
  let timestamp: Int64
  private(set) var ordinal: Int64 = 0
  private(set) var changes = NetChanges()
  /// By name.
  private(set) var deletedZones: [String] = []
  /// Of the operation that is carried out, among those of the request.
  var place = 0
  /// What the end of the request has to look at; nil where its one operation decides about itself before it
  /// writes.
  var checks: ReferenceChecks?
  /// The same of values that no other record may have.
  var claims: UniqueClaims?

  init(number: Int64, caller: Caller, timestamp: Int64, checks: ReferenceChecks? = nil) {
    self.number = number
    self.checks = checks
    self.caller = caller
    self.timestamp = timestamp
  }

  var stamp: Stamp { Stamp(timestamp: timestamp, userRecordName: caller.userRecordName) }

  /// The version that the next change makes.
  var nextVersion: Version { Version(commit: number, ordinal: ordinal) }

  /// Notes a change that was written, under `nextVersion`.
  mutating func note(
    record: Int64, from before: StoredRecord?, to after: StoredRecord?, because cause: RecordPlace?
  ) {
    ordinal += 1
    changes.note(record: record, from: before, to: after, by: caller, because: cause)
  }

  /// Notes the deletion of a zone, written under `nextVersion`.
  mutating func note(deletedZone name: String) {
    ordinal += 1
    deletedZones.append(name)
  }

  /// Whether it has more changes than can be told apart.
  var isTooLong: Bool { ordinal > Version.maximumOrdinal }

  /// Whether anything was changed.
  var isEmpty: Bool { ordinal == 0 }
}
