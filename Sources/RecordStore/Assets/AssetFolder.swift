internal import CLinux
public import Files
internal import Glibc
public import Records
internal import Synchronization

/// The folder of a store's assets: files named by the SHA-256 of what is in them, written once.
///
/// What is in the table of assets has its file, since the file comes before the row and goes after it. In between
/// the file is held by who works on it, or condemned by the writer: that keeps the two from crossing each other.
/// Everything here may block for long, and is called on threads made for that, unless it says otherwise.
public final class AssetFolder: Sendable {
  let path: String
  let log: @Sendable (String) -> Void
  private let isDurable: Bool
  /// Begins the names of files of this run that are not whole yet.
  private let run: String
  private let state = Mutex(State())

  private struct State {
    /// By checksum, how many work on it.
    var held: [String: Int] = [:]
    /// Have no row any more, and are to be removed.
    var condemned: Set<String> = []
    /// Folders that are known to be there for good.
    var folders: Set<String> = []
    var drafts = 0
    var isClosed = false
  }

  /// - Parameter store: the path of the store's file.
  init(
    besideStore store: String, isDurable: Bool, random: UInt64, log: @escaping @Sendable (String) -> Void
  ) {
    path = Self.path(besideStore: store)
    run = String(random, radix: 16)
    self.isDurable = isDurable
    self.log = log
  }

  private static func path(besideStore store: String) -> String { StoreFile.base(store) + ".assets" }

  /// Gives all files a second name beside another store, where they stay whatever becomes of the first.
  func link(besideStore store: String) throws(RecordError) {
    let other = Self.path(besideStore: store)
    for checksum in files {
      let folder = "\(other)/\(checksum.prefix(2))"
      try Folder.make(folder, log: log)
      // One may be removed just now: then nobody has it any more.
      guard Glibc.link(file(of: checksum), "\(folder)/\(checksum)") == 0 || errno == EEXIST || errno == ENOENT
      else {
        let error = failure(other)
        removeLinks(besideStore: store)
        throw error
      }
    }
    for name in names(in: other) { Folder.sync(parentOf: "\(other)/\(name)/") }
  }

  func removeLinks(besideStore store: String) { Folder.removeAll(Self.path(besideStore: store), log: log) }

  var isThere: Bool { access(path, F_OK) == 0 }

  // MARK: Files

  private func folder(of checksum: String) -> String { "\(path)/\(checksum.prefix(2))" }
  private func file(of checksum: String) -> String { "\(folder(of: checksum))/\(checksum)" }

  /// The file, to be read. Throws `assetFileNotFound`.
  public func open(_ checksum: String) throws(RecordError) -> (file: OwnedDescriptor, size: Int64) {
    // No other text becomes a path.
    guard SHA256.isText(checksum) else { throw .assetFileNotFound(checksum) }
    guard let file = OwnedDescriptor(opening: self.file(of: checksum), O_RDONLY | O_NOFOLLOW) else {
      if errno == ENOENT { throw .assetFileNotFound(checksum) }
      throw Folder.failure(errno, self.file(of: checksum), log)
    }
    return (file, try size(of: file))
  }

  /// The file as one that stays while the value is there; nil when it is not there.
  func holdIfPresent(_ checksum: String) throws(RecordError) -> HeldAsset? {
    let held = HeldAsset(checksum, in: self)
    do {
      held.size = try open(checksum).size
      return held
    } catch {
      guard error.code == .assetFileNotFound else { throw error }
      return nil
    }
  }

  private func size(of file: OwnedDescriptor) throws(RecordError) -> Int64 {
    var status = stat()
    guard fstat(file.rawValue, &status) == 0 else { throw Folder.failure(errno, path, log) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .storeUnreachable }
    return Int64(status.st_size)
  }

  // MARK: Making

  /// A file that is not whole yet.
  func makeDraft() throws(RecordError) -> AssetDraft {
    let drafts = path + "/new"
    try makeFolder(drafts)
    let number = state.withLock { state in
      state.drafts += 1
      return state.drafts
    }
    let name = "\(drafts)/\(run)-\(number)"
    guard let file = OwnedDescriptor(opening: name, O_RDWR | O_CREAT | O_EXCL, mode: 0o600) else {
      throw failure(name)
    }
    return AssetDraft(file, at: name, in: self)
  }

  /// Gives a whole file its name; it and its name are durable then.
  func install(_ draft: AssetDraft, _ checksum: String) throws(RecordError) -> HeldAsset {
    let held = HeldAsset(checksum, in: self)
    if isDurable, fsync(draft.file.rawValue) != 0 { throw failure(draft.path) }
    try makeFolder(folder(of: checksum))
    let size = try size(of: draft.file)
    // One that is there is the same, unless someone has meddled with it.
    if (try? open(checksum))?.size != size {
      guard rename(draft.path, file(of: checksum)) == 0 else { throw failure(draft.path) }
    }
    // Also for one that is there: whoever put it there may not have come so far.
    if isDurable, clinux_sync_folder(folder(of: checksum)) != 0 { throw failure(file(of: checksum)) }
    held.size = size
    return held
  }

  /// Makes the folder, durably, once in a run.
  private func makeFolder(_ folder: String) throws(RecordError) {
    let (isKnown, isClosed) = state.withLock { ($0.folders.contains(folder), $0.isClosed) }
    // What it would be made in may be gone.
    guard !isClosed else { throw .stopping }
    if isKnown, access(folder, F_OK) == 0 { return }
    try Folder.make(folder, log: log)
    if isDurable {
      Folder.sync(parentOf: folder)
      Folder.sync(parentOf: path)
    }
    _ = state.withLock { $0.folders.insert(folder) }
  }

  func failure(_ path: String) -> RecordError { Folder.failure(errno, path, log) }

  // MARK: Removing

  fileprivate func hold(_ checksum: String) {
    state.withLock {
      $0.held[checksum, default: 0] += 1
      $0.condemned.remove(checksum)
    }
  }

  fileprivate func release(_ checksum: String) {
    state.withLock {
      let left = $0.held[checksum, default: 1] - 1
      $0.held[checksum] = left == 0 ? nil : left
    }
  }

  /// Marks those that have no row. On the writer's thread, right after it has seen so; doesn't block.
  func condemn(_ checksums: [String]) {
    state.withLock { state in state.condemned.formUnion(checksums.filter { state.held[$0] == nil }) }
  }

  /// Removes what is condemned. Who reads one goes on reading.
  func removeCondemned() {
    while true {
      let removed = state.withLock { state -> String? in
        guard !state.isClosed, let checksum = state.condemned.popFirst() else { return nil }
        state.drafts += 1
        let name = "\(path)/new/\(run)-\(state.drafts)"
        // Removing what is large takes long; giving it another name doesn't.
        return rename(file(of: checksum), name) == 0 ? name : ""
      }
      guard let removed else { return }
      if !removed.isEmpty { unlink(removed) }
    }
  }

  /// Removes what earlier runs left unfinished, and gives the checksums of all files.
  func sweep() -> [String] {
    for name in names(in: path + "/new") where !name.hasPrefix(run + "-") {
      let isOpen = state.withLock { !$0.isClosed }
      if isOpen { unlink("\(path)/new/\(name)") }
    }
    return files
  }

  /// The checksums of all files.
  private var files: [String] {
    names(in: path).filter { $0.utf8.count == 2 }.flatMap { names(in: "\(path)/\($0)") }
      .filter { SHA256.isText($0) }
  }

  private func names(in folder: String) -> [String] {
    guard let entries = opendir(folder) else { return [] }
    defer { closedir(entries) }
    var names: [String] = []
    while let entry = readdir(entries) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Removes nothing any more: the folder may be another store's soon.
  func close() { state.withLock { $0.isClosed = true } }

  /// Removes everything, once nothing is done here any more.
  func removeAll() {
    for folder in names(in: path) {
      for name in names(in: "\(path)/\(folder)") { unlink("\(path)/\(folder)/\(name)") }
      rmdir("\(path)/\(folder)")
    }
    rmdir(path)
  }
}

/// An asset whose file is there and stays as long as this value does, with or without a row.
public final class HeldAsset: Sendable {
  private let folder: AssetFolder
  private let checksum: String
  private let bytes = Mutex<Int64>(0)

  public var asset: Asset { Asset(checksum: checksum, size: bytes.withLock { $0 }) }

  fileprivate(set) var size: Int64 {
    get { bytes.withLock { $0 } }
    set { bytes.withLock { $0 = newValue } }
  }

  fileprivate init(_ checksum: String, in folder: AssetFolder) {
    self.checksum = checksum
    self.folder = folder
    folder.hold(checksum)
  }

  deinit { folder.release(checksum) }
}

extension RecordError {
  static func assetFileNotFound(_ checksum: String) -> RecordError {
    RecordError(
      .assetFileNotFound, "there is no asset '\(checksum.prefix(64))'",
      details: [Detail(name: "checksum", text: checksum)])
  }

  /// A field's asset that can't be saved.
  static func assetFileNotFound(_ asset: Asset, field: String) -> RecordError {
    RecordError(
      .assetFileNotFound,
      "field '\(field)': there is no asset '\(asset.checksum.prefix(64))' of \(asset.size) bytes; save it first",
      details: [Detail(name: "field", text: field), Detail(name: "checksum", text: asset.checksum)])
  }
}
