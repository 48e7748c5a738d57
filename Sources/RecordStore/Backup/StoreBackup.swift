public import Files
internal import Glibc
public import Records
internal import SQLite

/// A whole copy of a store's file, as it was at one moment.
public struct StoreBackup: Sendable {
  /// Open for reading; the file has no name and goes with its last descriptor.
  public var file: OwnedDescriptor
  public var size: Int
  /// SHA-256 of what is in it, as text.
  public var checksum: String
  /// The position that it has.
  public var changeToken: ChangeToken
  public var records: Int
  /// The version of the tables in it.
  public var schemaVersion: Int
  /// Those that its records have, or had in a version that is kept, by checksum. Their files are not in it.
  public var assets: [Asset]
}

extension StoreBackup {
  /// Copies a store's file while others write to it. Blocks for as long as that takes.
  ///
  /// - Parameter use: of the same file.
  init(of file: StoreFile, _ use: FileUse, isStopped: () -> Bool) throws(RecordError) {
    do {
      let source = try use.opening { () throws(RecordError) in try file.openReader() }
      // Had to the end of the copying, so that it is of one moment.
      let snapshot = try Transaction(.deferred, in: source.database)
      let state = try StoreState(reading: source)
      let draft = try Draft(of: file.path, "backup")
      try draft.checkRoom(for: file.bytes)
      let copy = try Database(path: draft.path, access: .readWriteCreate, busyTimeout: 0)
      guard let descriptor = OwnedDescriptor(opening: draft.path, O_RDONLY | O_NOFOLLOW) else {
        throw Folder.failure(errno, draft.path, file.log)
      }
      // It goes with whoever has it open; nothing is left after a crash.
      try copy.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE")
      draft.remove()
      try source.database.copy(into: copy, isStopped: isStopped)
      assets = try AssetTable.used(in: source.database)
      snapshot.rollBack()
      let (size, digest) = try FileContent(descriptor).digest(isStopped: isStopped)
      self.file = descriptor
      self.size = size
      checksum = SHA256.text(of: digest)
      changeToken = state.token
      records = Int(state.records)
      schemaVersion = Int(Schema.version)
    } catch let error as SQLiteError {
      throw file.explain(error)
    } catch let error as RecordError {
      throw error
    } catch {
      throw RecordError.storeUnreachable
    }
  }
}

/// A file beside a store's, in the making.
final class Draft: Sendable {
  let path: String

  /// Makes it, empty, with mode 0600. `purpose` is a part of its name, by which `removeOld` knows it.
  init(of storePath: String, _ purpose: String) throws(RecordError) {
    path = "\(Self.prefix(storePath))\(purpose)-\(UInt64.random(in: .min ... .max))"
    let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Folder.failure(errno, path) { _ in } }
    close(descriptor)
  }

  deinit { remove() }

  func remove() { for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) } }

  /// Throws `storageFull` unless so much can be written and still be something left for others.
  func checkRoom(for bytes: Int) throws(RecordError) {
    guard let room = DiskRoom(forFile: path) else { return }
    guard room.free - room.reserve >= bytes else { throw .storageFull }
  }

  /// Removes those of the store that a process which ended left behind.
  static func removeOld(of storePath: String) {
    let folder = Folder.parent(of: storePath)
    let prefix = Self.prefix(storePath)
    for name in Folder.names(in: folder) {
      let path = folder + "/" + name
      for purpose in ["backup-", "restore-", "repair-"] where path.hasPrefix(prefix + purpose) {
        unlink(path)
      }
    }
  }

  private static func prefix(_ storePath: String) -> String { StoreFile.base(storePath) + ".new-" }
}
