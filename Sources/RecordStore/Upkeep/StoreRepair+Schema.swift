internal import Records
internal import SQLite

/// Zones, types, and what is declared of fields.
extension StoreRepair {
  mutating func adoptZones() throws(SQLiteError) {
    let found = old.all(
      "SELECT id, name, deleted FROM zone",
      { AdoptedZone(id: $0.int64(0), name: $0.text(1), isDeleted: !$0.isNull(2)) }, onPages: { $0.zones })
    report[.zones].isWhole = found.isWhole
    for zone in found.values where !zone.name.isEmpty && zones[zone.id] == nil {
      zones[zone.id] = zone.name
      if !zone.isDeleted { _ = try work.adoptZone(zone.name) }
    }
    report[.zones].kept = work.state.zones.count
  }

  mutating func adoptTypes() throws(SQLiteError) {
    let found = old.all(
      "SELECT id, name, automaticIndexes FROM type",
      { AdoptedType(id: $0.int64(0), name: $0.text(1), makesAutomaticIndexes: $0.int64(2) != 0) },
      onPages: { $0.types })
    report[.recordTypes].isWhole = found.isWhole
    for type in found.values where !type.name.isEmpty && types[type.id] == nil {
      types[type.id] = Name(type.name)
      try work.adoptType(type.name, makesAutomaticIndexes: type.makesAutomaticIndexes)
    }
  }

  /// After the records, which know better.
  mutating func adoptFields() throws(SQLiteError) {
    let found = old.all(
      "SELECT type, name, valueType, indexes, rules FROM field", { AdoptedField($0) },
      onPages: { $0.fields })
    for field in found.values {
      guard let type = types[field.type] else { continue }
      guard try work.adopt(field, ofType: type) else {
        report.note(
          "what was declared of the field '\(field.name)' of '\(type.text)' was dropped: "
            + "the records have another type of value there")
        continue
      }
    }
    report[.recordTypes].kept = work.state.types.count
    report[.zones].kept = work.state.zones.count
    report[.fields] = .init(
      kept: work.state.types.values.reduce(0) { $0 + $1.fields.count }, lost: nil, isWhole: found.isWhole)
    if !found.isWhole { report.note("what was declared of fields, rules among it, may be incomplete") }
  }

  /// All are built anew.
  mutating func adoptIndexes() throws(SQLiteError) {
    let found = old.all(
      """
      SELECT type, keys, kind, origin, isListed FROM declaredIndex WHERE isDropped = 0 AND origin <> 'type'
      """, { AdoptedIndex($0) }, onPages: { $0.indexes })
    for index in found.values {
      guard let type = types[index.type], !work.hasIndex(index.shape, ofType: type) else { continue }
      try work.addIndex(index.shape, origin: index.origin, isListed: index.isListed, toType: type)
    }
    for (name, type) in work.state.types {
      for shape in type.wantedIndexes where !work.hasIndex(shape, ofType: name) {
        try work.addIndex(shape, origin: .declared, toType: name)
      }
    }
    while try work.advanceIndexes({ true }) {}
    report[.indexes] = .init(
      kept: work.state.types.values.reduce(0) { $0 + $1.indexes.count - 1 }, lost: nil,
      isWhole: found.isWhole)
  }

  /// Rules that the records don't keep can't go on.
  mutating func adoptRules() throws(SQLiteError) {
    for (name, type) in work.state.types where type.rules.values.contains(where: \.areChecked) {
      for breach in try work.breaches(ofType: name, in: type.rules.keys.sorted()) {
        let field = Name(breach.field)
        guard var rules = work.state.types[name]?.rules[field] else { continue }
        rules.drop(breach.rule)
        try work.write(rules, of: field, type: type.id)
        work.state.types[name]?.rules[field] = rules.isEmpty ? nil : rules
        report.note(
          "the rule '\(breach.rule.rawValue)' of the field '\(breach.field)' of '\(name.text)' was dropped: "
            + "\(breach.count) records break it")
      }
    }
  }
}

extension RecordType {
  /// The indexes that what is declared of its fields demands.
  var wantedIndexes: [IndexShape] {
    var shapes: [IndexShape] = []
    for (name, indexing) in fieldIndexing.sorted(by: { $0.key < $1.key }) {
      shapes += IndexShape.shapes(of: name, fields[name], indexing)
    }
    for name in rules.filter(\.value.isUnique).keys.sorted() {
      if let shape = IndexShape(uniqueValuesOf: name) { shapes.append(shape) }
    }
    return shapes
  }
}
