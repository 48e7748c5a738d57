import Files
import JSONRPC
import ListsClient

extension Session {
  /// The names of the database that the options name.
  var placeNames: (container: String, database: String) {
    (option("container") ?? "default", option("database") ?? "private")
  }

  func backUpDatabase() async throws(Failure) -> DatabaseBackup {
    let connection = try connection()
    do throws(ClientError) {
      return try await connection.backUpDatabase(
        container: option("container"), database: option("database"))
    } catch {
      throw .client(error)
    }
  }

  func restoreDatabase(
    from file: OwnedDescriptor, checksum: String, replacesRecords: Bool
  ) async throws(Failure) -> Int64 {
    let connection = try connection()
    do throws(ClientError) {
      return try await connection.restoreDatabase(
        from: file, checksum: checksum, replacesRecords: replacesRecords, container: option("container"),
        database: option("database"))
    } catch {
      throw .client(error)
    }
  }
}
