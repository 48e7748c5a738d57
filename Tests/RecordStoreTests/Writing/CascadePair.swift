import JSONRPC
import Testing

@testable import RecordStore
@testable import Records

/// The store beside ``CascadeModel``, under the same random requests.
struct CascadePair {
  let store: TestStore
  var model: CascadeModel
  var generator: Generator
  /// How often it went how.
  var outcomes: [String: Int] = [:]
  private let hasRules: Bool

  static let zone = "second"
  static let names = ["a", "b", "c", "d", "e", "f"]
  /// What each record was, as far as it was seen, with the tags.
  var versions: [RecordPlace: [CascadeModel.Version]] = [:]

  init(seed: UInt64, rules: CascadeModel.Rules? = nil) throws {
    generator = Generator(seed: seed)
    store = try TestStore(inMemory: true)
    model = CascadeModel(rules: rules ?? .init())
    if let rules { try store.declare(rules.declaration) }
    hasRules = rules != nil
  }

  // MARK: Random requests

  mutating func pick<Element>(_ list: [Element]) -> Element {
    list[Int.random(in: list.indices, using: &generator)]
  }

  mutating func place() -> RecordPlace {
    let share = model.zones.contains(Self.zone) ? 3 : 30
    return RecordPlace(
      recordName: pick(Self.names),
      zoneName: Int.random(in: 0..<share, using: &generator) == 0 ? Self.zone : Identifier.defaultZone)
  }

  mutating func reference(from zone: String) -> FieldValue {
    let target = place()
    let actions: [Reference.Action] = [
      .none, .deleteSelf, .deleteSelf, .deleteSelf, .setNull, .setNull, .restrict, .validate,
    ]
    let names = target.zoneName == zone ? nil : target.zoneName
    return .reference(Reference(recordName: target.recordName, zoneName: names, action: pick(actions)))
  }

  mutating func operation() -> CascadeModel.Operation {
    let record = place()
    if hasRules, let operation = versionOperation(record) { return operation }
    switch Int.random(in: 0..<16, using: &generator) {
    case 0: return .delete(record)
    case 1..<4:
      // Mostly of what is there, so that batches don't fail for nothing else.
      let there = model.records.keys.sorted { ($0.zoneName, $0.recordName) < ($1.zoneName, $1.recordName) }
      return .delete(there.isEmpty ? record : pick(there))
    case 4: return Bool.random(using: &generator) ? .deleteZone(Self.zone) : .saveZone(Self.zone)
    case 5: return .saveZone(Self.zone)
    default: break
    }
    var fields: CascadeModel.Fields = ["v": .int64(Int64.random(in: 0..<2, using: &generator))]
    for name in ["r", "q"] where Int.random(in: 0..<3, using: &generator) == 0 {
      fields[name] = reference(from: record.zoneName)
    }
    if Int.random(in: 0..<4, using: &generator) == 0 {
      var list: [FieldValue] = []
      for _ in 0..<Int.random(in: 1...3, using: &generator) { list.append(reference(from: record.zoneName)) }
      fields["l"] = .list(list)
    }
    if hasRules { addRuled(to: &fields, of: record) }
    return .save(record, fields)
  }

  /// The deletion of a record that another holds, and a save that has the other hold it no more.
  mutating func clearing() -> [CascadeModel.Operation] {
    let places = model.records.keys.sorted { ($0.zoneName, $0.recordName) < ($1.zoneName, $1.recordName) }
    for place in places.shuffled(using: &generator) {
      guard case .reference(var reference) = model.records[place]?["r"], reference.action.holds else {
        continue
      }
      let target = RecordPlace(
        recordName: reference.recordName, zoneName: reference.zoneName ?? place.zoneName)
      guard model.records[target] != nil, target != place else { continue }
      reference.action = pick([.none, .setNull, .deleteSelf])
      return [.delete(target), .save(place, ["r": .reference(reference)])].shuffled(using: &generator)
    }
    return []
  }

  // MARK: One request

  /// Has both carry it out, and compares what came of it.
  mutating func request() throws {
    let isAtomic = Bool.random(using: &generator)
    let count = isAtomic ? Int.random(in: 1...6, using: &generator) : Int.random(in: 1...2, using: &generator)
    var operations: [CascadeModel.Operation] = []
    for _ in 0..<count { operations.append(operation()) }
    if isAtomic, Bool.random(using: &generator) {
      let clearing = clearing()
      // Alone, it seldom fails for what else is in the batch.
      operations = clearing.isEmpty || Bool.random(using: &generator) ? operations + clearing : clearing
    }
    let changeSets = store.inbox.changeSets.count
    let start = model.commit
    if isAtomic, operations.count > 1 {
      compareTogether(operations)
    } else {
      compareEach(operations, atomic: isAtomic)
    }
    try compareState()
    let told = store.inbox.changeSets[changeSets...]
    if hasRules { try learn(from: Array(told), operations) }
    #expect(told.map { Int($0.sequence) } == Array(start + 1..<model.commit + 1), "\(operations)")
    for changeSet in told {
      compare(changeSet.changes, after: Int(changeSet.sequence) - 1, upTo: Int(changeSet.sequence))
    }
  }

  mutating func compareTogether(_ operations: [CascadeModel.Operation]) {
    let refusal = model.carryOutTogether(operations)
    let request = operations.map(\.write)
    do throws(WriteFailure) {
      let result = try store.write(request)
      #expect(refusal == nil, "\(operations)")
      for (place, item) in result.items.enumerated() {
        if case .success(let item) = item { compareCount(item, at: place) }
      }
      outcomes["done", default: 0] += 1
    } catch {
      #expect(
        error.items.map(\.code).firstIndex { $0 != .batchRequestFailed }.map {
          $0 == refusal?.place || refusal?.places.contains($0) == true
        } == true, "\(operations)")
      if let refusal, let item = error.items.first(where: { $0.code != .batchRequestFailed }) {
        #expect(item.code == refusal.code, "\(operations)")
        if refusal.referrers > 0 {
          #expect(item.detail("numberOfReferrers")?.int64Value == Int64(refusal.referrers), "\(operations)")
        }
      }
      outcomes[refusal?.code.rawValue ?? "", default: 0] += 1
    }
  }

  mutating func compareEach(_ operations: [CascadeModel.Operation], atomic: Bool) {
    let refusals = model.carryOutEach(operations)
    let request = operations.map(\.write)
    do throws(WriteFailure) {
      let result = try store.write(request, atomic: atomic)
      for (place, item) in result.items.enumerated() {
        switch item {
        case .success(let item):
          #expect(refusals[place] == nil, "\(operations[place])")
          if operations.count == 1 { compareCount(item, at: place) }
        case .failure(let error): #expect(refusals[place]?.code == error.code, "\(operations[place])")
        }
      }
    } catch {
      #expect(refusals[0]?.code == error.error.code, "\(operations)")
      if let count = refusals[0]?.referrers, count > 0 {
        #expect(error.error.detail("numberOfReferrers")?.int64Value == Int64(count))
      }
    }
  }

  private func compareCount(_ item: ItemResult, at place: Int) {
    switch item {
    case .deleted(_, _, _, let count), .deletedZone(_, _, let count):
      #expect(count == model.cascadedDeletions[place, default: 0])
    default: break
    }
  }

  // MARK: Comparing

  private func compareState() throws {
    var found: [RecordPlace: CascadeModel.Fields] = [:]
    for zone in try store.reader.zones() {
      for name in Self.names {
        guard let record = try store.reader.fetch(recordName: name, zoneName: zone) else { continue }
        found[record.place] = record.values
      }
    }
    #expect(found == model.records)
    #expect(try store.reader.statistics().records == model.records.count)
  }

  /// Compares changes that were told with what became of the records, each with one of the causes that it may have.
  func compare(_ changes: [RecordChange], after start: Int, upTo end: Int) {
    let expected = model.told(after: start, upTo: end)
    let told = Dictionary(grouping: changes) { RecordPlace(recordName: $0.recordName, zoneName: $0.zoneName) }
    #expect(Set(told.keys) == Set(expected.keys), "\(start) to \(end)")
    for (place, changes) in told {
      let expected = expected[place] ?? []
      #expect(changes.map { $0.before?.values } == expected.map(\.before), "\(place)")
      #expect(changes.map { $0.after?.values } == expected.map(\.after), "\(place)")
      for (change, expected) in zip(changes, expected) {
        guard let causes = expected.causes else {
          #expect(change.cause == nil, "\(place) \(start) to \(end)")
          continue
        }
        #expect(
          change.cause.map(causes.contains) == true, "\(place) \(String(describing: change.cause)) \(causes)")
      }
    }
  }
}

extension CascadeModel.Operation {
  var write: WriteOperation {
    switch self {
    case .save(let record, let fields):
      let sent = fields.sorted { $0.key < $1.key }.map {
        RecordDraft.Field(name: $0.key, change: .set($0.value))
      }
      return .save(
        RecordDraft(
          recordType: "Item", recordName: record.recordName, zoneName: record.zoneName, fields: sent),
        policy: .allKeys)
    case .delete(let record):
      return .delete(DeleteOperation(zoneName: record.zoneName, recordName: record.recordName))
    case .saveZone(let zone): return .saveZone(zoneName: zone)
    case .deleteZone(let zone): return .deleteZone(DeleteZoneOperation(zoneName: zone))
    case .restore(let record, let version):
      return .restore(
        .init(
          zoneName: record.zoneName, recordName: record.recordName, recordChangeTag: version?.tag))
    case .restoreWithCascade(let record):
      return .restore(
        .init(zoneName: record.zoneName, recordName: record.recordName, withCascade: true))
    case .merge(let record, let known, let fields):
      guard case .save(var save) = Self.save(record, fields).write else { fatalError("no save") }
      save.draft.recordChangeTag = known.tag
      return .save(save.draft, policy: .ifServerRecordUnchanged)
    }
  }
}

extension StoredRecord {
  var values: CascadeModel.Fields {
    Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value) })
  }
}
