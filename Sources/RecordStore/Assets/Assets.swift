public import Files
internal import Glibc
public import Records
internal import Synchronization

/// Brings files into a store. Everything here may block for long: for threads made for that.
///
/// A file that was brought in is nothing yet: a write request with it (`WriteOperation.saveAsset`) makes it an asset.
public final class Assets: Sendable {
  public let folder: AssetFolder
  private let uploads: AssetUploads

  init(in folder: AssetFolder, limits: StoreLimits, clock: @escaping @Sendable () -> Int64) {
    self.folder = folder
    uploads = AssetUploads(
      in: folder, atMost: limits.maximumUploads, age: limits.maximumUploadAge, clock: clock)
  }

  /// What came of a part of an upload.
  public enum Received: Sendable {
    /// It goes on there.
    case unfinished(uploadID: String, offset: Int64)
    case whole(HeldAsset)
  }

  /// Takes a part of a file, or tells how far it is.
  public func receive(_ part: AssetPart) throws(RecordError) -> Received {
    guard let id = part.uploadID else {
      if let checksum = part.checksum, let held = try present(checksum, size: part.size) {
        return .whole(held)
      }
      let upload = try uploads.begin(part)
      do {
        return try uploads.append(part, to: upload)
      } catch {
        // Nobody was told its name.
        uploads.forget(upload)
        throw error
      }
    }
    return try uploads.append(part, to: try uploads.find(id, of: part.userID))
  }

  /// Copies what another process has open. Only regular files, those in memory among them; what is copied is what
  /// counts, whatever the other does meanwhile.
  public func copy(
    _ file: OwnedDescriptor, size: Int64, checksum: String?
  ) throws(RecordError) -> HeldAsset {
    let source = try ForeignFile(file, size: size)
    if let checksum, let held = try present(checksum, size: size) { return held }
    let draft = try folder.makeDraft()
    try draft.reserve(size)
    try source.copy(to: draft)
    return try draft.finish(checksum)
  }

  /// The file of that checksum, if it is there already.
  private func present(_ checksum: String, size: Int64?) throws(RecordError) -> HeldAsset? {
    guard let held = try folder.holdIfPresent(checksum), let size else { return nil }
    // With another size someone has meddled with it: then it is made anew.
    return held.size == size ? held : nil
  }
}

/// A part of a file that is uploaded.
public struct AssetPart: Sendable {
  /// Whose upload it is.
  public var userID: UInt32
  /// Nil for the first part.
  public var uploadID: String?
  /// Of the whole file; needed for the first part only.
  public var size: Int64?
  /// Of the whole file, where it is known.
  public var checksum: String?
  /// Where the part begins; nil for where the last one ended.
  public var offset: Int64?
  /// Nil to be told only how far it is.
  public var data: [UInt8]?

  public init(
    userID: UInt32, uploadID: String?, size: Int64?, checksum: String?, offset: Int64?, data: [UInt8]?
  ) {
    self.userID = userID
    self.uploadID = uploadID
    self.size = size
    self.checksum = checksum
    self.offset = offset
    self.data = data
  }
}

/// A regular file that another process has open, and may change at any time.
private struct ForeignFile {
  private let file: OwnedDescriptor
  private let size: Int64

  init(_ file: OwnedDescriptor, size: Int64) throws(RecordError) {
    var status = stat()
    guard fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Self.refusal("the descriptor is not that of a regular file, which alone can be an asset")
    }
    guard status.st_size == size else {
      throw Self.refusal("the file has \(status.st_size) bytes, and not \(size)")
    }
    self.file = file
    self.size = size
  }

  private static func refusal(_ message: String) -> RecordError {
    RecordError(
      .invalidArguments, message, details: [RecordError.Detail(name: "parameter", text: "descriptor")])
  }

  func copy(to draft: AssetDraft) throws(RecordError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while offset < size {
      let count = try read(into: buffer, at: offset)
      guard count > 0 else { throw Self.refusal("the file got shorter while it was copied") }
      let part = UnsafeRawBufferPointer(rebasing: buffer[..<min(count, Int(size - offset))])
      try draft.append(part, checksRoom: false)
      offset += Int64(part.count)
    }
    guard try read(into: buffer, at: offset) == 0 else {
      throw Self.refusal("the file got longer while it was copied")
    }
  }

  private func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(RecordError) -> Int {
    while true {
      // Not with the offset of the descriptor, which is the other's as well.
      let count = pread(file.rawValue, buffer.baseAddress, buffer.count, Int(offset))
      if count >= 0 { return count }
      if errno == EINTR { continue }
      throw Self.refusal(
        errno == EBADF ? "the descriptor was not opened for reading" : "the file can't be read")
    }
  }
}
