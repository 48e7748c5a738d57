internal import Records
internal import SQLite

extension WriteTransaction {
  /// Brings the type's indexes from one state of the record to the other. Writes only what differs.
  mutating func index(
    _ id: Int64, as type: RecordType, from before: StoredRecord?, to after: StoredRecord?
  ) throws(SQLiteError) {
    guard let named = after ?? before else { return }
    let tie = IndexKey.tie(of: named)
    let difference = RecordDifference(before, after, matters: type.indexes.count > 1)
    for index in type.indexes where index.covers(record: id) && difference.concerns(index) {
      if index.kind == .fullText {
        try updateWords(of: id, in: index, from: before, to: after)
        continue
      }
      do throws(KeyFailure) {
        let old = try keys(of: before, index)
        let new = try keys(of: after, index)
        for key in old.subtracting(new) { try remove(key, tie, from: index) }
        for key in new.subtracting(old) { try insert(key, tie, record: id, in: index) }
      } catch {
        switch error {
        case .engine(let error): throw error
        case .collation: try setBack(index, ofType: Name(named.recordType))
        }
      }
    }
  }

  /// Why an index can't be brought up to date.
  enum KeyFailure: Error {
    case engine(SQLiteError)
    /// Its keys were made by another collator, or there is none now.
    case collation
  }

  /// The keys of the record's entries.
  func keys(of record: StoredRecord?, _ index: DeclaredIndex) throws(KeyFailure) -> Set<[UInt8]> {
    guard let record else { return [] }
    if index.isLocalized, index.collator == nil || index.collator != configuration.collatorVersion() {
      throw .collation
    }
    do {
      switch index.kind {
      case .ordered: return [try IndexKey.key(of: record, parts: index.parts)]
      case .elements: return try IndexKey.elementKeys(of: record, part: index.parts[0])
      case .fullText: return []
      }
    } catch {
      throw .collation
    }
  }

  mutating func insert(
    _ key: [UInt8], _ tie: [UInt8], record: Int64, in index: DeclaredIndex
  ) throws(KeyFailure) {
    do {
      let insert = try connection.statement(.insertEntry)
      insert.bind(index.id, at: 1)
      insert.bind(key, at: 2)
      insert.bind(tie, at: 3)
      insert.bind(record, at: 4)
      try insert.run()
    } catch {
      throw .engine(error)
    }
    note(index, entries: 1, bytes: key.count + tie.count)
  }

  private mutating func remove(
    _ key: [UInt8], _ tie: [UInt8], from index: DeclaredIndex
  ) throws(KeyFailure) {
    do {
      let remove = try connection.statement(.removeEntry)
      remove.bind(index.id, at: 1)
      remove.bind(key, at: 2)
      remove.bind(tie, at: 3)
      try remove.run()
    } catch {
      throw .engine(error)
    }
    note(index, entries: -1, bytes: -key.count - tie.count)
  }

  /// Counts what an index grew by.
  mutating func note(_ index: DeclaredIndex, entries: Int, bytes: Int) {
    // How much there is of the one that every type has shows in the type.
    guard index.origin != .type else { return }
    state.indexGrowth[index.id, default: IndexSize()] += IndexSize(
      entries: Int64(entries), bytes: Int64(bytes))
  }
}

/// What a change of a record may mean for indexes.
private struct RecordDifference {
  /// The fields that changed; nil when the record came or went.
  private let fields: Set<Name>?

  init(_ before: StoredRecord?, _ after: StoredRecord?, matters: Bool) {
    guard let before, let after else {
      fields = nil
      return
    }
    fields = matters ? Set(after.changedKeys(since: before).map { Name($0) }) : []
  }

  /// Whether entries of the index may differ.
  func concerns(_ index: DeclaredIndex) -> Bool {
    guard let fields else { return true }
    if index.kind == .fullText { return true }
    return index.parts.contains {
      $0.path.systemKey?.isChangedBySaving ?? fields.contains(Name($0.path.root))
    }
  }
}

extension SystemKey {
  /// Whether it may be another one in each version of a record.
  fileprivate var isChangedBySaving: Bool {
    switch self {
    case .recordName, .recordType, .zoneName, .creationDate, .creatorUserRecordID: false
    case .recordChangeTag, .modificationDate, .lastModifiedUserRecordID: true
    }
  }
}

extension DeclaredIndex {
  /// Whether the record with this row has its entries in it: all have when it is whole.
  func covers(record: Int64) -> Bool {
    guard let reached else { return true }
    return record <= reached
  }
}
