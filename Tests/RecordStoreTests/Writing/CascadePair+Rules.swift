@testable import RecordStore
@testable import Records

extension CascadePair {
  /// Something with what the record was; nil for something else.
  mutating func versionOperation(_ record: RecordPlace) -> CascadeModel.Operation? {
    let known = versions[record] ?? []
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: return .restore(record, known.isEmpty ? nil : pick(known))
    case 1: return .restore(missing() ?? record, nil)
    case 2:
      let places = model.past.consequences.keys.filter { model.records[$0] == nil }
      return places.isEmpty ? nil : .restoreWithCascade(pick(Self.sorted(places)))
    case 3, 4:
      guard let version = known.last(where: { $0.tag != model.past.tags[record] }) ?? known.last else {
        return nil
      }
      var fields = version.fields
      fields[pick(["n", "v", "u"])] = .int64(Int64.random(in: 0..<8, using: &generator))
      return .merge(record, Bool.random(using: &generator) ? version : pick(known), fields)
    default: return nil
    }
  }

  /// A record that was deleted.
  private mutating func missing() -> RecordPlace? {
    let places = Self.sorted(versions.keys.filter { model.records[$0] == nil })
    return places.isEmpty ? nil : pick(places)
  }

  private static func sorted(_ places: some Sequence<RecordPlace>) -> [RecordPlace] {
    places.sorted { ($0.zoneName, $0.recordName) < ($1.zoneName, $1.recordName) }
  }

  /// Fields that rules are declared for.
  mutating func addRuled(to fields: inout CascadeModel.Fields, of record: RecordPlace) {
    for (name, range) in [("u", 0..<9), ("n", 0..<4)] as [(String, Range<Int64>)] {
      guard Int.random(in: 0..<3, using: &generator) > 0 else { continue }
      fields[name] = .int64(Int64.random(in: range, using: &generator))
    }
    for name in model.rules.required where fields[name] == nil {
      if Int.random(in: 0..<15, using: &generator) == 0 { continue }
      let action: Reference.Action = Bool.random(using: &generator) ? .setNull : .none
      let target = pick(Self.names)
      fields[name] = .reference(
        Reference(
          recordName: target,
          zoneName: record.zoneName == Identifier.defaultZone ? nil : Identifier.defaultZone,
          action: action))
    }
  }

  /// Notes what the records are now, and what went with one that was deleted by itself.
  mutating func learn(from told: [ChangeSet], _ operations: [CascadeModel.Operation]) throws {
    for (place, fields) in model.records {
      guard let record = try store.reader.fetch(recordName: place.recordName, zoneName: place.zoneName) else {
        continue
      }
      model.past.tags[place] = record.recordChangeTag
      if versions[place]?.last?.tag != record.recordChangeTag {
        versions[place, default: []].append(.init(tag: record.recordChangeTag, fields: fields))
      }
    }
    guard operations.count == 1, told.count == 1, case .delete(let root) = operations[0] else { return }
    var found: [CascadeModel.Past.Consequence] = []
    var causes = [root]
    while let cause = causes.first {
      causes.removeFirst()
      for change in told[0].changes where change.cause == cause {
        guard let before = change.before else { continue }
        if change.after == nil { causes.append(before.place) }
        found.append(
          .init(
            place: before.place, fields: before.values,
            deletion: change.after == nil ? model.past.deletions[before.place] : nil))
      }
    }
    model.past.consequences[root] = found
  }
}

extension CascadeModel.Rules {
  /// As fields of a type are declared in the tests.
  var declaration: String {
    let types = ["r": "reference", "l": "list<reference>", "u": "int64", "n": "int64"]
    let fields = types.sorted { $0.key < $1.key }.map { name, type in
      var rules = [#""type":"\#(type)""#]
      if required.contains(name) { rules.append(#""required":true"#) }
      if unique.contains(name) { rules.append(#""unique":true"#) }
      if sums.contains(name) { rules.append(#""merge":"sum""#) }
      return #""\#(name)":{\#(rules.joined(separator: ","))}"#
    }
    return "{\(fields.joined(separator: ","))}"
  }
}
