@testable import RecordStore
@testable import Records

/// What fields are held to beside what references do.
extension CascadeModel {
  struct Rules {
    var required: Set<String> = []
    var unique: Set<String> = []
    /// Fields whose changes are added up.
    var sums: Set<String> = []

    /// Whether an operation that is alone is looked at as those of a batch are.
    func isDecidedAtEnd(_ operation: Operation) -> Bool {
      switch operation {
      case .restore, .restoreWithCascade: true
      // Two lists may become the same.
      case .delete, .deleteZone: unique.contains("l")
      default: false
      }
    }
  }

  func breaksRules(_ fields: Fields, _ record: RecordPlace) -> Bool {
    if lacksRequired(fields) { return true }
    guard checks == nil else { return false }
    return rules.unique.contains { field in
      guard let value = fields[field], records[record]?[field] != value else { return false }
      return !holders(of: value, field, besides: record).isEmpty
    }
  }

  private func lacksRequired(_ fields: Fields) -> Bool { rules.required.contains { fields[$0] == nil } }

  private func holders(of value: FieldValue, _ field: String, besides record: RecordPlace) -> [RecordPlace] {
    let wanted = Self.key(value, in: record)
    return records.keys.filter { other in
      guard other != record, let held = records[other]?[field] else { return false }
      return Self.key(held, in: other) == wanted
    }
  }

  /// The same for what counts as the same.
  private static func key(_ value: FieldValue, in record: RecordPlace) -> String {
    let references = Self.references(["": value], of: record)
    return references.isEmpty ? "\(value)" : references.map { "\($0.0)" }.joined(separator: " ")
  }

  /// That no record loses what it must have when these go.
  func checkRequired(
    _ gone: Set<RecordPlace>, of holders: [RecordPlace]? = nil, at place: Int = 0
  ) throws(Refusal) {
    for record in holders ?? Array(records.keys) where !gone.contains(record) || holders != nil {
      let targets = gone.filter { strongest(record, on: $0) == 1 }
      guard !targets.isEmpty, lacksRequired(without(targets, record)) else { continue }
      throw Refusal(code: .constraintViolation, place: place)
    }
  }

  mutating func claim(_ record: RecordPlace, _ fields: Fields?, over before: Fields?, by place: Int) {
    guard checks != nil, let fields else { return }
    for field in rules.unique where fields[field] != nil && fields[field] != before?[field] {
      checks?.claims[record, default: [:]][field] = place
    }
  }

  /// That two records have a value that only one may have; where it may be told differs with which of several is
  /// found.
  func sharedValue() -> Refusal? {
    var places: Set<Int> = []
    for (record, claims) in checks?.claims ?? [:] {
      for (field, place) in claims {
        guard let value = records[record]?[field] else { continue }
        for other in holders(of: value, field, besides: record) {
          if let later = checks?.claims[other]?[field], later > place { continue }
          places.insert(place)
        }
      }
    }
    guard let first = places.min() else { return nil }
    return Refusal(code: .constraintViolation, place: first, places: places)
  }
}

// MARK: - Versions

extension CascadeModel {
  /// What was.
  struct Past {
    /// What went with a record, the nearer first; with the fields that it had.
    struct Consequence {
      let place: RecordPlace
      let fields: Fields
      /// The number of its deletion; nil where references were taken out of it.
      let deletion: Int?
    }

    /// Of the records that are there, where it is known.
    var tags: [RecordPlace: String] = [:]
    private(set) var deleted: [RecordPlace: Fields] = [:]
    /// How often each was deleted.
    private(set) var deletions: [RecordPlace: Int] = [:]
    /// Of records that nothing else was deleted with but for their sake.
    var consequences: [RecordPlace: [Consequence]] = [:]

    mutating func delete(_ record: RecordPlace, _ fields: Fields) {
      deleted[record] = fields
      deletions[record, default: 0] += 1
      consequences[record] = nil
    }
  }

  mutating func restore(_ record: RecordPlace, _ version: Version?) throws(Refusal) {
    guard zones.contains(record.zoneName) else { throw Refusal(code: .zoneNotFound) }
    if let version {
      if past.tags[record] == version.tag { return }
      return try save(record, version.fields)
    }
    guard records[record] == nil else { throw Refusal(code: .serverRecordChanged) }
    guard let fields = past.deleted[record] else { throw Refusal(code: .unknownItem) }
    try save(record, fields)
  }

  mutating func restoreWithCascade(_ record: RecordPlace) throws(Refusal) {
    let consequences = past.consequences[record] ?? []
    try restore(record, nil)
    let gone = Set(consequences.filter { $0.deletion != nil }.map(\.place) + [record])
    for consequence in consequences {
      guard let deletion = consequence.deletion else { continue }
      guard records[consequence.place] == nil, past.deletions[consequence.place] == deletion,
        zones.contains(consequence.place.zoneName)
      else { continue }
      try save(consequence.place, consequence.fields)
    }
    for consequence in consequences where consequence.deletion == nil {
      guard var fields = records[consequence.place] else { continue }
      let left = Self.without(gone, consequence.fields, consequence.place)
      for (name, value) in consequence.fields where left[name] != value && fields[name] == left[name] {
        fields[name] = value
      }
      try save(consequence.place, fields)
    }
  }

  mutating func merge(_ record: RecordPlace, _ known: Version, _ sent: Fields) throws(Refusal) {
    guard zones.contains(record.zoneName) else { throw Refusal(code: .zoneNotFound) }
    guard let server = records[record] else { throw Refusal(code: .serverRecordChanged) }
    if past.tags[record] == known.tag { return try save(record, sent) }
    guard !rules.sums.isEmpty else { throw Refusal(code: .serverRecordChanged) }
    var merged: Fields = [:]
    for name in Set(server.keys).union(sent.keys) {
      let (ancestor, there, here) = (known.fields[name], server[name], sent[name])
      if here == ancestor {
        merged[name] = there
      } else if there == ancestor {
        merged[name] = here
      } else if rules.sums.contains(name) {
        merged[name] = .int64(Self.number(there) + Self.number(here) - Self.number(ancestor))
      } else if there == here {
        merged[name] = there
      } else {
        throw Refusal(code: .serverRecordChanged)
      }
    }
    try save(record, merged)
  }

  private static func number(_ value: FieldValue?) -> Int64 {
    if case .int64(let number)? = value { number } else { 0 }
  }
}
