import Files
import Glibc
import JSONRPC
import ListsClient
import Records

extension Session {
  /// Saves a file, `-` for standard input, in the database that the options name.
  func saveAsset(_ path: String, checksum: String? = nil) async throws(Failure) -> Asset {
    let opened =
      path == "-" ? OwnedDescriptor(copying: STDIN_FILENO) : OwnedDescriptor(opening: path, O_RDONLY)
    guard let file = opened else {
      throw .trouble("can't read '\(path)': \(String(cString: strerror(errno)))")
    }
    let connection = try connection()
    do throws(ClientError) {
      return try await connection.saveAsset(
        from: file, checksum: checksum, container: option("container"), database: option("database"))
    } catch .file(let reason) {
      throw .trouble("'\(path)' \(reason)")
    } catch {
      throw .client(error)
    }
  }

  func fetchAsset(_ checksum: String) async throws(Failure) -> AssetFile {
    let connection = try connection()
    do throws(ClientError) {
      return try await connection.fetchAsset(
        checksum, container: option("container"), database: option("database"))
    } catch {
      throw .client(error)
    }
  }

  func option(_ name: String) -> String? {
    guard case .string(let value)? = place.first(where: { $0.0 == name })?.1 else { return nil }
    return value
  }
}

extension Asset {
  /// As the value of a field.
  var fieldValue: JSONNode { .object([("$asset", node)]) }

  var node: JSONNode { .object([("checksum", .string(checksum)), ("size", .int(size))]) }

  /// Nil when the value is none.
  init?(fieldValue value: JSON) {
    guard let asset = value["$asset"], let checksum = asset["checksum"]?.stringValue,
      let size = asset["size"]?.int64Value
    else { return nil }
    self.init(checksum: checksum, size: size)
  }
}
