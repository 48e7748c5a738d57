import Files
import JSONRPC
import Records

/// What belongs to a backup, with the checksums of everything: written last, so that there is none of what is not
/// whole.
struct BackupManifest {
  /// Of this form; a later one would have another.
  private static let form: Int64 = 1

  var container: String
  var database: String
  /// In the folder; named by its checksum, so that the one before stays until this one counts.
  var file: String
  var size: Int64
  var checksum: String
  var changeToken: String
  var numberOfRecords: Int64
  var schemaVersion: Int64
  var assets: [Asset]

  /// The name of the file with the records.
  static func fileName(_ checksum: String) -> String { "records-\(checksum.prefix(16)).db" }

  /// Nil when it can't be understood: another form, or names of files that lead elsewhere.
  init?(_ json: JSON) {
    guard json["listsBackup"]?.int64Value == Self.form, let records = json["records"],
      let container = json["container"]?.stringValue, let database = json["database"]?.stringValue,
      let file = records["file"]?.stringValue, let size = records["size"]?.int64Value,
      let checksum = records["checksum"]?.stringValue, SHA256.isText(checksum),
      file == Self.fileName(checksum), let changeToken = json["changeToken"]?.stringValue,
      let numberOfRecords = json["numberOfRecords"]?.int64Value,
      let schemaVersion = json["schemaVersion"]?.int64Value, let listed = json["assets"]
    else { return nil }
    var assets: [Asset] = []
    for asset in listed.elements {
      guard let checksum = asset["checksum"]?.stringValue, SHA256.isText(checksum),
        let size = asset["size"]?.int64Value
      else { return nil }
      assets.append(Asset(checksum: checksum, size: size))
    }
    self.init(
      container: container, database: database, file: file, size: size, checksum: checksum,
      changeToken: changeToken, numberOfRecords: numberOfRecords, schemaVersion: schemaVersion, assets: assets
    )
  }

  init(
    container: String, database: String, file: String, size: Int64, checksum: String, changeToken: String,
    numberOfRecords: Int64, schemaVersion: Int64, assets: [Asset]
  ) {
    self.container = container
    self.database = database
    self.file = file
    self.size = size
    self.checksum = checksum
    self.changeToken = changeToken
    self.numberOfRecords = numberOfRecords
    self.schemaVersion = schemaVersion
    self.assets = assets
  }

  var json: JSONNode {
    [
      "listsBackup": .int(Self.form), "container": .string(container), "database": .string(database),
      "numberOfRecords": .int(numberOfRecords), "schemaVersion": .int(schemaVersion),
      "changeToken": .string(changeToken),
      "records": ["file": .string(file), "size": .int(size), "checksum": .string(checksum)],
      "assets": .array(assets.map { ["checksum": .string($0.checksum), "size": .int($0.size)] }),
    ]
  }
}
