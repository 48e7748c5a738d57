internal import Glibc
internal import Records
internal import SQLite

/// A store's file, and how connections to it are opened.
///
/// A file that is damaged, foreign or too new is left exactly as it is.
struct StoreFile: Sendable {
  let path: String
  /// Whether commits must survive a power cut.
  let isDurable: Bool
  /// Milliseconds that a write waits for a lock that another program holds.
  let busyTimeout: Int32
  /// Of the file, in memory, for each connection.
  let cacheBytes: Int
  let log: @Sendable (String) -> Void

  /// Which file a path leads to, to notice when it is another one.
  struct Identity: Equatable {
    let device: dev_t
    let inode: ino_t
  }

  /// Nil when there is none.
  var identity: Identity? {
    var status = stat()
    return stat(path, &status) == 0 ? Identity(device: status.st_dev, inode: status.st_ino) : nil
  }

  /// Whether the system would let it be written now.
  var canBeWritten: Bool { access(path, W_OK) == 0 && access(folder, W_OK) == 0 }

  /// Of the file and its log.
  var bytes: Int { (size() ?? 0) + (size("-wal") ?? 0) }

  var bytesOfLog: Int { size("-wal") ?? 0 }

  /// The path without the ending, for what belongs to it.
  static func base(_ path: String) -> String { path.hasSuffix(".db") ? String(path.dropLast(3)) : path }

  func size(_ suffix: String = "") -> Int? {
    var status = stat()
    return stat(path + suffix, &status) == 0 ? Int(status.st_size) : nil
  }

  // MARK: Opening

  /// Opening and reading wait for no lock in the ordinary course of things, and may be done where others wait
  /// for it: what is locked against them is told soon.
  private var openingTimeout: Int32 { min(busyTimeout, 100) }

  /// Opens it for writing; makes it first when it isn't there.
  func openWriter(identity: UInt64) throws(RecordError) -> Connection {
    do {
      if size() == nil { try create(identity: identity) }
      try checkThatSomethingIsThere()
      let database = try Database(path: path, access: .readWrite, busyTimeout: openingTimeout)
      try check(database)
      guard !database.isReadOnly else { throw RecordError.storageReadOnly }
      try prepare(database)
      database.setBusyTimeout(busyTimeout)
      return Connection(database)
    } catch let error as SQLiteError {
      throw explain(error)
    } catch let error as RecordError {
      throw error
    } catch {
      throw RecordError.storeUnreachable
    }
  }

  /// Opens it for reading, also where nothing can be written.
  func openReader() throws(RecordError) -> Connection {
    do {
      try checkThatSomethingIsThere()
      do {
        return try openReader(.readOnly)
      } catch let error as SQLiteError where canBeReadAlone(after: error) {
        return try openReader((size("-wal") ?? 0) == 0 ? .immutable : .alone)
      }
    } catch let error as SQLiteError {
      throw explain(error)
    } catch let error as RecordError {
      throw error
    } catch {
      throw RecordError.storeUnreachable
    }
  }

  private func openReader(_ access: Database.Access) throws -> Connection {
    let database = try Database(path: path, access: access, busyTimeout: openingTimeout)
    try check(database)
    try database.execute(
      "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cache_size = -\(cacheBytes >> 10)")
    return Connection(database)
  }

  /// Where no file can be made, the log's index can't either: the file can still be read without it as long
  /// as nobody writes.
  private func canBeReadAlone(after error: SQLiteError) -> Bool {
    switch error.code {
    case .cannotOpen, .readOnly, .inputOutput, .full: true
    default: false
    }
  }

  /// An empty file can't be a store, since a new one gets its name only when it is whole. It is not even opened: the
  /// engine would remove its log, in which everything may be.
  private func checkThatSomethingIsThere() throws(RecordError) {
    guard let size = size() else {
      if access(folder, W_OK) != 0, errno == EROFS || errno == EACCES { throw .storageReadOnly }
      // Only one that has been there is opened without being made.
      throw .storeMissing
    }
    guard size == 0 else { return }
    log("store \(path): the file is empty, though it was not when it was made; it is left as it is")
    throw .storeDamaged
  }

  private func check(_ database: Database) throws {
    switch try Schema.state(of: database) {
    case .current: return
    case .older(let version):
      guard !database.isReadOnly else { throw RecordError.storageReadOnly }
      try Schema.migrate(database, from: version)
    case .newer(let version):
      log("store \(path): its schema is version \(version), this program knows up to \(Schema.version)")
      throw RecordError.storeTooNew
    case .foreign:
      log("store \(path): the file is a database of another program; it is left as it is")
      throw RecordError.storeDamaged
    }
  }

  private func prepare(_ database: Database) throws(SQLiteError) {
    try database.execute(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = \(isDurable ? "FULL" : "OFF");
      PRAGMA trusted_schema = OFF;
      PRAGMA cache_size = -\(cacheBytes >> 10);
      """)
  }

  /// What a client is told of a failure to open or to go on; the log is told all.
  func explain(_ error: SQLiteError) -> RecordError {
    log("store \(path): \(error)")
    if error.code == .cannotOpen, access(folder, W_OK) != 0, errno == EROFS || errno == EACCES {
      return .storageReadOnly
    }
    return RecordError(error)
  }

  // MARK: Making

  private var folder: String { Folder.parent(of: path) }

  /// Makes it beside its place and then moves it there, so that a file with its name is always whole.
  private func create(identity: UInt64) throws {
    let draft = path + ".new"
    for suffix in ["", "-journal", "-wal", "-shm"] { unlink(draft + suffix) }
    // Everything that SQLite adds beside it gets the same mode.
    let descriptor = open(draft, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Folder.failure(errno, path, log) }
    close(descriptor)
    do {
      let database = try Database(path: draft, access: .readWrite, busyTimeout: openingTimeout)
      if !isDurable { try database.execute("PRAGMA synchronous = OFF") }
      try Schema.create(in: database, identity: Int64(bitPattern: identity))
      try database.execute("PRAGMA journal_mode = WAL")
    } catch {
      for suffix in ["", "-journal", "-wal", "-shm"] { unlink(draft + suffix) }
      throw error
    }
    guard rename(draft, path) == 0 else { throw Folder.failure(errno, path, log) }
    if isDurable { Folder.sync(parentOf: path) }
  }
}

extension StoreFile {
  /// One that nobody has open in this process.
  init(_ path: String, _ configuration: RecordStoreConfiguration) {
    self.init(
      path: path, isDurable: true, busyTimeout: configuration.limits.busyTimeout,
      cacheBytes: configuration.limits.cacheBytes, log: configuration.log)
  }
}
