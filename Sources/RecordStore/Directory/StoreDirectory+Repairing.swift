internal import Files
public import Records
internal import Synchronization

extension StoreDirectory {
  /// What a repair came to.
  public struct Repair: Sendable {
    /// What was found before.
    public var found: StoreReport
    /// Nil when there was nothing that a repair could mend, and none was asked for all the same.
    public var report: RepairReport?
  }

  /// Looks a store through and, where that finds what can be mended, or `isForced`, makes a new one of what can be read of it
  /// and puts that in its place. What was there is kept under a name with the time. Blocks for as long as that takes.
  ///
  /// Those who use the store go on with the new one (``CommitGroup/isOfOtherRecords``); what they save meanwhile is
  /// `serviceUnavailable`. After a crash one or the other is there, whole.
  ///
  /// - Parameter isDryRun: to be told what would come of it; nothing is written then.
  /// - Throws: as ``check(_:isDeep:)``; `storageFull` and the like when the new one can't be made: then nothing was done.
  public func repair(_ id: StoreID, isForced: Bool, isDryRun: Bool) throws(RecordError) -> Repair {
    let found = try check(id)
    guard found.isMendable || isForced, let path = try path(of: id), Folder.size(of: path) != nil else {
      return Repair(found: found)
    }
    if isDryRun {
      let assets = AssetFolder(besideStore: path, isDurable: false, random: 0, log: template.log)
      let report = try StoreRepair.run(
        of: path, into: nil, assets: assets, template, isStopped: { [self] in isClosed })
      return Repair(found: found, report: report)
    }
    let store = try state.withLock { (state: inout State) throws(RecordError) in
      guard !state.isClosed else { throw .stopping }
      guard !state.removing.contains(Name(id.container)) else { throw .containerIsBeingDeleted }
      guard state.repairing.insert(id).inserted else { throw .storeBeingRepaired }
      sweep(id, path, &state)
      return state.stores[id]
    }
    defer { state.withLock { _ = $0.repairing.remove(id) } }
    if let store { return Repair(found: found, report: try store.repair(template)) }
    return Repair(found: found, report: try repairClosed(id, path))
  }

  /// Nobody opens it meanwhile.
  private func repairClosed(_ id: StoreID, _ path: String) throws(RecordError) -> RepairReport {
    let file = StoreFile(path, template)
    let draft = try Draft(ofRepaired: file)
    let assets = AssetFolder(besideStore: path, isDurable: true, random: template.random(), log: template.log)
    var report = try StoreRepair.run(
      of: path, into: draft, assets: assets, template, isStopped: { [self] in isClosed })
    let kept = try state.withLock { (state: inout State) throws(RecordError) in
      guard !state.isClosed else { throw .stopping }
      guard !state.removing.contains(Name(id.container)) else { throw .containerIsBeingDeleted }
      let kept = try file.replace(with: draft, assets: assets, template.clock)
      state.repairing.remove(id)
      return kept
    }
    let reader = try store(id).makeReader()
    defer { reader.renew() }
    report.store = RestoredStore(
      changeToken: try reader.changeToken, records: try reader.statistics().records, keptAs: kept)
    return report
  }
}

extension StoreReport {
  /// Whether there is something that a new store would be without: files that are gone stay gone.
  var isMendable: Bool { counts.contains { $0.key != .asset && $0.value > 0 } }
}
