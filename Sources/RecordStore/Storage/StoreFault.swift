internal import Records
internal import SQLite

extension RecordError {
  /// What a client is told of an engine's failure: what it means for it, and none of the engine's words.
  init(_ error: SQLiteError) {
    switch error.code {
    case .busy: self = .storeBusy
    case .full: self = .storageFull
    case .readOnly: self = .storageReadOnly
    case .damaged, .notADatabase: self = .storeDamaged
    // A file that can't grow fails so where it is mapped or sized rather than written.
    case .inputOutput where error.isForWantOfRoom: self = .storageFull
    case .cannotOpen, .inputOutput, .interrupted: self = .storeUnreachable
    case .tooBig: self = RecordError(.limitExceeded, "the record is larger than the store can keep")
    case .constraint, .other:
      self = RecordError(.internalError, "the store failed; the service's log has more")
    }
  }

  static let storeBusy = RecordError(
    .storeBusy, "another program holds the store's lock; nothing was changed", retryAfter: 1)
  static let storageFull = RecordError(
    .storageFull, "there is no room left on the disk; nothing was changed, reading and deleting go on")
  static let storageReadOnly = RecordError(
    .storageReadOnly, "the store can be read and not written: its folder, or the disk, is read-only")
  static let storeDamaged = RecordError(
    .storeDamaged,
    "the store's file is damaged and is kept as it is; 'listsrpc check' says where, 'listsrpc repair' makes a new one"
  )
  static let storeUnreachable = RecordError(
    .serviceUnavailable, "the store's file can't be read or written at present", retryAfter: 5)
  static let storeTooNew = RecordError(
    .storeTooNew, "the store was made by a newer version of the service, which must be used to open it")
  static let storeMissing = RecordError(
    .storeMissing,
    "the store's file was there and is gone; put it back, or start the service anew to begin another")
  static let stopping = RecordError(.serviceUnavailable, "the service is stopping", retryAfter: 1)
  static let overloaded = RecordError(
    .serviceUnavailable, "too many writes are waiting already", retryAfter: 1)
}

extension SQLiteError {
  /// SQLITE_IOERR_SHMSIZE: the index of the write-ahead log could not be given its size.
  fileprivate var isForWantOfRoom: Bool { extendedCode == 4874 }
}
