internal import JSONRPC
internal import Records
internal import SQLite

extension WriteTransaction {
  /// The records of a type that break rules of these fields. Looks at every record of the type.
  mutating func breaches(ofType name: Name, in fields: [Name]) throws(SQLiteError) -> [RecordTypeReport
    .Breach]
  {
    guard let type = state.types[name], try countRecords(ofType: type.id) > 0 else { return [] }
    let ruled = fields.compactMap { field in type.rules[field].map { (field, $0) } }
    var tally = Tally<BreachKey>()
    if ruled.contains(where: { $0.1.areChecked }) {
      let bodies = try connection.borrow(.bodiesAfter)
      defer { connection.giveBack(bodies, of: .bodiesAfter) }
      bodies.bind(type.id, at: 1)
      bodies.bind(0, at: 2)
      while try bodies.step() {
        if bodies.isNull(1) { continue }
        let record = StoredRecord(body: JSON(unchecked: bodies.bytes(1)))
        for (field, rules) in ruled {
          guard let violation = rules.violation(of: record.value(forKey: field.text)) else { continue }
          tally.add(BreachKey(field: field, rule: violation.rule), record, violation.value)
        }
      }
    }
    for (field, rules) in ruled where rules.isUnique {
      try tallySharedValues(of: field, ofType: name, in: &tally)
    }
    return tally.entries.map {
      .init(field: $0.key.field.text, rule: $0.key.rule, count: $0.count, examples: $0.examples)
    }
  }

  /// Counts the records whose value of the field others have too.
  private mutating func tallySharedValues(
    of field: Name, ofType type: Name, in tally: inout Tally<BreachKey>
  ) throws(SQLiteError) {
    let index = try uniqueIndex(of: field, ofType: type)
    let keys = try connection.borrow(.keysOfIndex)
    defer { connection.giveBack(keys, of: .keysOfIndex) }
    keys.bind(index.id, at: 1)
    var key: [UInt8] = []
    var sharing: [Int64] = []
    while try keys.step() {
      let next = keys.bytes(0)
      if !next.elementsEqual(key) {
        try tallyEqual(sharing, field, in: &tally)
        key = Array(next)
        sharing = []
      }
      // Null is not unique.
      if key != Self.nullKey { sharing.append(keys.int64(1)) }
    }
    try tallyEqual(sharing, field, in: &tally)
  }

  private static let nullKey: [UInt8] = {
    var key: [UInt8] = []
    SortKey.append(nil, to: &key)
    return key
  }()

  /// Of records whose values have the same key, those that are equal: references may lead into different zones.
  private func tallyEqual(
    _ ids: [Int64], _ field: Name, in tally: inout Tally<BreachKey>
  ) throws(SQLiteError) {
    guard ids.count > 1 else { return }
    var groups: [[UInt8]: [(StoredRecord, FieldValue)]] = [:]
    for id in ids {
      guard let record = try row(id)?.record, let value = record.value(forKey: field.text) else { continue }
      let zones = value.naming(zone: record.zoneName).zonesNamed
      groups[Array(zones.utf8), default: []].append((record, value))
    }
    for group in groups.values where group.count > 1 {
      for (record, value) in group { tally.add(BreachKey(field: field, rule: .unique), record, value) }
    }
  }
}

/// A rule of a field.
private struct BreachKey: Hashable, Comparable {
  var field: Name
  var rule: FieldRules.Rule

  static func < (left: BreachKey, right: BreachKey) -> Bool {
    left.field == right.field ? left.rule.rawValue < right.rule.rawValue : left.field < right.field
  }
}

extension FieldValue {
  /// The zones that references in it name, one after another. No name has a zero byte.
  fileprivate var zonesNamed: String {
    switch self {
    case .reference(let reference): (reference.zoneName ?? "") + "\u{0}"
    case .list(let elements): elements.map(\.zonesNamed).joined()
    default: ""
    }
  }
}
