internal import CSQLite

extension Database {
  /// Takes room on the disk now, so that it is there when the log grows, or is copied into the file: of the file and of
  /// its write-ahead log, what is not yet so many bytes long. A checkpoint that copies everything gives back what
  /// the file does not need.
  public func takeRoom(file: Int64, log: Int64) throws(SQLiteError) {
    try lengthen(SQLITE_FCNTL_FILE_POINTER, to: file)
    try lengthen(SQLITE_FCNTL_JOURNAL_POINTER, to: log)
  }

  /// Through the engine: a descriptor of one's own would end its locks when it is closed.
  private func lengthen(_ which: Int32, to bytes: Int64) throws(SQLiteError) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    try check(sqlite3_file_control(handle, "main", which, &file))
    guard let file, let control = file.pointee.pMethods?.pointee.xFileControl else { return }
    // Without a step the hint is not followed; with one, later truncations would be rounded.
    var step: Int32 = 1 << 16
    _ = control(file, SQLITE_FCNTL_CHUNK_SIZE, &step)
    var size = bytes
    let status = control(file, SQLITE_FCNTL_SIZE_HINT, &size)
    step = 0
    _ = control(file, SQLITE_FCNTL_CHUNK_SIZE, &step)
    try check(status)
  }
}
