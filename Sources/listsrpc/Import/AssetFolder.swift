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
  /// The bytes that go into one request or reply.
  private static let part = 3 << 20

  init(_ path: String, _ session: Session) {
    self.path = path
    self.session = session
  }

  /// The assets among the values of a record.
  static func assets(in fields: JSON?) -> [Asset] {
    var assets: [Asset] = []
    for member in fields?.members ?? JSON(unchecked: []).members {
      guard member.value.kind == .array || member.value.kind == .object,
        let value = try? FieldValue(json: member.value)
      else { continue }
      switch value {
      case .asset(let asset): assets.append(asset)
      case .list(let elements):
        for case .asset(let asset) in elements { assets.append(asset) }
      default: break
      }
    }
    return assets
  }

  // MARK: Into the folder

  /// Writes the files that the records have, unless they are there.
  func fetch(for records: [JSON]) async throws(Failure) {
    if mkdir(path, 0o777) != 0, errno != EEXIST { throw failure("make") }
    for record in records {
      for asset in Self.assets(in: record["fields"]) where done.insert(asset.checksum).inserted {
        try await fetch(asset)
      }
    }
  }

  private func fetch(_ asset: Asset) async throws(Failure) {
    // It becomes the name of a file.
    guard SHA256.isText(asset.checksum) else { return }
    let file = "\(path)/\(asset.checksum)"
    var status = stat()
    if stat(file, &status) == 0, Int64(status.st_size) == asset.size { return }
    let draft = "\(path)/.\(asset.checksum).part"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw failure("write to") }
    defer { close(descriptor) }
    var hash = SHA256()
    var offset: Int64 = 0
    repeat {
      let reply = try await session.call(
        "fetchAsset",
        [
          ("checksum", .string(asset.checksum)), ("offset", .int(offset)), ("length", .int(Int64(Self.part))),
        ])
      guard let data = reply["data"], case .bytes(let bytes)? = Self.bytes(data) else {
        throw .client(.malformedReply("fetchAsset gave no data"))
      }
      guard !bytes.isEmpty || asset.size == 0 else {
        throw .trouble("the asset \(asset.checksum) ended early")
      }
      guard LockedFile.write(bytes, to: descriptor) else { throw failure("write to") }
      hash.update(bytes)
      offset += Int64(bytes.count)
    } while offset < asset.size
    guard SHA256.text(of: hash.finish()) == asset.checksum else {
      throw .trouble("what came of the asset \(asset.checksum) has another checksum")
    }
    guard fsync(descriptor) == 0, rename(draft, file) == 0 else { throw failure("write to") }
  }

  private static func bytes(_ data: JSON) -> FieldValue? {
    let value = try? FieldValue(json: JSONNode.object([("$bytes", .json(data))]).json)
    return value ?? nil
  }

  // MARK: Out of the folder

  /// Saves the files of the record's assets, as far as they are in the folder; the service refuses a record that has
  /// others.
  ///
  /// - Returns: Why the record can't be saved, if it is for one of them.
  func save(for record: JSON) async throws(Failure) -> String? {
    for asset in Self.assets(in: record["fields"]) where !done.contains(asset.checksum) {
      guard SHA256.isText(asset.checksum) else { continue }
      do throws(Failure) {
        try await save(asset)
        done.insert(asset.checksum)
      } catch {
        guard let rejection = error.rejection, rejection.retryAfter == nil else { throw error }
        return "the asset \(asset.checksum): \(rejection.message)"
      }
    }
    return nil
  }

  private func save(_ asset: Asset) async throws(Failure) {
    let descriptor = open("\(path)/\(asset.checksum)", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // With the checksum alone first: most are there when an import is gone on with.
    var reply = try await session.call(
      "saveAsset", [("size", .int(asset.size)), ("checksum", .string(asset.checksum))])
    while reply["asset"] == nil {
      guard let uploadID = reply["uploadID"], let offset = reply["offset"]?.int64Value else {
        throw .client(.malformedReply("saveAsset gave neither an asset nor an upload"))
      }
      let part = try read(descriptor, at: offset)
      guard !part.isEmpty else {
        throw .trouble("\(path)/\(asset.checksum) is shorter than \(asset.size) bytes")
      }
      let data = FieldValue.bytes(part).json["$bytes"] ?? JSON(unchecked: [])
      reply = try await session.call(
        "saveAsset", [("uploadID", .json(uploadID)), ("offset", .int(offset)), ("data", .json(data))])
    }
  }

  private func read(_ descriptor: Int32, at offset: Int64) throws(Failure) -> [UInt8] {
    var part = [UInt8](repeating: 0, count: Self.part)
    let count = part.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
    guard count >= 0 else { throw failure("read from") }
    return Array(part[..<count])
  }

  private func failure(_ what: String) -> Failure {
    .trouble("can't \(what) \(path): \(String(cString: strerror(errno)))")
  }
}
