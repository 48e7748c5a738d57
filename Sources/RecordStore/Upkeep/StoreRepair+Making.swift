internal import Records
internal import SQLite

extension StoreRepair {
  /// Makes a new store of what can be read of the one at the path. Runs on the caller's thread, for as long as it takes.
  ///
  /// - Parameters:
  ///   - draft: where the new one is to be, whole but not durable yet; nil when it is only to be seen what would come of
  ///     it: then nothing is written beside the old one.
  ///   - assets: where the files of its assets are.
  /// Throws `storageFull` and the like when the new one can't be made.
  static func run(
    of path: String, into draft: Draft?, assets: AssetFolder?, _ configuration: RecordStoreConfiguration,
    isStopped: @escaping () -> Bool = { false }
  ) throws(RecordError) -> RepairReport {
    let old = DamagedStore(path)
    let position =
      old.all("SELECT identity, lastCommit, records FROM store", { AdoptedPosition($0) }) {
        $0.store.map { [$0] } ?? []
      }.values.first
    let identity = position?.identity ?? configuration.random()
    let file = StoreFile(draft?.path ?? path, configuration)
    do {
      let database: Database
      if let draft {
        database = try Database(path: draft.path, access: .readWriteCreate, busyTimeout: 0)
        // It is nothing before it is whole.
        try database.execute(
          "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384")
      } else {
        // In files that have no name, or in memory.
        database = try Database(path: "", access: .readWriteCreate, busyTimeout: 0)
      }
      try Schema.create(in: database, identity: Int64(bitPattern: identity))
      let connection = Connection(database)
      let transaction = try Transaction(.immediate, in: database)
      let empty = WriteTransaction(
        connection: connection, configuration: configuration, keepsHistory: true,
        state: try StoreState(reading: connection))
      var repair = StoreRepair(of: old, position: position, into: empty)
      var report = try repair.run()
      try transaction.commit()
      if isStopped() { throw RecordError.stopping }
      report.remaining =
        try StoreCheck(connection, assets: assets, isStopped: isStopped).run() ?? StoreReport()
      if draft != nil { try database.execute("PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL") }
      return report
    } catch let error as SQLiteError {
      throw file.explain(error)
    } catch let error as RecordError {
      throw error
    } catch {
      throw RecordError.storeUnreachable
    }
  }
}
