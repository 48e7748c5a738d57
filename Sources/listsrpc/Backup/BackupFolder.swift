import CLinux
import Files
import Glibc
import JSONRPC
import ListsClient
import Records

/// A folder with a backup: the records in one file, the assets each in its own, and the list of both.
struct BackupFolder {
  let path: String
  /// Has the lock, so that two don't write there at once.
  private let folder: OwnedDescriptor

  private static let manifestName = "manifest.json"
  private var assets: String { path + "/assets" }

  /// Opens the folder, which is made where it may be.
  init(_ path: String, makes: Bool) throws(Failure) {
    self.path = path
    if makes, mkdir(path, 0o700) != 0, errno != EEXIST { throw Self.failure("make", path) }
    guard let folder = OwnedDescriptor(opening: path, O_RDONLY | O_DIRECTORY) else {
      throw Self.failure("open", path)
    }
    self.folder = folder
    guard clinux_lock_file(folder.rawValue, 0) == 0 else {
      throw .trouble("another program is working on the backup in '\(path)'")
    }
  }

  // MARK: The list

  /// Nil when there is none.
  func manifest() throws(Failure) -> BackupManifest? {
    let name = path + "/" + Self.manifestName
    guard let file = OwnedDescriptor(opening: name, O_RDONLY) else {
      if errno == ENOENT { return nil }
      throw Self.failure("read", name)
    }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(file.rawValue, &part, part.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.failure("read", name) }
      if count == 0 { break }
      bytes += part[..<count]
    }
    guard let json = try? JSON(parsing: bytes), let manifest = BackupManifest(json) else {
      throw .trouble("'\(name)' is not the list of a backup, or of one of a later listsrpc")
    }
    return manifest
  }

  /// Makes the backup the one that is there. What belongs to it must be there.
  func finish(_ manifest: BackupManifest) throws(Failure) {
    if access(assets, F_OK) == 0 { try sync(assets) }
    try sync(path)
    let text = manifest.json.encoded()
    try write(to: Self.manifestName) { file throws(Failure) in
      guard LockedFile.write(text + [0x0A], to: file) else { throw Self.failure("write", Self.manifestName) }
    }
    try sync(path)
    // What belonged to the one before.
    for name in Self.names(in: path) where name.hasPrefix("records-") && name != manifest.file {
      unlink(path + "/" + name)
    }
  }

  // MARK: Files

  /// Writes the records, unless they are there already.
  func put(_ backup: DatabaseBackup, as name: String) throws(Failure) {
    try write(to: name) { file throws(Failure) in
      do throws(ClientError) { try backup.write(to: file) } catch { throw Self.trouble(name, error) }
    }
  }

  /// Whether the asset's file is there; it has its name only once it is whole.
  func has(_ asset: Asset) -> Bool {
    var status = stat()
    return stat(file(of: asset), &status) == 0 && Int64(status.st_size) == asset.size
  }

  func put(_ file: AssetFile) throws(Failure) {
    if mkdir(assets, 0o700) != 0, errno != EEXIST { throw Self.failure("make", assets) }
    let name = "assets/" + file.asset.checksum
    try write(to: name) { descriptor throws(Failure) in
      do throws(ClientError) { try file.write(to: descriptor) } catch { throw Self.trouble(name, error) }
    }
  }

  func file(of asset: Asset) -> String { assets + "/" + asset.checksum }

  /// Throws unless the file is what the list says of it.
  func check(_ name: String, size: Int64, checksum: String) throws(Failure) {
    let name = path + "/" + name
    guard let file = OwnedDescriptor(opening: name, O_RDONLY) else { throw Self.failure("read", name) }
    var status = stat()
    guard fstat(file.rawValue, &status) == 0, Int64(status.st_size) == size else {
      throw .trouble("the backup is damaged: '\(name)' has another size than the list says")
    }
    let content = AssetFile(descriptor: file, asset: Asset(checksum: checksum, size: size))
    guard (try? content.check()) != nil else {
      throw .trouble("the backup is damaged: '\(name)' has another checksum than the list says")
    }
  }

  /// Writes a file whole and durably, or not at all.
  private func write(to name: String, _ body: (Int32) throws(Failure) -> Void) throws(Failure) {
    let draft = "\(path)/\(name).part"
    guard let file = OwnedDescriptor(opening: draft, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600) else {
      throw Self.failure("write", draft)
    }
    do throws(Failure) {
      try body(file.rawValue)
      guard fsync(file.rawValue) == 0, rename(draft, "\(path)/\(name)") == 0 else {
        throw Self.failure("write", draft)
      }
    } catch {
      unlink(draft)
      throw error
    }
  }

  private func sync(_ folder: String) throws(Failure) {
    guard clinux_sync_folder(folder) == 0 else { throw Self.failure("write", folder) }
  }

  private static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      names.append(
        withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names
  }

  private static func failure(_ what: String, _ path: String) -> Failure {
    .trouble("can't \(what) '\(path)': \(String(cString: strerror(errno)))")
  }

  private static func trouble(_ name: String, _ error: ClientError) -> Failure {
    if case .file(let reason) = error { return .trouble("'\(name)' \(reason)") }
    return .client(error)
  }
}
