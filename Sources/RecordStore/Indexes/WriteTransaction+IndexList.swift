internal import Records
internal import SQLite

/// What an index is of: two with the same would be one too many.
struct IndexShape: Hashable {
  var kind: DeclaredIndex.Kind = .ordered
  var parts: [IndexPart] = []
}

extension DeclaredIndex {
  var shape: IndexShape { IndexShape(kind: kind, parts: parts) }
}

extension WriteTransaction {
  /// Adds an index to a type that has no such one. It is built later, in parts; at once when the type has no
  /// records.
  mutating func addIndex(
    _ shape: IndexShape, origin: DeclaredIndex.Origin, isListed: Bool = false, toType name: Name
  ) throws(SQLiteError) {
    guard let type = state.types[name] else { return }
    let isWhole =
      try countRecords(ofType: type.id) == 0 && !shape.parts.contains { $0.collation == .localized }
    let index = try insertIndex(
      shape, origin: origin, isListed: isListed, type: type.id, reached: isWhole ? nil : 0)
    state.types[name]?.indexes.append(index)
    state.schema += 1
  }

  /// Takes an index from its type. Its entries are removed later, in parts.
  mutating func dropIndex(_ index: DeclaredIndex, ofType name: Name) throws(SQLiteError) {
    let drop = try connection.statement(.dropIndex)
    drop.bind(index.id, at: 1)
    try drop.run()
    state.types[name]?.indexes.removeAll { $0.id == index.id }
    state.droppedIndexes.append(index.id)
    state.schema += 1
  }

  /// Has an index made anew from its beginning, because its entries can't be kept true.
  mutating func setBack(_ index: DeclaredIndex, ofType name: Name) throws(SQLiteError) {
    try dropIndex(index, ofType: name)
    try addIndex(index.shape, origin: index.origin, isListed: index.isListed, toType: name)
  }

  func insertIndex(
    _ shape: IndexShape, origin: DeclaredIndex.Origin, isListed: Bool = false, type: Int64, reached: Int64?
  ) throws(SQLiteError) -> DeclaredIndex {
    let insert = try connection.statement(.insertIndex)
    insert.bind(type, at: 1)
    insert.bind(shape.parts.keys, at: 2)
    insert.bind(shape.kind.rawValue, at: 3)
    insert.bind(origin.rawValue, at: 4)
    insert.bind(isListed ? 1 : 0, at: 5)
    insert.bind(reached, at: 6)
    insert.bind(configuration.clock(), at: 7)
    let collator = shape.kind == .fullText ? FullTextIndex.version : nil
    if let collator { insert.bind(collator, at: 8) } else { insert.bindNull(at: 8) }
    try insert.run()
    let id = connection.database.lastInsertedRow
    if shape.kind == .fullText { try FullTextIndex(id: id).create(in: connection) }
    return DeclaredIndex(
      id: id, parts: shape.parts, kind: shape.kind, origin: origin, isListed: isListed, reached: reached,
      collator: collator)
  }

  func countRecords(ofType type: Int64) throws(SQLiteError) -> Int64 {
    let count = try connection.statement(.recordsOfType)
    count.bind(type, at: 1)
    return (try count.first { $0.int64(0) } ?? 0) + state.growth[type, default: 0]
  }
}
