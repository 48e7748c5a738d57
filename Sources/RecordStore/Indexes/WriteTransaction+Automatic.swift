internal import Records
internal import SQLite

extension WriteTransaction {
  /// Makes the index, if it pays and nothing speaks against it.
  mutating func consider(_ proposal: IndexAdvisor.Proposal) throws(SQLiteError) {
    let name = Name(proposal.recordType)
    let shape = IndexShape(parts: proposal.parts)
    guard let type = state.types[name], shape.parts.allSatisfy({ $0.path.isIndexable(type.fields) })
    else { return }
    if let index = type.indexes.first(where: { $0.serves(shape) }) {
      if try isOutdated(index) { try setBack(index, ofType: name) }
      return
    }
    guard type.makesAutomaticIndexes, configuration.makesAutomaticIndexes,
      proposal.cost > IndexAdvisor.buildingCost * (try countRecords(ofType: type.id))
    else { return }
    let automatic = type.indexes.filter { $0.origin == .automatic }
    if automatic.count >= IndexAdvisor.maximumIndexes {
      guard let least = try leastUsed(of: automatic, type: type.id) else { return }
      try dropIndex(least, ofType: name)
    }
    try addIndex(shape, origin: .automatic, toType: name)
  }

  /// Whether another collator made its keys: queries can't read from it.
  private func isOutdated(_ index: DeclaredIndex) throws(SQLiteError) -> Bool {
    index.isLocalized && index.collator != nil && index.collator != configuration.collatorVersion()
  }

  /// The one that was not used for the longest time. One that is still being built has had no chance, and is
  /// left out.
  private func leastUsed(of indexes: [DeclaredIndex], type: Int64) throws(SQLiteError) -> DeclaredIndex? {
    var lastUsed: [Int64: Int64] = [:]
    let rows = try connection.statement(.indexesOfType)
    rows.bind(type, at: 1)
    while try rows.step() {
      lastUsed[rows.int64(0)] = max(rows.optionalInt64(5) ?? 0, rows.int64(6))
    }
    return indexes.filter(\.isReady).min { lastUsed[$0.id] ?? 0 < lastUsed[$1.id] ?? 0 }
  }

  /// Puts down how indexes were used.
  mutating func keep(_ uses: [Int64: IndexAdvisor.Use]) throws(SQLiteError) {
    for (index, use) in uses {
      let note = try connection.statement(.noteUse)
      note.bind(index, at: 1)
      note.bind(use.count, at: 2)
      note.bind(use.last, at: 3)
      try note.run()
    }
    if !uses.isEmpty { hasIndexWork = true }
  }
}

extension DeclaredIndex {
  /// Whether there is no point in making an index of this shape: this is one, or it may turn out to do as well
  /// once it is built. One that is built, has more keys, and left queries slow does not (it has another order).
  fileprivate func serves(_ shape: IndexShape) -> Bool {
    guard origin != .type, kind == shape.kind else { return false }
    return isReady ? parts == shape.parts : parts.starts(with: shape.parts)
  }
}
