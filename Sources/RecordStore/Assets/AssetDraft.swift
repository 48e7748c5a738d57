internal import CLinux
internal import Files
internal import Glibc
internal import Records

/// A file of an asset in the making, and the checksum of what was written so far. It is removed with the value,
/// unless it was finished.
///
/// Unchecked: `hash` and `size` are touched by who has the file's turn only, one thread after the other.
final class AssetDraft: @unchecked Sendable {
  let file: OwnedDescriptor
  let path: String
  private let folder: AssetFolder
  private var hash: SHA256? = SHA256()
  /// Bytes written so far.
  private(set) var size: Int64 = 0

  init(_ file: OwnedDescriptor, at path: String, in folder: AssetFolder) {
    self.file = file
    self.path = path
    self.folder = folder
  }

  deinit { unlink(path) }

  /// Takes the room on the disk at once. Where the file system can't, it is taken as it is needed.
  func reserve(_ bytes: Int64) throws(RecordError) {
    try checkRoom(bytes)
    guard bytes > 0, clinux_allocate(file.rawValue, bytes) != 0 else { return }
    switch errno {
    case EOPNOTSUPP, ENOSYS, EINVAL, EINTR: return
    default: throw folder.failure(path)
    }
  }

  /// Room that deletions need is not for files.
  private func checkRoom(_ bytes: Int64) throws(RecordError) {
    guard let room = DiskRoom(forFile: path), room.free - room.reserve < bytes else { return }
    throw .storageFull
  }

  /// Puts bytes behind the others. When it throws, none of them count.
  func append(_ bytes: UnsafeRawBufferPointer, checksRoom: Bool = true) throws(RecordError) {
    if checksRoom { try checkRoom(Int64(bytes.count)) }
    var written = 0
    while written < bytes.count {
      let count = pwrite(
        file.rawValue, bytes.baseAddress?.advanced(by: written), bytes.count - written, Int(size) + written)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw folder.failure(path) }
      written += count
    }
    hash?.update(bytes)
    size += Int64(bytes.count)
  }

  /// Makes it the asset that it is. To be called once.
  ///
  /// - Parameter checksum: what it must be; `invalidArguments` otherwise.
  func finish(_ checksum: String?) throws(RecordError) -> HeldAsset {
    let digest = hash.take()?.finish() ?? []
    let actual = SHA256.text(of: digest)
    if let checksum, checksum != actual {
      throw RecordError(
        .invalidArguments, "the content's checksum is another one than was said",
        details: [
          RecordError.Detail(name: "parameter", text: "checksum"),
          RecordError.Detail(name: "actual", text: actual),
        ])
    }
    return try folder.install(self, actual)
  }
}
