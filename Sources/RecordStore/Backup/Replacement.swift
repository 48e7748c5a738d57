internal import Files
internal import JSONRPC
internal import Records

/// A whole store's file that is to take the place of another's: beside it, looked through, on the disk.
struct Replacement: Sendable {
  let draft: Draft
  /// The files that it needs, which stay as long as this is there.
  private let assets: [HeldAsset]

  /// Copies what was passed, which is trusted in nothing. Blocks for as long as that takes.
  ///
  /// - Parameters:
  ///   - path: of the store's file whose place it is to take.
  ///   - checksum: SHA-256 of what must be in the file, as text.
  init(
    of path: String, from descriptor: OwnedDescriptor, checksum: String, assets folder: AssetFolder,
    isStopped: @escaping () -> Bool
  ) throws(RecordError) {
    let content = FileContent(descriptor)
    guard let size = content.size else {
      throw .descriptor("what was passed is no regular file", reason: "notAFile")
    }
    let draft = try Draft(of: path, "restore")
    try draft.checkRoom(for: size)
    let (_, digest) = try content.copy(to: draft.path, atMost: size, isStopped: isStopped)
    guard SHA256.text(of: digest) == checksum else {
      throw .descriptor("the file that was passed has another checksum: it is damaged", reason: "checksum")
    }
    assets = try Self.hold(try ForeignStore(path: draft.path, isStopped: isStopped).check(), in: folder)
    self.draft = draft
  }

  /// A store that was repaired, whose assets' files are there or are lost anyway.
  init(repaired draft: Draft) {
    self.draft = draft
    assets = []
  }

  private static func hold(_ assets: [Asset], in folder: AssetFolder) throws(RecordError) -> [HeldAsset] {
    var held: [HeldAsset] = []
    var missing: [Asset] = []
    for asset in assets {
      if let file = try folder.holdIfPresent(asset.checksum), file.asset.size == asset.size {
        held.append(file)
      } else {
        missing.append(asset)
      }
    }
    guard missing.isEmpty else { throw .missingAssets(missing) }
    return held
  }
}

extension RecordError {
  private static let maximumListed = 100

  fileprivate static func missingAssets(_ assets: [Asset]) -> RecordError {
    var writer = JSONWriter()
    writer.beginArray()
    for asset in assets.prefix(maximumListed) { writer.string(asset.checksum) }
    writer.endArray()
    return RecordError(
      .assetFileNotFound, "\(assets.count) assets of the backup are not there; save them first",
      details: [
        Detail(name: "missing", json: writer.bytes), Detail(name: "numberOfMissing", number: assets.count),
      ])
  }
}

/// What the store is after another file took the place of its own.
public struct RestoredStore: Sendable {
  public var changeToken: ChangeToken
  public var records: Int
  /// The name of the file that what was there is kept as; nil when there was nothing.
  public var keptAs: String?
}
