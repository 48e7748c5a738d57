import Files
import Glibc
import JSONRPC
import ListsClient
import Records

/// A folder with the files of an export's assets, each under its checksum.
@MainActor
final class AssetFolder {
  private let path: String
  private let session: Session
  /// Those that were dealt with.
  private var done: Set<String> = []

  init(_ path: String, _ session: Session) {
    self.path = path
    self.session = session
  }

  /// The assets among the values of a record, as far as their checksums may be names of files.
  static func assets(of record: JSON) -> [Asset] {
    var assets: [Asset] = []
    for member in record["fields"]?.members ?? JSON(unchecked: []).members {
      guard member.value.kind == .array || member.value.kind == .object,
        let value = try? FieldValue(json: member.value)
      else { continue }
      switch value {
      case .asset(let asset): assets.append(asset)
      case .list(let elements): for case .asset(let asset) in elements { assets.append(asset) }
      default: break
      }
    }
    return assets.filter { SHA256.isText($0.checksum) }
  }

  /// Writes the files that the records have, unless they are there.
  func fetch(for records: [JSON]) async throws(Failure) {
    if mkdir(path, 0o777) != 0, errno != EEXIST {
      throw .trouble("can't make \(path): \(String(cString: strerror(errno)))")
    }
    for record in records {
      for asset in Self.assets(of: record) where done.insert(asset.checksum).inserted {
        try await fetch(asset)
      }
    }
  }

  private func fetch(_ asset: Asset) async throws(Failure) {
    let name = name(of: asset.checksum)
    var status = stat()
    // It has its name only once it is whole.
    if stat(name, &status) == 0, Int64(status.st_size) == asset.size { return }
    let content = try await session.fetchAsset(asset.checksum)
    let file = try ExportFile(name)
    do throws(ClientError) {
      try content.write(to: file.descriptor)
    } catch .file(let reason) {
      throw .trouble("'\(name)' \(reason)")
    } catch {
      throw .client(error)
    }
    try file.finish()
  }

  func name(of checksum: String) -> String { "\(path)/\(checksum)" }

  /// The size and the checksum of the file that is there under a checksum; nil when there is none.
  func content(of checksum: String) throws(Failure) -> (size: Int64, checksum: String)? {
    guard access(name(of: checksum), F_OK) == 0 else { return nil }
    let file = try InputFile(name(of: checksum))
    var hash = SHA256()
    while try file.take({ piece in
      hash.update(UnsafeRawBufferPointer(piece))
      return piece.count
    }) {}
    return (Int64(file.position), SHA256.text(of: hash.finish()))
  }

  /// Saves the files of the record's assets, as far as they are in the folder; the service refuses a record that has
  /// others.
  ///
  /// - Returns: Why the record can't be saved, if it is for one of them.
  func save(for record: JSON) async throws(Failure) -> String? {
    for asset in Self.assets(of: record) where !done.contains(asset.checksum) {
      do throws(Failure) {
        let name = name(of: asset.checksum)
        if access(name, F_OK) == 0 { _ = try await session.saveAsset(name, checksum: asset.checksum) }
        done.insert(asset.checksum)
      } catch {
        guard let rejection = error.rejection, rejection.retryAfter == nil else { throw error }
        return "the file \(name(of: asset.checksum)): \(rejection.message)"
      }
    }
    return nil
  }
}
