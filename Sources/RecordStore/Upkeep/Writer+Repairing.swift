internal import Records

/// Making a new file of what can be read of the store's.
struct FileRepair: Sendable {
  /// Whether it is only to be said what would come of it.
  let isDryRun: Bool
  let done: @Sendable (Result<RepairedStore, RecordError>) -> Void
}

extension Writer {
  /// Makes a new file of what can be read and puts it in the place of the store's, as ``replaceFile(_:)`` does. Nothing
  /// is written meanwhile.
  func repairFile(_ request: FileRepair) {
    var repaired: RepairedStore?
    let result: Result<RepairedStore, RecordError>
    do throws(RecordError) {
      if request.isDryRun {
        result = .success(RepairedStore(outcome: try file.makeRepaired(configuration).outcome))
      } else {
        let exchanged = exchangeFile { () throws(RecordError) in
          let (draft, outcome) = try file.makeRepaired(configuration)
          repaired = RepairedStore(outcome: outcome)
          return (draft, try? stateNow())
        }
        let store = try exchanged.get()
        repaired?.keptFile = store.keptAs
        repaired?.changeToken = store.store.changeToken
        result = .success(repaired ?? RepairedStore(outcome: RepairOutcome()))
      }
    } catch {
      result = .failure(error)
    }
    request.done(result)
  }
}

extension StoreFile {
  /// Makes the file of a new store beside the damaged one's, which stays as it is.
  func makeRepaired(
    _ configuration: RecordStoreConfiguration
  ) throws(RecordError) -> (draft: Draft, outcome: RepairOutcome) {
    guard identity != nil else { throw .storeMissing }
    let draft = try Draft(of: path, "repair")
    try draft.checkRoom(for: bytes)
    // Only the name is wanted: what is there is never taken for a new store.
    draft.remove()
    return (draft, try StoreRepair.run(from: path, to: draft.path, configuration))
  }
}
