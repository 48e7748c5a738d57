import JSONRPC
import SQLite

@testable import RecordStore
@testable import Records

/// A store with random records of two types and three zones that refer to one another, and what it held after
/// each of its commits.
struct ReferringRecords {
  struct Place: Hashable {
    let name: String
    let zone: String
  }

  typealias Records = [Place: StoredRecord]

  let store: TestStore
  var generator: Generator
  /// After each commit, by its number.
  private(set) var states: [Records] = [[:]]
  private var seen = 0

  private static let zones = ["_defaultZone", "second", "third"]
  private static let names = ["a", "b", "c", "d", "e", "f", "g"]

  init(seed: UInt64, limits: StoreLimits = StoreLimits()) throws {
    generator = Generator(seed: seed)
    store = try TestStore(inMemory: true, limits: limits)
    let file = try Database(path: store.reader.file.path, access: .readWrite, busyTimeout: 5000)
    try file.execute(
      """
      INSERT INTO zone (name) VALUES ('second'), ('third'); UPDATE store SET schema = schema + 1
      """)
  }

  // MARK: Writing

  /// Carries out a random request, and takes note of what became of the records.
  mutating func write() throws {
    let count = Int.random(in: 1...3, using: &generator)
    var operations: [WriteOperation] = []
    for _ in 0..<count { operations.append(try operation()) }
    _ = try? store.write(operations, atomic: Bool.random(using: &generator))
    let changeSets = store.inbox.changeSets
    for changeSet in changeSets[seen...] {
      var state = states[states.count - 1]
      for change in changeSet.changes {
        state[Place(name: change.recordName, zone: change.zoneName)] = change.after
      }
      states.append(state)
    }
    seen = changeSets.count
  }

  private mutating func operation() throws -> WriteOperation {
    let name = Self.names.randomElement(using: &generator) ?? "a"
    let zone = Self.zones.randomElement(using: &generator) ?? "second"
    if Int.random(in: 0..<4, using: &generator) == 0 {
      return .delete(DeleteOperation(zoneName: zone, recordName: name, ignoresMissing: true))
    }
    var fields = #""v":\#(Int.random(in: 0..<3, using: &generator))"#
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: fields += #","r":\#(reference())"#
    case 1: fields += #","r":null,"l":[\#(reference()),\#(reference())]"#
    case 2: fields += #","o":{"inner":\#(reference())}"#
    default: break
    }
    let type = states[states.count - 1][Place(name: name, zone: zone)]?.recordType
    let another = Bool.random(using: &generator) ? "Item" : "Other"
    var draft = try draft(#"{"n":"\#(name)","type":"\#(type ?? another)",\#(fields)}"#)
    draft.zoneName = zone
    return .save(draft, policy: Bool.random(using: &generator) ? .allKeys : .changedKeys)
  }

  private mutating func reference() -> String {
    let name = Self.names.randomElement(using: &generator) ?? "a"
    guard Bool.random(using: &generator), let zone = Self.zones.randomElement(using: &generator) else {
      return #"{"$reference":{"recordName":"\#(name)"}}"#
    }
    return #"{"$reference":{"recordName":"\#(name)","zoneName":"\#(zone)"}}"#
  }

  // MARK: What must be

  /// Those that did not change between two commits and from which a changed one is reached, at either, over so
  /// many references.
  func referrers(of changed: Set<Place>, from start: Int, to end: Int, hops: Int, type: String?) -> Set<Place>
  {
    var found: Set<Place> = []
    for (place, record) in states[end]
    where !changed.contains(place) && (type == nil || record.recordType == type) {
      for state in [states[start], states[end]] {
        if !closure(of: record, hops: hops, in: state).isDisjoint(with: changed) { found.insert(place) }
      }
    }
    return found
  }

  private func closure(of record: StoredRecord, hops: Int, in state: Records) -> Set<Place> {
    var reached: Set<Place> = []
    var last = [record]
    for _ in 0..<hops {
      var next: Set<Place> = []
      for record in last { next.formUnion(Self.targets(of: record)) }
      reached.formUnion(next)
      last = next.compactMap { state[$0] }
    }
    return reached
  }

  private static func targets(of record: StoredRecord) -> [Place] {
    record.fields.flatMap { field -> [Place] in
      let values: [FieldValue] = if case .list(let list) = field.value { list } else { [field.value] }
      return values.compactMap { value in
        guard case .reference(let reference) = value else { return nil }
        return Place(name: reference.recordName, zone: reference.zoneName ?? record.zoneName)
      }
    }
  }
}

extension RecordChange {
  var place: ReferringRecords.Place { .init(name: recordName, zone: zoneName) }
}
