import ArgumentParsing
import Files
import Glibc
import JSONRPC
import ListsClient
import Records

enum RestoreBackup: Verb {
  static let command = Command(
    "restore-backup", "Put a backup back",
    discussion: [
      "Looks at the checksums of everything in the folder first, then saves the assets and puts the records in the place "
        + "of the database. One that has records is replaced only with --replace; the service keeps its file, beside "
        + "the new one, under a name with the time. Other databases are not touched.",
      "A backup goes back into the container and database that it is of. For another name it with --container and "
        + "--database, also if that is 'default' or 'private'.",
    ],
    options: [Option("replace", "Replace the records that are there, or a database that is damaged")],
    operands: [Operand("DIR", "The folder that 'listsrpc backup' wrote", completion: .directory)],
    examples: [.init("listsrpc restore-backup ~/backup/lists --replace", "As it was")])

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    let folder = try BackupFolder(arguments.operands[0], makes: false)
    guard let manifest = try folder.manifest() else {
      throw .trouble("there is no whole backup in '\(folder.path)'")
    }
    try checkPlace(of: manifest, arguments, session)
    var progress = session.showsProgress ? ProgressBar("Checking", on: session.errors) : nil
    defer { progress?.clear() }
    try folder.check(manifest.file, size: manifest.size, checksum: manifest.checksum)
    for (count, asset) in manifest.assets.enumerated() {
      try folder.check("assets/" + asset.checksum, size: asset.size, checksum: asset.checksum)
      progress?.show(count + 1, of: manifest.assets.count)
    }
    progress?.clear()
    progress = session.showsProgress ? ProgressBar("Assets", on: session.errors) : nil
    for (count, asset) in manifest.assets.enumerated() {
      _ = try await session.saveAsset(folder.file(of: asset), checksum: asset.checksum)
      progress?.show(count + 1, of: manifest.assets.count)
    }
    progress?.clear()
    let path = folder.path + "/" + manifest.file
    guard let file = OwnedDescriptor(opening: path, O_RDONLY) else {
      throw .trouble("can't read '\(path)': \(String(cString: strerror(errno)))")
    }
    let count = try await session.restoreDatabase(
      from: file, checksum: manifest.checksum, replacesRecords: arguments.has("replace"))
    let reply: JSONNode = ["numberOfRecords": .int(count), "assets": .int(Int64(manifest.assets.count))]
    try session.print(
      reply.json,
      "Restored \(DisplayText.count(count, "record")) and \(DisplayText.count(manifest.assets.count, "asset"))"
    )
  }

  /// Nothing goes where nobody said.
  private static func checkPlace(
    of manifest: BackupManifest, _ arguments: Arguments, _ session: Session
  ) throws(Failure) {
    let place = session.placeNames
    for (option, wanted, kept) in [
      ("container", place.container, manifest.container), ("database", place.database, manifest.database),
    ] where wanted != kept && arguments.value(option) == nil {
      throw Failure(
        usage:
          "the backup is of the \(option) '\(DisplayText.harmless(kept))': say --\(option) with that name, or with "
          + "'\(wanted)' to put it there", verb: command.name)
    }
  }
}
