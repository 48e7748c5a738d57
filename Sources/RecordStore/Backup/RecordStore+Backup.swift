public import Files
internal import Glibc
public import Records

extension RecordStore {
  /// Copies the whole store as it is at one moment, while others write to it. Blocks for as long as that takes, until
  /// the store is closed.
  public func backUp() throws(RecordError) -> StoreBackup {
    try StoreBackup(of: file, use, isStopped: { self.isStopped })
  }

  /// Puts what was backed up in the place of what there is, which is kept beside it. Blocks for as long as that takes.
  ///
  /// What was passed is looked through first: it must be a store's to the letter, whole and true in itself. Those who
  /// use the store go on with other records (``CommitGroup/isOfOtherRecords``); what is submitted meanwhile may be lost
  /// with what is replaced.
  ///
  /// Throws `invalidArguments` when it is no such file; `assetFileNotFound` when files of assets are missing that it has; `storeTooNew`; `constraintViolation` when there are records and
  /// `isForced` is false; `storeBusy` when the store is read from for too long. Then nothing was done.
  public func restore(
    _ backup: OwnedDescriptor, checksum: String, isForced: Bool
  ) throws(RecordError) -> RestoredStore {
    let replacement = try Replacement(
      of: path, from: backup, checksum: checksum, assets: assets.folder, isStopped: { self.isStopped })
    return try replace(FileReplacement(replacement: replacement, isForced: isForced))
  }

  /// Has the writer do it, and waits for that.
  func replace(_ request: FileReplacement) throws(RecordError) -> RestoredStore {
    let answer = Mailbox<Result<RestoredStore, RecordError>>()
    var request = request
    request.done = { result in answer.put { _ in result } }
    guard submit(request), let result = answer.takeFirst() else { throw .stopping }
    return try result.get()
  }
}
