internal import Files
internal import Glibc
internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  /// Bytes of a file in one reply, which must have room for them in base64.
  private static func maximumPart(_ limits: ServiceLimits) -> Int {
    min(4 << 20, max(1, (limits.maximumReplyBytes - 512) / 4 * 3))
  }

  static let fetchAsset = Method(
    "fetchAsset", .read,
    [.required("checksum"), .optional("offset"), .optional("length"), .optional("descriptor")],
    errors: .read.subtracting([.zoneNotFound]).union([.assetFileNotFound, .storageReadOnly])
  ) { invocation, _ throws(RecordError) in
    let arguments = invocation.arguments
    let folder = try invocation.database(for: .read).store.assets.folder
    guard let checksum = try arguments.checksum() else {
      throw .parameter("checksum", mustBe: "a SHA-256 of 64 hexadecimal digits, in lower case")
    }
    let offset = try arguments.integer("offset", in: 0...Int.max)
    let maximumPart = maximumPart(invocation.limits)
    let length = try arguments.integer("length", in: 0...maximumPart)
    if try arguments.bool("descriptor", default: false) {
      if offset != nil || length != nil {
        throw .parameter("descriptor", mustBe: "false where a part of the file is asked for")
      }
      return .work { () throws(RecordError) in
        let file = try folder.open(checksum)
        return AssetFile(descriptor: file.file, size: file.size)
      } finish: { file, result throws(RecordError) in
        result.beginObject()
        result.key("size")
        result.int(file.size)
        result.endObject()
        return .passing(file.descriptor)
      }
    }
    return .work { () throws(RecordError) in
      try part(of: checksum, in: folder, from: offset ?? 0, length ?? maximumPart)
    } finish: { part, result throws(RecordError) in
      result.beginObject()
      result.key("data")
      result.raw(part.json[...])
      result.key("offset")
      result.int(part.offset)
      result.key("size")
      result.int(part.size)
      result.endObject()
      return .done
    }
  }

  private struct AssetFile: Sendable {
    let descriptor: OwnedDescriptor
    let size: Int64
  }

  private struct Part: Sendable {
    let json: [UInt8]
    let offset: Int
    let size: Int64
  }

  private static func part(
    of checksum: String, in folder: AssetFolder, from offset: Int, _ length: Int
  ) throws(RecordError) -> Part {
    let file = try folder.open(checksum)
    guard offset <= file.size else { throw .parameter("offset", mustBe: "at most the size, \(file.size)") }
    var bytes = [UInt8](repeating: 0, count: min(length, Int(file.size) - offset))
    var count = 0
    while count < bytes.count {
      let got = bytes[count...].withUnsafeMutableBytes {
        pread(file.file.rawValue, $0.baseAddress, $0.count, offset + count)
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { throw RecordError(.storeDamaged, "the asset's file can't be read whole") }
      count += got
    }
    var writer = JSONWriter()
    writer.string(Base64.encode(bytes))
    return Part(json: writer.bytes, offset: offset, size: file.size)
  }
}
