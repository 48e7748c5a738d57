internal import JSONRPC
internal import Records
internal import SQLite

extension WriteTransaction {
  /// Does a part of what there is to do at indexes: builds on, or removes entries of dropped ones. Goes on as
  /// long as `mayGoOn` says so, which is asked after each row. False when there is nothing to do that can be
  /// done now.
  mutating func advanceIndexes(_ mayGoOn: () -> Bool) throws(SQLiteError) -> Bool {
    if let index = state.droppedIndexes.first {
      try removeEntries(of: index, mayGoOn)
    } else if let (name, index) = outdatedWords {
      try setBack(index, ofType: name)
    } else if let (name, indexes) = indexesToBuild() {
      try build(indexes, ofType: name, mayGoOn)
    } else {
      return false
    }
    hasIndexWork = true
    return true
  }

  /// Those of one type that have come equally far, so that one reading of the records serves all.
  private func indexesToBuild() -> (Name, [DeclaredIndex])? {
    for (name, type) in state.types {
      let building = type.indexes.filter { !$0.isReady && canBuild($0) }
      guard let least = building.compactMap(\.reached).min() else { continue }
      return (name, building.filter { $0.reached == least })
    }
    return nil
  }

  /// The index that tells who has a value of a field that is unique, whole: built to its end where it isn't, and made
  /// where there is none, as in a store that was repaired.
  mutating func uniqueIndex(of field: Name, ofType name: Name) throws(SQLiteError) -> DeclaredIndex {
    let shape = IndexShape(uniqueValuesOf: field)
    var index: DeclaredIndex? { state.types[name]?.indexes.first { $0.shape == shape && $0.origin != .type } }
    if let shape, index == nil { try addIndex(shape, origin: .declared, toType: name) }
    if let unready = index, !unready.isReady { try build([unready], ofType: name) { true } }
    guard let index, index.isReady else { throw SQLiteError(damage: "no index for what is unique") }
    return index
  }

  private func canBuild(_ index: DeclaredIndex) -> Bool {
    !index.isLocalized || configuration.collatorVersion() != nil
  }

  // MARK: Building

  private mutating func build(
    _ indexes: [DeclaredIndex], ofType name: Name, _ mayGoOn: () -> Bool
  ) throws(SQLiteError) {
    guard let type = state.types[name], var reached = indexes.first?.reached else { return }
    let indexes = try withCollator(indexes, ofType: name)
    let bodies = try connection.statement(.bodiesAfter)
    bodies.bind(type.id, at: 1)
    bodies.bind(reached, at: 2)
    var isAtEnd = false
    do {
      defer { bodies.reset() }
      repeat {
        guard try bodies.step() else {
          isAtEnd = true
          break
        }
        reached = bodies.int64(0)
        if bodies.isNull(1) { continue }
        let record = StoredRecord(body: JSON(unchecked: bodies.bytes(1)))
        for index in indexes { try insertEntries(of: record, reached, in: index) }
      } while mayGoOn()
    }
    for index in indexes {
      try note(index, ofType: name, reached: isAtEnd ? nil : reached)
      if isAtEnd { state.schema += 1 }
    }
  }

  private mutating func insertEntries(
    of record: StoredRecord, _ id: Int64, in index: DeclaredIndex
  ) throws(SQLiteError) {
    if index.kind == .fullText { return try updateWords(of: id, in: index, from: nil, to: record) }
    let tie = IndexKey.tie(of: record)
    do throws(KeyFailure) {
      for key in try keys(of: record, index) { try insert(key, tie, record: id, in: index) }
    } catch {
      if case .engine(let error) = error { throw error }
      // The collator was there a moment ago and stays loaded.
      throw SQLiteError(extendedCode: 1, message: "no keys can be made for index \(index.id)")
    }
  }

  /// The indexes, each localized one with the collator that makes its keys. One that another collator has
  /// begun is begun anew.
  private mutating func withCollator(
    _ indexes: [DeclaredIndex], ofType name: Name
  ) throws(SQLiteError) -> [DeclaredIndex] {
    var current: [DeclaredIndex] = []
    for var index in indexes {
      if index.isLocalized {
        let version = configuration.collatorVersion()
        if index.collator == nil { index.collator = version }
        guard index.collator == version else {
          try setBack(index, ofType: name)
          continue
        }
      }
      current.append(index)
    }
    return current
  }

  private mutating func note(
    _ index: DeclaredIndex, ofType name: Name, reached: Int64?
  ) throws(SQLiteError) {
    let reach = try connection.statement(.reachIndex)
    reach.bind(index.id, at: 1)
    reach.bind(reached, at: 2)
    if let collator = index.collator { reach.bind(collator, at: 3) } else { reach.bindNull(at: 3) }
    try reach.run()
    guard let place = state.types[name]?.indexes.firstIndex(where: { $0.id == index.id }) else { return }
    state.types[name]?.indexes[place].reached = reached
    state.types[name]?.indexes[place].collator = index.collator
  }

  // MARK: Dropping

  /// Entries that are removed before the next look at the time.
  private static let entriesAtOnce: Int64 = 64

  private mutating func removeEntries(
    of index: Int64, _ mayGoOn: () -> Bool
  ) throws(SQLiteError) {
    guard try FullTextIndex(id: index).removePart(in: connection, mayGoOn: mayGoOn) else { return }
    repeat {
      let find = try connection.statement(.entriesFrom)
      find.bind(index, at: 1)
      find.bind(Self.entriesAtOnce, at: 2)
      let remove = try connection.statement(.removeEntries)
      remove.bind(index, at: 1)
      if let last = try find.first({ (key: $0.bytes(0), tie: $0.bytes(1)) }) {
        remove.bind(last.key, at: 2)
        remove.bind(last.tie, at: 3)
        try remove.run()
        continue
      }
      // Above all that are left.
      remove.bind([0xFF], at: 2)
      remove.bind([], at: 3)
      try remove.run()
      let removeIndex = try connection.statement(.removeIndex)
      removeIndex.bind(index, at: 1)
      try removeIndex.run()
      state.droppedIndexes.removeAll { $0 == index }
      return
    } while mayGoOn()
  }
}
