internal import JSONRPC
internal import Records

/// Filters by number, divided by the record type and the zone that they are for.
struct FilterTable {
  private var parts: [FilterPlace.Part: FilterPart] = [:]

  /// Numbers are given in ascending order, each once.
  mutating func insert(
    _ number: Int, recordType: String?, zoneName: String?, predicate: Predicate?
  ) -> FilterPlace {
    let part = FilterPlace.Part(recordType: recordType, zoneName: zoneName)
    let conditions = parts[part, default: FilterPart()].insert(number, predicate, isOfType: recordType != nil)
    return FilterPlace(part: part, conditions: conditions)
  }

  mutating func remove(_ number: Int, from place: FilterPlace) {
    parts[place.part]?.remove(number, place.conditions)
    if parts[place.part]?.isEmpty == true { parts[place.part] = nil }
  }

  /// Ascending, each once.
  mutating func numbers(for changes: [RecordChange]) -> [Int] {
    guard !parts.isEmpty else { return [] }
    var found: [Int] = []
    var seen: Set<FilterPlace.Part> = []
    for change in changes {
      for part in FilterPlace.Part.all(of: change) where parts[part] != nil {
        if seen.insert(part).inserted { found += parts[part]?.unconditional ?? [] }
        parts[part]?.find(change, &found)
      }
      // So that a large commit doesn't name the same ones again and again.
      if found.count > 1 << 16 { found = Self.sorted(found) }
    }
    return Self.sorted(found)
  }

  private static func sorted(_ numbers: [Int]) -> [Int] {
    var sorted: [Int] = []
    sorted.reserveCapacity(numbers.count)
    for number in numbers.sorted() where sorted.last != number { sorted.append(number) }
    return sorted
  }
}

/// Where a filter stands.
struct FilterPlace {
  /// What it is for. Names that only differ in how characters are composed are one here: too many rather than
  /// too few.
  struct Part: Hashable {
    let recordType: String?
    let zoneName: String?

    /// Those that a change is looked up in.
    static func all(of change: RecordChange) -> [Part] {
      [
        Part(recordType: change.recordType, zoneName: nil), Part(recordType: nil, zoneName: nil),
        Part(recordType: change.recordType, zoneName: change.zoneName),
        Part(recordType: nil, zoneName: change.zoneName),
      ]
    }
  }

  let part: Part
  /// One of these is met by every record that matches; nil when nothing is known of them, none when there are
  /// no such records.
  let conditions: [FilterCondition]?
}

/// The filters for one record type and zone.
struct FilterPart {
  /// Those without a condition, ascending.
  private(set) var unconditional: [Int] = []
  /// By the value at a path.
  private var values: [FieldPath: KeyTable] = [:]
  /// By the elements of the list at a path, or the one value there.
  private var elements: [FieldPath: KeyTable] = [:]
  /// Those that no record matches.
  private var impossible = 0

  var isEmpty: Bool { unconditional.isEmpty && values.isEmpty && elements.isEmpty && impossible == 0 }

  mutating func insert(_ number: Int, _ predicate: Predicate?, isOfType: Bool) -> [FilterCondition]? {
    guard let predicate, let conditions = conditions(of: predicate, isOfType) else {
      unconditional.append(number)
      return nil
    }
    if conditions.isEmpty { impossible += 1 }
    for condition in conditions {
      if condition.isOfElements {
        elements[condition.path, default: KeyTable()].insert(number, condition.keys)
      } else {
        values[condition.path, default: KeyTable()].insert(number, condition.keys)
      }
    }
    return conditions
  }

  private func conditions(of predicate: Predicate, _ isOfType: Bool) -> [FilterCondition]? {
    let choice = FilterChoice(isOfType: isOfType) { condition, key in
      let table = condition.isOfElements ? elements[condition.path] : values[condition.path]
      return table?.count(at: key) ?? 0
    }
    return choice.conditions(of: QueryConditions(predicate, fields: nil, throughReferences: true))
  }

  mutating func remove(_ number: Int, _ conditions: [FilterCondition]?) {
    guard let conditions else { return unconditional.removeAscending(number) }
    if conditions.isEmpty { impossible -= 1 }
    for condition in conditions {
      if condition.isOfElements {
        elements[condition.path]?.remove(number, condition.keys)
        if elements[condition.path]?.isEmpty == true { elements[condition.path] = nil }
      } else {
        values[condition.path]?.remove(number, condition.keys)
        if values[condition.path]?.isEmpty == true { values[condition.path] = nil }
      }
    }
  }

  /// Adds the filters with a condition that the record meets before or after the change; some perhaps twice.
  mutating func find(_ change: RecordChange, _ found: inout [Int]) {
    for path in values.keys {
      if change.mayLeadThroughReference(path) {
        values[path]?.addAll(to: &found)
        continue
      }
      let before = change.before.map { IndexKey.key(of: $0, at: path) }
      let after = change.after.map { IndexKey.key(of: $0, at: path) }
      if let before { values[path]?.find(before, &found) }
      if let after, after != before { values[path]?.find(after, &found) }
    }
    for path in elements.keys {
      if change.mayLeadThroughReference(path) {
        elements[path]?.addAll(to: &found)
        continue
      }
      var keys = change.before.map { IndexKey.elementKeys(of: $0, at: path) } ?? []
      if let after = change.after { keys.formUnion(IndexKey.elementKeys(of: after, at: path)) }
      for key in keys { elements[path]?.find(key, &found) }
    }
  }
}

extension RecordChange {
  /// Whether the path goes, or went, into other records: what is there is not looked up.
  fileprivate func mayLeadThroughReference(_ path: FieldPath) -> Bool {
    guard path.mayLeadThroughReference else { return false }
    return [before, after].contains { $0?.json(ofField: path.root)?.holdsReference == true }
  }
}

extension JSON {
  /// Whether this is the value of a reference, or a list with one.
  fileprivate var holdsReference: Bool {
    switch kind {
    case .object: self["$reference"] != nil
    case .array: elements.contains { $0.holdsReference }
    default: false
    }
  }
}

extension [Int] {
  /// Takes a number out of an ascending list, if it is there.
  mutating func removeAscending(_ number: Int) {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < number { low = middle + 1 } else { high = middle }
    }
    if low < count, self[low] == number { remove(at: low) }
  }
}
