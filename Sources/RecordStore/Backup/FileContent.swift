internal import Files
internal import Glibc
internal import Records

/// What is in a file that may be another's.
struct FileContent {
  private static let bytesAtOnce = 1 << 20

  private let file: OwnedDescriptor

  init(_ file: OwnedDescriptor) { self.file = file }

  /// Its size; nil when it is no regular file.
  var size: Int? {
    var status = stat()
    guard fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// Bytes and SHA-256. May take long, or for ever where the file is on another's file system.
  func digest(isStopped: () -> Bool) throws(RecordError) -> (size: Int, digest: [UInt8]) {
    var hash = SHA256()
    let size = try forEachPart(isStopped) { (bytes) throws(RecordError) in hash.update(bytes) }
    return (size, hash.finish())
  }

  /// Copies at most `limit` bytes to the end of another file, and tells the size and SHA-256 of what it wrote.
  ///
  /// Throws `storageFull` and the like; `invalidArguments` when there is more.
  func copy(
    to path: String, atMost limit: Int, isStopped: () -> Bool
  ) throws(RecordError) -> (size: Int, digest: [UInt8]) {
    guard let copy = OwnedDescriptor(opening: path, O_WRONLY | O_NOFOLLOW) else {
      throw Folder.failure(errno, path) { _ in }
    }
    var hash = SHA256()
    var written = 0
    let size = try forEachPart(isStopped) { (bytes) throws(RecordError) in
      guard written + bytes.count <= limit else { throw .descriptorGrew }
      hash.update(bytes)
      var rest = bytes
      while !rest.isEmpty {
        let count = write(copy.rawValue, rest.baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw Folder.failure(errno, path) { _ in } }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
      written += bytes.count
    }
    guard fsync(copy.rawValue) == 0 else { throw Folder.failure(errno, path) { _ in } }
    return (size, hash.finish())
  }

  private func forEachPart(
    _ isStopped: () -> Bool, _ body: (UnsafeRawBufferPointer) throws(RecordError) -> Void
  ) throws(RecordError) -> Int {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bytesAtOnce, alignment: 16)
    defer { room.deallocate() }
    var offset = 0
    while true {
      if isStopped() { throw .stopping }
      // Whoever else has the descriptor may move its own position as it likes.
      let count = pread(file.rawValue, room.baseAddress, room.count, offset)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unreadableDescriptor }
      if count == 0 { return offset }
      try body(UnsafeRawBufferPointer(rebasing: room[..<count]))
      offset += count
    }
  }
}

extension RecordError {
  static func descriptor(_ what: String, reason: String) -> RecordError {
    RecordError(
      .invalidArguments, what,
      details: [Detail(name: "parameter", text: "descriptor"), Detail(name: "reason", text: reason)])
  }

  static let unreadableDescriptor = descriptor("the file that was passed can't be read", reason: "unreadable")
  fileprivate static let descriptorGrew = descriptor(
    "the file that was passed grew while it was read", reason: "unreadable")
}
