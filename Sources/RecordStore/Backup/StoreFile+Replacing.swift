internal import CLinux
internal import Glibc
internal import Records

extension StoreFile {
  /// Puts the draft in the place of the file, at once: after a crash one of the two is there, whole. What was there is
  /// kept under a name with the time.
  ///
  /// Nobody may have the file open to write to it, nor open it meanwhile. A log that could not be copied into it, as
  /// of a file that can't be read, is kept with it.
  ///
  /// - Returns: the name of what is kept, in the same folder; nil when there was nothing.
  @discardableResult
  func replace(
    with draft: Draft, assets: AssetFolder, _ clock: () -> Int64
  ) throws(RecordError) -> String? {
    guard Self.sync(draft.path) else { throw Folder.failure(errno, draft.path, log) }
    guard identity != nil else {
      guard rename(draft.path, path) == 0 else { throw Folder.failure(errno, path, log) }
      Folder.sync(parentOf: path)
      return nil
    }
    let kept = freeName(clock())
    // What only the old one's records have will be removed from where it is.
    try assets.link(besideStore: kept)
    do throws(RecordError) {
      try exchange(with: draft, keptAs: kept)
    } catch {
      assets.removeLinks(besideStore: kept)
      finishReplacing()
      throw error
    }
    finishReplacing()
    return kept.split(separator: "/").last.map(String.init)
  }

  /// Gives a folder of assets a name with the time, as if its store had been replaced.
  func keep(_ assets: AssetFolder, _ clock: () -> Int64) {
    let kept = Self.base(freeName(clock())) + ".assets"
    guard rename(assets.path, kept) == 0 else {
      _ = Folder.failure(errno, assets.path, log)
      return
    }
    log("store \(path): its file is gone; the files of its assets are kept in \(kept)")
  }

  private func exchange(with draft: Draft, keptAs kept: String) throws(RecordError) {
    if bytesOfLog > 0, let identity {
      guard rename(path + "-wal", movedLog(of: identity)) == 0 else { throw Folder.failure(errno, path, log) }
    }
    // They belong to what was there, and would be taken for the new one's.
    for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
    guard Folder.sync(parentOf: path) else { throw Folder.failure(errno, path, log) }
    guard rename(draft.path, kept) == 0 else { throw Folder.failure(errno, path, log) }
    guard clinux_exchange_names(kept, path) == 0 else {
      let code = errno
      rename(kept, draft.path)
      guard code == EINVAL || code == ENOSYS else { throw Folder.failure(code, path, log) }
      return try replaceByLinking(with: draft, keptAs: kept)
    }
    Folder.sync(parentOf: path)
    log("store \(path): it was replaced; what was there is kept as \(kept)")
  }

  /// Where the file system can't exchange names: after a crash in between what was there has two.
  private func replaceByLinking(with draft: Draft, keptAs kept: String) throws(RecordError) {
    guard link(path, kept) == 0 else { throw Folder.failure(errno, path, log) }
    guard rename(draft.path, path) == 0 else {
      let code = errno
      unlink(kept)
      throw Folder.failure(code, path, log)
    }
    Folder.sync(parentOf: path)
    log("store \(path): it was replaced; what was there is kept as \(kept)")
  }

  // MARK: The log of what is replaced

  /// Between two names: the log of the file with this number, whatever that is called.
  private func movedLog(of identity: Identity) -> String { Self.logPrefix(path) + String(identity.inode) }

  private static func logPrefix(_ path: String) -> String { base(path) + ".new-log-" }

  /// Gives a log that was on its way when an exchange ended, or the process, to the file that it belongs to: the store's
  /// still, or the one that is kept.
  func finishReplacing() {
    let folder = Folder.parent(of: path) + "/"
    let names = Folder.names(in: folder)
    for name in names where (folder + name).hasPrefix(Self.logPrefix(path)) {
      guard let number = ino_t((folder + name).dropFirst(Self.logPrefix(path).count)) else { continue }
      let kept = names.map { folder + $0 }
        .filter { $0.hasPrefix(Self.base(path) + ".replaced-") && $0.hasSuffix(".db") }
      for owner in [path] + kept where Self.number(of: owner) == number {
        rename(folder + name, owner + "-wal")
        break
      }
    }
  }

  private static func number(of path: String) -> ino_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_ino : nil
  }

  // MARK: Names

  /// A name for what is replaced, with the time (UTC).
  private func freeName(_ now: Int64) -> String {
    var seconds = time_t(now / 1000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 32)
    let length = strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &parts)
    let time = String(decoding: text[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var name = "\(Self.base(path)).replaced-\(time)"
    var number = 1
    while access(name + ".db", F_OK) == 0 || access(name + ".assets", F_OK) == 0 {
      number += 1
      name = "\(Self.base(path)).replaced-\(time)-\(number)"
    }
    return name + ".db"
  }

  private static func sync(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0
  }
}
