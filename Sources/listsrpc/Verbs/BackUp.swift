import ArgumentParsing
import JSONRPC
import ListsClient
import Records

enum BackUp: Verb {
  static let command = Command(
    "backup", "Back a database up into a folder",
    discussion: [
      "Copies the whole database as it is at one moment, while everybody goes on, and the files of its assets: those "
        + "that the folder has already stay, so that a second backup into it takes only what is new. The list of "
        + "what belongs to it, manifest.json, is written last; until then the backup before it is the one that counts."
    ],
    operands: [Operand("DIR", "The folder; made if there is none", completion: .directory)],
    examples: [
      .init("listsrpc backup ~/backup/lists", "Your own database"),
      .init("listsrpc --container notes backup notes", "An app's"),
    ])

  /// Assets that are let go while they are fetched make it begin anew.
  private static let attempts = 5

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    let folder = try BackupFolder(arguments.operands[0], makes: true)
    // What is there is not to be taken for something else.
    _ = try folder.manifest()
    for attempt in 1... {
      do throws(Failure) {
        return try await backUp(into: folder, session)
      } catch {
        guard error.rejection?.errorCode == "assetFileNotFound", attempt < attempts else { throw error }
      }
    }
  }

  private static func backUp(into folder: BackupFolder, _ session: Session) async throws(Failure) {
    let backup = try await session.backUpDatabase()
    let name = BackupManifest.fileName(backup.checksum)
    try folder.put(backup, as: name)
    let missing = backup.assets.filter { !folder.has($0) }
    var progress = session.showsProgress ? ProgressBar("Assets", on: session.errors) : nil
    defer { progress?.clear() }
    for (count, asset) in missing.enumerated() {
      try folder.put(try await session.fetchAsset(asset.checksum))
      progress?.show(count + 1, of: missing.count)
    }
    let place = session.placeNames
    let manifest = BackupManifest(
      container: place.container, database: place.database, file: name, size: backup.size,
      checksum: backup.checksum, changeToken: backup.changeToken, numberOfRecords: backup.numberOfRecords,
      schemaVersion: backup.schemaVersion, assets: backup.assets)
    try folder.finish(manifest)
    progress?.clear()
    try session.print(
      manifest.json.json,
      "Backed up \(DisplayText.count(backup.numberOfRecords, "record")) and "
        + "\(DisplayText.count(backup.assets.count, "asset")), \(missing.count) of them new"
    )
  }
}
