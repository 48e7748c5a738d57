@testable import RecordStore
@testable import Records

/// What the actions of references do, worked out the long way: every step looks at every record.
struct CascadeModel {
  typealias Fields = [String: FieldValue]

  enum Operation {
    case save(RecordPlace, Fields)
    case delete(RecordPlace)
    case saveZone(String)
    case deleteZone(String)
    /// The version that the record is to be again; nil for what it was when it was deleted.
    case restore(RecordPlace, Version?)
    case restoreWithCascade(RecordPlace)
    /// A save by someone who knows this version.
    case merge(RecordPlace, Version, Fields)
  }

  /// What a record was once.
  struct Version: Sendable {
    let tag: String
    let fields: Fields
  }

  /// Why a change was made: what it may name as its cause; nil for what was asked for.
  typealias Causes = Set<RecordPlace>?

  struct Change {
    let commit: Int
    let place: RecordPlace
    let before: Fields?
    let after: Fields?
    let causes: Causes
  }

  struct Refusal: Error, Equatable {
    let code: RecordError.Code
    var place = 0
    var referrers = 0
    /// Others at which it may stand as well.
    var places: Set<Int> = []
  }

  let rules: Rules
  var records: [RecordPlace: Fields] = [:]
  /// What can be restored.
  var past = Past()
  private(set) var zones: Set<String> = [Identifier.defaultZone]
  private(set) var commit = 0
  /// Each that was made, also those that a later one of the same commit undid.
  private(set) var log: [Change] = []
  /// Of the last request: by operation.
  private(set) var cascadedDeletions: [Int: Int] = [:]

  /// How often an action waited for the end of a request because another one held it up.
  private(set) var releases = 0

  /// What an atomic request has to look at once more.
  struct Checks {
    struct Hold {
      let holder: RecordPlace
      let target: RecordPlace
      let place: Int
    }

    var holds: [Hold] = []
    var validations: [Hold] = []
    var deleted: [RecordPlace: Int] = [:]
    /// The last operation that saved a value that no other record may have.
    var claims: [RecordPlace: [String: Int]] = [:]
  }

  var checks: Checks?
  private var place = 0

  init(rules: Rules = Rules()) { self.rules = rules }

  // MARK: Requests

  /// Nil where the operation was done.
  mutating func carryOutEach(_ operations: [Operation]) -> [Refusal?] {
    cascadedDeletions = [:]
    return operations.enumerated().map { place, operation in
      self.place = place
      let known = self
      let changes = log.count
      commit += 1
      checks = rules.isDecidedAtEnd(operation) ? Checks() : nil
      defer { checks = nil }
      do throws(Refusal) {
        try apply(operation)
        if checks != nil { try settle() }
        if log.count == changes { if case .deleteZone = operation {} else { commit -= 1 } }
        return nil
      } catch {
        self = known
        return error
      }
    }
  }

  mutating func carryOutTogether(_ operations: [Operation]) -> Refusal? {
    let known = self
    cascadedDeletions = [:]
    checks = Checks()
    let changes = log.count
    commit += 1
    defer { checks = nil }
    do throws(Refusal) {
      var isZoneDeleted = false
      for (place, operation) in operations.enumerated() {
        self.place = place
        do throws(Refusal) { try apply(operation) } catch { throw Refusal(code: error.code, place: place) }
        if case .deleteZone = operation { isZoneDeleted = true }
      }
      try settle()
      if log.count == changes, !isZoneDeleted { commit -= 1 }
      return nil
    } catch {
      self = known
      return error
    }
  }

  // MARK: Operations

  private mutating func apply(_ operation: Operation) throws(Refusal) {
    switch operation {
    case .save(let record, let fields): try save(record, fields)
    case .delete(let record):
      guard zones.contains(record.zoneName) else { throw Refusal(code: .zoneNotFound) }
      guard records[record] != nil else { throw Refusal(code: .unknownItem) }
      try delete([record])
    case .saveZone(let zone): zones.insert(zone)
    case .restore(let record, let version): try restore(record, version)
    case .restoreWithCascade(let record): try restoreWithCascade(record)
    case .merge(let record, let known, let fields): try merge(record, known, fields)
    case .deleteZone(let zone):
      guard zones.contains(zone) else { throw Refusal(code: .zoneNotFound) }
      try delete(Set(records.keys.filter { $0.zoneName == zone }))
      zones.remove(zone)
    }
  }

  mutating func save(_ record: RecordPlace, _ fields: Fields) throws(Refusal) {
    guard zones.contains(record.zoneName) else { throw Refusal(code: .zoneNotFound) }
    guard records[record] != fields else { return }
    guard !breaksRules(fields, record) else { throw Refusal(code: .constraintViolation) }
    let former = Self.references(records[record] ?? [:], of: record)
    let references = Self.references(fields, of: record)
    for (target, action) in references where action == .validate {
      if former.contains(where: { $0 == (target, .validate) }) { continue }
      if checks == nil {
        guard target == record || records[target] != nil else { throw Refusal(code: .referenceViolation) }
      } else {
        checks?.validations.append(.init(holder: record, target: target, place: place))
      }
    }
    for (target, action) in references where action == .restrict {
      guard let deletion = checks?.deleted[target] else { continue }
      checks?.holds.append(.init(holder: record, target: target, place: deletion))
    }
    set(record, to: fields, because: nil)
  }

  private mutating func delete(_ roots: Set<RecordPlace>) throws(Refusal) {
    var causes: [RecordPlace: Causes] = [:]
    for root in roots { causes[root] = .some(nil) }
    let gone = spread(roots, &causes)
    let rest = records.keys.filter { !gone.contains($0) }
    try checkRequired(gone)
    for record in rest {
      let held = gone.filter { strongest(record, on: $0) == 3 }
      if checks == nil, !held.isEmpty {
        let count = rest.count { record in gone.contains { strongest(record, on: $0) == 3 } }
        throw Refusal(code: .referenceViolation, referrers: count)
      }
      for target in held { checks?.holds.append(.init(holder: record, target: target, place: place)) }
    }
    remove(gone, causes, counting: gone.count - roots.count)
  }

  /// Those, and what refers to them with `deleteSelf`, over any number of steps.
  private func spread(
    _ roots: Set<RecordPlace>, _ causes: inout [RecordPlace: Causes]
  ) -> Set<RecordPlace> {
    var gone = roots
    var last = roots
    while !last.isEmpty {
      var next: Set<RecordPlace> = []
      for record in records.keys where !gone.contains(record) {
        let found = last.filter { strongest(record, on: $0) == 2 }
        guard !found.isEmpty else { continue }
        next.insert(record)
        causes[record] = .some(found)
      }
      gone.formUnion(next)
      last = next
    }
    return gone
  }

  private mutating func remove(
    _ gone: Set<RecordPlace>, _ causes: [RecordPlace: Causes], counting count: Int
  ) {
    cascadedDeletions[place, default: 0] += count
    for record in records.keys where !gone.contains(record) {
      let targets = gone.filter { strongest(record, on: $0) == 1 }
      if !targets.isEmpty { set(record, to: without(targets, record), because: targets) }
    }
    for record in gone {
      checks?.deleted[record] = place
      set(record, to: nil, because: causes[record] ?? nil)
    }
  }

  private mutating func set(_ record: RecordPlace, to fields: Fields?, because causes: Causes) {
    let before = records[record]
    if let before, fields == nil { past.delete(record, before) }
    past.tags[record] = nil
    claim(record, fields, over: before, by: place)
    records[record] = fields
    log.append(Change(commit: commit, place: record, before: before, after: fields, causes: causes))
  }

  // MARK: The end of a request

  private mutating func settle() throws(Refusal) {
    var changed = true
    while changed {
      changed = false
      for hold in checks?.holds ?? [] where records[hold.target] == nil && records[hold.holder] != nil {
        place = hold.place
        let strength = strongest(hold.holder, on: hold.target)
        guard strength == 1 || strength == 2 else { continue }
        changed = true
        releases += 1
        if strength == 1 {
          try checkRequired([hold.target], of: [hold.holder], at: place)
          set(hold.holder, to: without([hold.target], hold.holder), because: [hold.target])
          continue
        }
        var causes: [RecordPlace: Causes] = [hold.holder: [hold.target]]
        let gone = spread([hold.holder], &causes)
        try checkRequired(gone, at: place)
        for record in records.keys where !gone.contains(record) {
          for target in gone where strongest(record, on: target) == 3 {
            checks?.holds.append(.init(holder: record, target: target, place: place))
          }
        }
        remove(gone, causes, counting: gone.count)
        break
      }
    }
    let held = (checks?.holds ?? []).filter {
      records[$0.target] == nil && records[$0.holder] != nil && strongest($0.holder, on: $0.target) == 3
    }
    if let place = held.map(\.place).min() {
      let holders = Set(held.filter { $0.place == place }.map(\.holder))
      throw Refusal(code: .referenceViolation, place: place, referrers: holders.count)
    }
    for check in checks?.validations ?? [] {
      guard let fields = records[check.holder], records[check.target] == nil else { continue }
      let references = Self.references(fields, of: check.holder)
      if references.contains(where: { $0 == (check.target, .validate) }) {
        throw Refusal(code: .referenceViolation, place: check.place)
      }
    }
    if let refusal = sharedValue() { throw refusal }
  }

  // MARK: What is told

  /// What became of a record over some commits.
  struct Told: Equatable {
    let before: Fields?
    let after: Fields?
    /// What may stand there as the cause.
    let causes: Causes
  }

  /// What is told of each record that changed after one commit and up to another: one change, or a deletion and a
  /// creation.
  func told(after start: Int, upTo end: Int) -> [RecordPlace: [Told]] {
    let changes = Dictionary(grouping: log.filter { $0.commit > start && $0.commit <= end }, by: \.place)
    return changes.compactMapValues { changes -> [Told]? in
      let (first, last) = (changes[0], changes[changes.count - 1])
      if first.before != nil, last.after != nil, let deletion = changes.first(where: { $0.after == nil }) {
        return [
          Told(before: first.before, after: nil, causes: deletion.causes),
          Told(before: nil, after: last.after, causes: last.causes),
        ]
      }
      // What came and went is told by a replay over several commits only.
      if first.before == nil, last.after == nil, first.commit == last.commit { return nil }
      return [Told(before: first.before, after: last.after, causes: last.causes)]
    }
  }
}
