internal import Records
internal import SQLite

extension WriteTransaction {
  /// Declares fields, their rules and indexes of a type, and changes fields that it has. Refused, nothing is done.
  mutating func apply(
    _ draft: RecordTypeDraft, in commit: inout Commit
  ) throws(SQLiteError) -> Result<ItemResult, RecordError> {
    var report = RecordTypeReport()
    // What looks at records can be refused when something is written already.
    guard draft.isDryRun || !draft.changes.isEmpty || draft.fields.contains(where: { !$0.rules.isEmpty })
    else {
      if let refusal = try declare(draft, in: &commit, telling: &report) { return .failure(refusal) }
      return .success(.savedRecordType(name: draft.name, nil))
    }
    let (before, commitBefore) = (state, commit)
    let part = try Savepoint(in: connection.database)
    let refusal = try declare(draft, in: &commit, telling: &report)
    if refusal == nil, !draft.isDryRun {
      try part.keep()
      return .success(.savedRecordType(name: draft.name, draft.changes.isEmpty ? nil : report))
    }
    try part.undo()
    (state, commit) = (before, commitBefore)
    if let refusal { return .failure(refusal) }
    return .success(.examinedRecordType(report))
  }

  /// Does it; why it must be undone, where it must.
  private mutating func declare(
    _ draft: RecordTypeDraft, in commit: inout Commit, telling report: inout RecordTypeReport
  ) throws(SQLiteError) -> RecordError? {
    let name = Name(draft.name)
    let fates: FieldFates
    do throws(RecordError) {
      if !draft.changes.isEmpty, state.types[name] == nil { throw RecordError.unknownType(draft.name) }
      fates = try FieldFates(draft.changes, of: state.types[name] ?? RecordType(id: 0))
    } catch {
      return error
    }
    if let refusal = try apply(fates, toType: name, in: &commit, telling: &report) { return refusal }
    let plan: RecordTypePlan
    do throws(RecordError) {
      plan = try RecordTypePlan(draft, known: state.types[name], limits: configuration.limits)
    } catch {
      return error
    }
    if state.types[name] == nil {
      state.types[name] = try makeType(draft.name)
      state.schema += 1
    }
    guard let type = state.types[name]?.id else { throw SQLiteError(damage: "no type \(draft.name)") }
    for field in plan.newFields { try addField(field.name, field.type, to: type, name) }
    for field in plan.indexing { try declare(field.name, field.indexing, of: type, name) }
    for field in plan.rules { try declare(field.name, field.after, of: type, name) }
    try setAutomaticIndexes(plan.makesAutomaticIndexes, of: type, name)
    try adjustIndexes(ofType: name, to: plan.indexes)
    for (field, rules) in state.types[name]?.rules ?? [:] where rules.isUnique {
      _ = try uniqueIndex(of: field, ofType: name)
    }
    let narrowed = plan.rules.filter { $0.after.demandsMore(than: $0.before) }.map(\.name)
    report.breaches = try breaches(ofType: name, in: Set(narrowed + fates.retyped).sorted())
    if draft.isDryRun { return nil }
    if !draft.acceptsLoss, !report.losses.isEmpty { return .lossy(report) }
    return report.breaches.isEmpty ? nil : .broken(report)
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
    try write(indexing, of: field, type: type)
    state.types[name]?.fieldIndexing[field] = indexing.isEmpty ? nil : indexing
    state.schema += 1
  }

  private mutating func declare(
    _ field: Name, _ rules: FieldRules, of type: Int64, _ name: Name
  ) throws(SQLiteError) {
    try write(rules, of: field, type: type)
    state.types[name]?.rules[field] = rules.isEmpty ? nil : rules
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
