internal import Records
internal import SQLite

extension WriteTransaction {
  /// Brings a full-text index from one state of a record to the other. One that other rules of cutting text
  /// into words have made is made anew instead: words of theirs could not be found to be taken out.
  mutating func updateWords(
    of id: Int64, in index: DeclaredIndex, from before: StoredRecord?, to after: StoredRecord?
  ) throws(SQLiteError) {
    guard let named = after ?? before else { return }
    guard index.isOfCurrentWords else { return try setBack(index, ofType: Name(named.recordType)) }
    let words = FullTextIndex(id: index.id)
    switch (before, after) {
    case (let before?, let after?):
      let growth = try words.replace(before, with: after, id: id, in: connection)
      if growth != 0 { note(index, entries: 0, bytes: growth) }
    case (let before?, nil):
      note(index, entries: -1, bytes: -(try words.remove(before, id: id, in: connection)))
    case (nil, let after?):
      note(index, entries: 1, bytes: try words.insert(after, id: id, in: connection))
    case (nil, nil): return
    }
  }

  /// A full-text index that has to be made anew, and its type.
  var outdatedWords: (type: Name, index: DeclaredIndex)? {
    for (name, type) in state.types {
      if let index = type.indexes.first(where: { !$0.isOfCurrentWords }) { return (name, index) }
    }
    return nil
  }
}

extension DeclaredIndex {
  /// False for full text whose words were cut and folded by other rules than this program's.
  var isOfCurrentWords: Bool { kind != .fullText || collator == FullTextIndex.version }
}
