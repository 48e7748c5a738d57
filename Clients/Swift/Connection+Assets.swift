public import Files
import Glibc
import JSONRPC
public import Records

extension Connection {
  /// Bytes of a part, where a file goes in parts.
  private static let partBytes = 2 << 20

  /// Saves a file: what it has when the service copies it becomes an asset, to be the value of fields.
  ///
  /// - Throws: `ClientError.file` when it can't be read.
  public func saveAsset(
    file path: String, container: String? = nil, database: String? = nil
  ) async throws(ClientError) -> Asset {
    guard let file = OwnedDescriptor(opening: path, O_RDONLY) else {
      throw .file(reason: "can't be opened: \(String(cString: strerror(errno)))")
    }
    return try await saveAsset(from: file, container: container, database: database)
  }

  /// Saves what an open file has: a regular one from its start, of anything else what can be read from it.
  ///
  /// - Parameter checksum: What it is known to have: nothing is copied where that is there, and another content is
  ///   refused.
  public func saveAsset(
    from file: OwnedDescriptor, checksum: String? = nil, container: String? = nil, database: String? = nil
  ) async throws(ClientError) -> Asset {
    try await save(SourceFile(file), checksum, container, database)
  }

  /// Saves bytes.
  public func saveAsset(
    _ bytes: [UInt8], container: String? = nil, database: String? = nil
  ) async throws(ClientError) -> Asset {
    var memory = try MemoryFile()
    try memory.append(bytes)
    return try await save(SourceFile(memory.descriptor, size: memory.size), nil, container, database)
  }

  private func save(
    _ file: SourceFile, _ checksum: String?, _ container: String?, _ database: String?
  ) async throws(ClientError) -> Asset {
    let what =
      [("size", JSONNode.int(Int64(file.size)))] + (checksum.map { [("checksum", .string($0))] } ?? [])
    let params = Self.assetParams(what + [("descriptor", true)], container, database)
    let outcome = await channel.call("saveAsset", params: params.json, with: file.descriptor)
    if case .failure(.rejected(let error)) = outcome, error.lacksDescriptor {
      return try await saveParts(of: file, what, container, database)
    }
    return try Self.asset(in: try outcome.get())
  }

  /// Where something between that passes bytes only, or the system has no room for another descriptor.
  private func saveParts(
    of file: SourceFile, _ what: [(String, JSONNode)], _ container: String?, _ database: String?
  ) async throws(ClientError) -> Asset {
    var offset = 0
    var first = what
    while true {
      let part = try file.part(at: offset, Self.partBytes)
      let params = first + [("data", .string(Base64.encode(part))), ("offset", .int(Int64(offset)))]
      let reply = try await call("saveAsset", Self.assetParams(params, container, database))
      guard let id = reply["uploadID"]?.stringValue, let next = reply["offset"]?.int64Value else {
        return try Self.asset(in: reply)
      }
      guard next > offset, next <= file.size else {
        throw .malformedReply("saveAsset goes on at \(next)")
      }
      first = [("uploadID", .string(id))]
      offset = Int(next)
    }
  }

  /// The file of an asset.
  public func fetchAsset(
    _ checksum: String, container: String? = nil, database: String? = nil
  ) async throws(ClientError) -> AssetFile {
    let passed = PassedDescriptor()
    let params = Self.assetParams(
      [("checksum", .string(checksum)), ("descriptor", true)], container, database)
    let reply = try await channel.call("fetchAsset", params: params.json, passed: passed).get()
    guard let size = reply["size"]?.int64Value, size >= 0 else {
      throw .malformedReply("fetchAsset gave no size")
    }
    let asset = Asset(checksum: checksum, size: size)
    if let descriptor = passed.take() { return AssetFile(descriptor: descriptor, asset: asset) }
    return AssetFile(descriptor: try await fetchParts(of: asset, container, database), asset: asset)
  }

  private func fetchParts(
    of asset: Asset, _ container: String?, _ database: String?
  ) async throws(ClientError) -> OwnedDescriptor {
    var memory = try MemoryFile()
    while memory.size < asset.size {
      let reply = try await call(
        "fetchAsset",
        Self.assetParams(
          [("checksum", .string(asset.checksum)), ("offset", .int(Int64(memory.size)))], container, database))
      guard let part = reply["data"]?.stringValue.flatMap(Base64.decode), !part.isEmpty else {
        throw .malformedReply("fetchAsset gave no data")
      }
      try memory.append(part)
    }
    return memory.descriptor
  }

  private static func assetParams(
    _ members: [(String, JSONNode)], _ container: String?, _ database: String?
  ) -> JSONNode {
    let place = [("container", container), ("database", database)]
    return .object(members + place.compactMap { name, value in value.map { (name, .string($0)) } })
  }

  private static func asset(in reply: JSON) throws(ClientError) -> Asset {
    guard let asset = reply["asset"], let checksum = asset["checksum"]?.stringValue,
      let size = asset["size"]?.int64Value
    else { throw .malformedReply("saveAsset gave no asset") }
    return Asset(checksum: checksum, size: size)
  }
}

extension ClientError.ServiceError {
  /// The descriptor that was sent did not arrive.
  fileprivate var lacksDescriptor: Bool {
    errorCode == "invalidArguments" && data?["parameter"]?.stringValue == "descriptor"
      && data?["reason"]?.stringValue == "missing"
  }
}
