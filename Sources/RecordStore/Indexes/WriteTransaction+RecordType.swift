internal import Records
internal import SQLite

extension WriteTransaction {
  /// Declares fields and indexes of a type. A refusal is decided before anything is written.
  mutating func apply(_ draft: RecordTypeDraft) throws(SQLiteError) -> Result<ItemResult, RecordError> {
    let name = Name(draft.name)
    let plan: RecordTypePlan
    do {
      plan = try RecordTypePlan(draft, known: state.types[name], limits: configuration.limits)
    } catch {
      return .failure(error)
    }
    if state.types[name] == nil {
      state.types[name] = try makeType(draft.name)
      state.schema += 1
    }
    guard let type = state.types[name]?.id else { throw SQLiteError(damage: "no type \(draft.name)") }
    for field in plan.newFields { try addField(field.name, field.type, to: type, name) }
    for field in plan.indexing { try declare(field.name, field.indexing, of: type, name) }
    try setAutomaticIndexes(plan.makesAutomaticIndexes, of: type, name)
    try adjustIndexes(ofType: name, to: plan.indexes)
    return .success(.savedRecordType(name: draft.name))
  }

  private mutating func addField(
    _ field: Name, _ valueType: FieldType, to type: Int64, _ name: Name
  ) throws(SQLiteError) {
    try insertField(field.text, valueType, type: type)
    state.types[name]?.fields[field] = valueType
    state.schema += 1
  }

  private mutating func declare(
    _ field: Name, _ indexing: FieldIndexing, of type: Int64, _ name: Name
  ) throws(SQLiteError) {
    let update = try connection.statement(.updateField)
    update.bind(type, at: 1)
    update.bind(field.text, at: 2)
    update.bind(indexing.rawValue, at: 3)
    try update.run()
    state.types[name]?.fieldIndexing[field] = indexing.isEmpty ? nil : indexing
    state.schema += 1
  }

  private mutating func setAutomaticIndexes(
    _ isOn: Bool, of type: Int64, _ name: Name
  ) throws(SQLiteError) {
    guard let known = state.types[name], known.makesAutomaticIndexes != isOn else { return }
    let update = try connection.statement(.updateType)
    update.bind(type, at: 1)
    update.bind(isOn ? 1 : 0, at: 2)
    try update.run()
    state.types[name]?.makesAutomaticIndexes = isOn
    state.schema += 1
    if isOn { return }
    for index in known.indexes where index.origin == .automatic { try dropIndex(index, ofType: name) }
  }

  /// Drops what is not declared any more and adds what is new.
  private mutating func adjustIndexes(
    ofType name: Name, to wanted: [(shape: IndexShape, isListed: Bool)]
  ) throws(SQLiteError) {
    let shapes = Set(wanted.map(\.shape))
    for index in state.types[name]?.indexes ?? []
    where index.origin == .declared && !shapes.contains(index.shape) {
      try dropIndex(index, ofType: name)
    }
    for (shape, isListed) in wanted {
      let place = state.types[name]?.indexes.firstIndex { $0.origin != .type && $0.shape == shape }
      if let place {
        try declare(at: place, ofType: name, isListed: isListed)
      } else {
        try addIndex(shape, origin: .declared, isListed: isListed, toType: name)
      }
    }
  }

  /// Makes an index that is there a declared one.
  private mutating func declare(at place: Int, ofType name: Name, isListed: Bool) throws(SQLiteError) {
    guard let index = state.types[name]?.indexes[place],
      index.origin != .declared || index.isListed != isListed
    else { return }
    let update = try connection.statement(.updateIndex)
    update.bind(index.id, at: 1)
    update.bind(DeclaredIndex.Origin.declared.rawValue, at: 2)
    update.bind(isListed ? 1 : 0, at: 3)
    try update.run()
    state.types[name]?.indexes[place].origin = .declared
    state.types[name]?.indexes[place].isListed = isListed
    state.schema += 1
  }
}
