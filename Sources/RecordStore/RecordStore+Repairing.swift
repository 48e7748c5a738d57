internal import Records

extension RecordStore {
  /// Makes a new store of what can be read of this one, and puts it in its place. Reads go on meanwhile, writes are
  /// refused. Blocks for as long as that takes.
  func repair(_ configuration: RecordStoreConfiguration) throws(RecordError) -> RepairReport {
    let suspended = Mailbox<RecordError?>()
    guard suspend(done: { error in suspended.put { _ in error } }), let outcome = suspended.takeFirst() else {
      throw .stopping
    }
    if let error = outcome { throw error }
    var isReplacing = false
    defer { if !isReplacing { resume() } }
    let draft = try Draft(ofRepaired: file)
    var report = try StoreRepair.run(
      of: file.path, into: draft, assets: assets.folder, configuration, isStopped: { self.isStopped })
    isReplacing = true
    report.store = try replace(
      FileReplacement(replacement: Replacement(repaired: draft), isRepair: true, isForced: true))
    return report
  }
}

extension Draft {
  /// Of a new store that is made of what another has; throws `storageFull` where there is no room for it.
  convenience init(ofRepaired file: StoreFile) throws(RecordError) {
    try self.init(of: file.path, "repair")
    try checkRoom(for: file.bytes)
  }
}
