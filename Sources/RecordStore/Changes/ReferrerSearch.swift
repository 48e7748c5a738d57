internal import Records
internal import SQLite

/// Finds the records that refer, over some references, to records that changed, and did not change themselves.
///
/// It goes from the changed records backwards, one reference at a time. Since only records that stayed the same
/// are gone through, it makes no difference that references are followed as they are at the end.
struct ReferrerSearch {
  /// A record, by what references call it.
  private struct Place: Hashable {
    let name: Name
    let zone: Name
  }

  /// The last change on the way, by its place in the change set.
  private struct Cause {
    let place: Int
    let origin: Caller?
  }

  private let connection: Connection
  private let start: Version
  private let end: Version
  private let recordType: String?
  private let limit: Int
  private var changed: Set<Place> = []
  /// What was reached last.
  private var reached: [Place: Cause] = [:]
  private var found: Set<Int64> = []
  private var examined = 0
  private var changes: [RecordChange] = []

  init(
    _ changeSet: ChangeSet, since start: Int64, recordType: String?, limit: Int, connection: Connection
  ) {
    self.connection = connection
    self.start = .last(ofCommit: start)
    end = .last(ofCommit: changeSet.sequence)
    self.recordType = recordType
    self.limit = limit
    for (place, change) in changeSet.changes.enumerated() {
      reached[Place(name: Name(change.recordName), zone: Name(change.zoneName))] = Cause(
        place: place, origin: change.origin)
    }
    changed = Set(reached.keys)
  }

  /// Those that are found within so many references; nil when they, or those that have to be looked at, are
  /// too many.
  mutating func run(hops: Int) throws(SQLiteError) -> [RecordChange]? {
    for _ in 0..<max(hops, 0) where !reached.isEmpty {
      guard let candidates = try candidates() else { return nil }
      var next: [Place: Cause] = [:]
      for id in candidates {
        guard let (place, cause) = try examine(id) else { continue }
        next[place] = cause
        guard found.count <= limit else { return nil }
      }
      reached = next
    }
    return changes
  }

  /// The records that may refer to what was reached; nil when they are too many.
  private mutating func candidates() throws(SQLiteError) -> [Int64]? {
    var candidates: Set<Int64> = []
    let rows = try connection.statement(.referrers)
    defer { rows.reset() }
    for name in Set(reached.keys.map(\.name)) {
      rows.bind(name.text, at: 1)
      rows.bind(end.rawValue, at: 2)
      while try rows.step() {
        let id = rows.int64(0)
        guard !found.contains(id), candidates.insert(id).inserted else { continue }
        examined += 1
        guard examined <= Self.maximumExamined(limit) else { return nil }
      }
    }
    return candidates.sorted()
  }

  /// Records of other zones that refer to records of the same name are looked at in vain, and so are those that
  /// changed themselves.
  private static func maximumExamined(_ limit: Int) -> Int {
    limit.multipliedReportingOverflow(by: 8).overflow ? .max : limit * 8 + 10_000
  }

  /// Takes the record when it is one. Gives its place then, and what it is told for.
  private mutating func examine(_ id: Int64) throws(SQLiteError) -> (Place, Cause)? {
    let state = try connection.state(ofRecord: id, at: end)
    guard let record = state.record, let version = state.version else { return nil }
    let place = Place(name: Name(record.recordName), zone: Name(record.zoneName))
    guard !changed.contains(place) else { return nil }
    var cause: Cause?
    for reference in record.references {
      let target = Place(name: Name(reference.recordName), zone: Name(reference.zoneName))
      guard let found = reached[target], found.place >= cause?.place ?? 0 else { continue }
      cause = found
    }
    guard let cause else { return nil }
    found.insert(id)
    if recordType.map({ $0.hasSameUTF8(as: record.recordType) }) ?? true {
      let before = version <= start ? record : try connection.state(ofRecord: id, at: start).record
      changes.append(
        RecordChange(
          zoneName: record.zoneName, recordType: record.recordType, recordName: record.recordName,
          before: before, after: record, origin: cause.origin))
    }
    return (place, cause)
  }
}
