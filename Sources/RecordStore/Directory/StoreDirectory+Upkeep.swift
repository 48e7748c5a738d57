internal import Glibc
public import Records
internal import SQLite
internal import Synchronization

extension StoreDirectory {
  /// Looks a store's file through, whether it can be opened as a store or not, and whether the files of its assets are
  /// there; changes nothing. Reads the whole file on the caller's thread, while others read and write.
  ///
  /// - Parameter readsAssets: whether the assets are read, too, and held against their checksums.
  ///
  /// Throws as ``store(_:)``, but for damage, which is a problem of the report.
  public func check(_ id: StoreID, readsAssets: Bool = false) throws(RecordError) -> StoreReport {
    guard let path = try path(of: id) else { return StoreReport() }
    let file = StoreFile(
      path: path, isDurable: true, busyTimeout: template.limits.busyTimeout,
      cacheBytes: template.limits.cacheBytes, log: template.log)
    guard file.identity != nil else {
      // One that was never used has none.
      guard openStores[id] == nil else { throw .storeMissing }
      return StoreReport()
    }
    do throws(RecordError) {
      guard let report = try check(file, openStores[id]?.use, readsAssets: readsAssets) else {
        throw RecordError.stopping
      }
      return report
    } catch {
      guard error.code == .storeDamaged else { throw error }
      var report = StoreReport()
      report.note(.init(.file, "the file is damaged where it says what is in it, or is no store"))
      return report
    }
  }

  /// Nil when the directory is closed meanwhile.
  private func check(
    _ file: StoreFile, _ use: FileUse?, readsAssets: Bool
  ) throws(RecordError) -> StoreReport? {
    let assets = AssetFolder(besideStore: file.path, isDurable: true, random: 0, log: template.log)
    let connection =
      if let use { try use.opening { () throws(RecordError) in try file.openReader() } } else {
        try file.openReader()
      }
    do {
      let transaction = try Transaction(.deferred, in: connection.database)
      let check = try StoreCheck(connection, assets: assets, readsAssets: readsAssets) { [self] in isClosed }
      let report = check.run()
      transaction.rollBack()
      return report
    } catch {
      throw file.explain(error)
    }
  }

  /// Where the store's file is, or would be; nil for one that is to be in memory and is not there yet.
  func path(of id: StoreID) throws(RecordError) -> String? {
    try state.withLock { (state: inout State) throws(RecordError) -> String? in
      guard !state.isClosed else { throw .stopping }
      if let store = state.stores[id] { return store.path }
      switch try place(of: id, in: &state) {
      case .file(let path):
        sweep(id, path, &state)
        return path
      case .memory: return nil
      }
    }
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }
}
