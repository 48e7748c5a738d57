public import Records
internal import Synchronization

/// What a store is after it was repaired, or would be.
public struct RepairedStore: Sendable {
  public var outcome: RepairOutcome
  /// The name of the file with what was there before, in the store's folder; nil when nothing was replaced.
  public var keptFile: String?
  /// Nil when nothing was replaced.
  public var changeToken: ChangeToken?
}

extension StoreDirectory {
  /// Makes a new file of what can be read of a store's, whether it can be opened as a store or not, and puts it in its
  /// place; the old one is kept beside it. Blocks for as long as that takes; nobody writes to the store meanwhile.
  ///
  /// The log of changes, what was deleted and the idempotency keys are not taken over: change tokens from before are
  /// refused. With `isDryRun` nothing is replaced.
  ///
  /// Throws as ``store(_:)``, but for damage; `storeMissing` where there is no file; `storageFull` and the like, and
  /// `storeBusy` when the store is read from for too long. Then nothing was done.
  public func repair(_ id: StoreID, isDryRun: Bool) throws(RecordError) -> RepairedStore {
    let store: RecordStore
    do throws(RecordError) {
      store = try self.store(id)
    } catch {
      guard error.code == .storeDamaged else { throw error }
      return try repairClosed(id, isDryRun: isDryRun)
    }
    let answer = Mailbox<Result<RepairedStore, RecordError>>()
    let request = FileRepair(isDryRun: isDryRun) { result in answer.put { _ in result } }
    guard store.submit(.repair(request)), let result = answer.takeFirst() else { throw .stopping }
    return try result.get()
  }

  private func repairClosed(_ id: StoreID, isDryRun: Bool) throws(RecordError) -> RepairedStore {
    guard let path = try path(of: id) else { throw .storeDamaged }
    let file = StoreFile(path, template)
    let (draft, outcome) = try file.makeRepaired(template)
    var repaired = RepairedStore(outcome: outcome)
    if isDryRun { return repaired }
    let assets = AssetFolder(besideStore: path, isDurable: true, random: template.random(), log: template.log)
    // Nobody opens it meanwhile.
    repaired.keptFile = try state.withLock { (state: inout State) throws(RecordError) in
      guard !state.isClosed else { throw .stopping }
      guard state.stores[id] == nil, !state.removing.contains(Name(id.container)) else { throw .storeBusy }
      return try file.replace(with: draft, assets: assets, template.clock)
    }
    let reader = try store(id).makeReader()
    defer { reader.renew() }
    repaired.changeToken = try reader.changeToken
    return repaired
  }
}
