public import Files
public import Records
internal import Synchronization

extension StoreDirectory {
  /// As ``RecordStore/restore(_:checksum:isForced:)``; with `isForced` also where the store is damaged, too new or gone,
  /// and can't be opened.
  public func restore(
    _ id: StoreID, from backup: OwnedDescriptor, checksum: String, isForced: Bool
  ) throws(RecordError) -> RestoredStore {
    let store: RecordStore
    do throws(RecordError) {
      store = try self.store(id)
    } catch {
      guard isForced, error.code == .storeDamaged || error.code == .storeTooNew else { throw error }
      return try replaceClosed(id, backup, checksum)
    }
    return try store.restore(backup, checksum: checksum, isForced: isForced)
  }

  private func replaceClosed(
    _ id: StoreID, _ backup: OwnedDescriptor, _ checksum: String
  ) throws(RecordError) -> RestoredStore {
    let location = try state.withLock { (state: inout State) throws(RecordError) in
      try place(of: id, in: &state)
    }
    guard case .file(let path) = location else { throw .storeDamaged }
    let assets = AssetFolder(besideStore: path, isDurable: true, random: template.random(), log: template.log)
    let replacement = try Replacement(of: path, from: backup, checksum: checksum, assets: assets) { [self] in
      state.withLock { $0.isClosed }
    }
    // Nobody opens it meanwhile.
    try state.withLock { (state: inout State) throws(RecordError) in
      guard !state.isClosed else { throw .stopping }
      guard state.stores[id] == nil, !state.removing.contains(Name(id.container)) else { throw .storeBusy }
      try StoreFile(path, template).replace(with: replacement.draft, assets: assets, template.clock)
    }
    let reader = try store(id).makeReader()
    defer { reader.renew() }
    return RestoredStore(changeToken: try reader.changeToken, records: try reader.statistics().records)
  }
}
