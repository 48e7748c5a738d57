internal import Files
internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let saveAsset = Method(
    "saveAsset", .write,
    [
      .optional("size"), .optional("checksum"), .optional("data"), .optional("offset"), .optional("uploadID"),
      .optional("descriptor"),
    ],
    errors: .write.subtracting([.zoneNotFound]).union([.unknownItem])
  ) { invocation, _ throws(RecordError) in
    let arguments = invocation.arguments
    let database = try invocation.database(for: .write)
    let assets = database.store.assets
    let size = try arguments.assetSize(atMost: invocation.limits.maximumAssetBytes)
    let checksum = try arguments.checksum()
    if try arguments.bool("descriptor", default: false) {
      for name in ["data", "offset", "uploadID"] where arguments[name] != nil {
        throw .parameter(name, mustBe: "left out where a descriptor comes with the request")
      }
      guard let size else { throw .parameter("size", mustBe: "the file's size in bytes") }
      let file = try invocation.takeDescriptor()
      let write = AssetWrite(database: database, caller: invocation.caller)
      return .work { () throws(RecordError) in
        try assets.copy(file, size: size, checksum: checksum)
      } finish: { held, _ throws(RecordError) in
        write.progress(with: held)
      }
    }
    return try receivePart(invocation, database, size: size, checksum: checksum)
  }

  private static func receivePart(
    _ invocation: Invocation, _ database: Database, size: Int64?, checksum: String?
  ) throws(RecordError) -> Progress {
    let arguments = invocation.arguments
    let assets = database.store.assets
    let uploadID = try arguments.string("uploadID")
    if uploadID == nil, size == nil { throw .parameter("size", mustBe: "the file's size in bytes") }
    let offset = try arguments.integer("offset", in: 0...Int.max).map { Int64($0) }
    let data = arguments["data"]
    if let data, data.kind != .string { throw .parameter("data", mustBe: "a text in base64") }
    let userID = invocation.caller.userID
    let write = AssetWrite(database: database, caller: invocation.caller)
    return .work { () throws(RecordError) in
      var part = AssetPart(
        userID: userID, uploadID: uploadID, size: size, checksum: checksum, offset: offset, data: nil)
      if let data {
        guard let bytes = data.stringValue.flatMap(Base64.decode) else {
          throw RecordError.parameter("data", mustBe: "a text in base64, with padding")
        }
        part.data = bytes
      }
      return try assets.receive(part)
    } finish: { received, result throws(RecordError) in
      switch received {
      case .whole(let held): return write.progress(with: held)
      case .unfinished(let uploadID, let offset):
        result.beginObject()
        result.key("uploadID")
        result.string(uploadID)
        result.key("offset")
        result.int(offset)
        result.endObject()
        return .done
      }
    }
  }
}

/// Makes a file that is there an asset of the database.
private struct AssetWrite {
  let database: Database
  let caller: Caller

  func progress(with held: HeldAsset) -> Progress {
    let write = WriteRequest(caller: caller, operations: [.saveAsset(held)])
    return .write(database, write) { written, result throws(RecordError) in
      guard case .savedAsset(let asset) = try written.only() else { throw .unexpectedItem }
      result.beginObject()
      result.key("asset")
      result.asset(asset)
      result.endObject()
    }
  }
}

extension Arguments {
  /// Nil when it was omitted.
  fileprivate func assetSize(atMost limit: Int) throws(RecordError) -> Int64? {
    guard let size = try integer("size", in: 0...Int.max) else { return nil }
    guard size <= limit else {
      throw .limit("maximumAssetBytes", limit, actual: size, "an asset may have \(limit) bytes at most")
    }
    return Int64(size)
  }

  /// Nil when it was omitted.
  func checksum() throws(RecordError) -> String? {
    guard let checksum = try string("checksum") else { return nil }
    guard SHA256.isText(checksum) else {
      throw .parameter("checksum", mustBe: "a SHA-256 of 64 hexadecimal digits, in lower case")
    }
    return checksum
  }
}

extension JSONWriter {
  mutating func asset(_ asset: Asset) {
    beginObject()
    key("checksum")
    string(asset.checksum)
    key("size")
    int(asset.size)
    endObject()
  }
}
