internal import RecordStore
internal import Records

/// The fields that differ from before in any of some changed records.
struct ChangedFields {
  /// By their bytes; nil for any: a record was made or deleted.
  private var names: Set<[UInt8]>?

  init(_ changes: [RecordChange]) {
    var names: Set<[UInt8]> = []
    for change in changes {
      guard let before = change.before, let after = change.after, !change.passesOver else { return }
      names.formUnion(after.changedKeys(since: before).map { Array($0.utf8) })
    }
    self.names = names
  }

  /// Whether what bears that name in a record may have changed; system keys change always.
  func mayHold(_ name: String) -> Bool {
    guard let names, SystemKey(rawValue: name) == nil else { return true }
    return names.contains(Array(name.utf8))
  }
}
