public import Files
import JSONRPC
public import Records

/// A whole copy of a database, as it was at one moment.
public struct DatabaseBackup: Sendable {
  /// Open for reading; goes with its last descriptor.
  public let file: OwnedDescriptor
  public let size: Int64
  /// SHA-256, as text.
  public let checksum: String
  /// The position that is in it.
  public let changeToken: String
  public let numberOfRecords: Int64
  /// A service that knows this version, or a later one, can restore it.
  public let schemaVersion: Int64
  /// Those that it refers to, whose files are not in it.
  public let assets: [Asset]

  /// Writes the copy to a file that is open for writing.
  ///
  /// - Throws: `ClientError.file` when it can't be written, or the copy is damaged.
  public func write(to descriptor: Int32) throws(ClientError) {
    try AssetFile(descriptor: file, asset: Asset(checksum: checksum, size: size)).write(to: descriptor)
  }
}

extension Connection {
  /// Copies a whole database while others use it. Its assets are to be fetched by themselves.
  public func backUpDatabase(
    container: String? = nil, database: String? = nil
  ) async throws(ClientError) -> DatabaseBackup {
    let passed = PassedDescriptor()
    let params = Self.backupParams([], container, database)
    let reply = try await channel.call("backUpDatabase", params: params, passed: passed).get()
    guard let file = passed.take() else {
      throw .malformedReply(
        "backUpDatabase passed no file: what lies between passes none, or too many are open")
    }
    guard let size = reply["size"]?.int64Value, let checksum = reply["checksum"]?.stringValue,
      let changeToken = reply["changeToken"]?.stringValue, let records = reply["numberOfRecords"]?.int64Value,
      let schemaVersion = reply["schemaVersion"]?.int64Value, let assets = reply["assets"]
    else { throw .malformedReply("backUpDatabase tells not all of the file") }
    return DatabaseBackup(
      file: file, size: size, checksum: checksum, changeToken: changeToken, numberOfRecords: records,
      schemaVersion: schemaVersion,
      assets: assets.elements.compactMap { asset in
        guard let checksum = asset["checksum"]?.stringValue, let size = asset["size"]?.int64Value else {
          return nil
        }
        return Asset(checksum: checksum, size: size)
      })
  }

  /// Puts a backup in the place of a database. Its assets are to be saved before.
  ///
  /// - Parameters:
  ///   - file: The backup, open for reading.
  ///   - checksum: SHA-256 of what must be in it.
  ///   - replacesRecords: Whether records that are there may go; the service keeps the file that they are in.
  /// - Returns: How many records there are then.
  @discardableResult
  public func restoreDatabase(
    from file: OwnedDescriptor, checksum: String, replacesRecords: Bool = false, container: String? = nil,
    database: String? = nil
  ) async throws(ClientError) -> Int64 {
    var members: [(String, JSONNode)] = [("checksum", .string(checksum))]
    if replacesRecords { members.append(("replace", true)) }
    let params = Self.backupParams(members, container, database)
    let reply = try await channel.call("restoreDatabase", params: params, with: file).get()
    return reply["numberOfRecords"]?.int64Value ?? 0
  }

  private static func backupParams(
    _ members: [(String, JSONNode)], _ container: String?, _ database: String?
  ) -> JSON {
    let place = [("container", container), ("database", database)]
      .compactMap { name, value in value.map { (name, JSONNode.string($0)) } }
    return JSONNode.object([("descriptor", true)] + members + place).json
  }
}
