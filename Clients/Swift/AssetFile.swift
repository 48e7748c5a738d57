import CLinux
public import Files
import Glibc
public import Records

/// The file of an asset, open for reading.
public struct AssetFile: Sendable {
  public let descriptor: OwnedDescriptor
  public let asset: Asset

  /// A file that is said to be this asset's; ``check()`` tells whether it is.
  public init(descriptor: OwnedDescriptor, asset: Asset) {
    self.descriptor = descriptor
    self.asset = asset
  }

  /// Writes the content to a file that is open for writing.
  ///
  /// - Throws: `ClientError.file` when it can't be written, or its content is not the asset's.
  public func write(to descriptor: Int32) throws(ClientError) {
    try forEachPart { part throws(ClientError) in
      var rest = part
      while !rest.isEmpty {
        let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw .file(reason: "can't be written: \(String(cString: strerror(errno)))") }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
    }
  }

  /// The whole content.
  ///
  /// - Throws: `ClientError.file` when the content is not the asset's.
  public func read() throws(ClientError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(asset.size))
    try forEachPart { part throws(ClientError) in bytes.append(contentsOf: part) }
    return bytes
  }

  /// Reads it to its end.
  ///
  /// - Throws: `ClientError.file` when the content is not the asset's.
  public func check() throws(ClientError) { try forEachPart { _ throws(ClientError) in } }

  private func forEachPart(_ body: (UnsafeRawBufferPointer) throws(ClientError) -> Void) throws(ClientError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    var hash = SHA256()
    var offset = 0
    while true {
      let count = pread(descriptor.rawValue, buffer.baseAddress, buffer.count, offset)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .file(reason: "can't be read: \(String(cString: strerror(errno)))") }
      if count == 0 { break }
      let part = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      hash.update(part)
      try body(part)
      offset += count
    }
    guard SHA256.text(of: hash.finish()) == asset.checksum else {
      throw .file(reason: "its content is not that of the asset: it was damaged")
    }
  }
}

/// A file that is to become an asset.
struct SourceFile: Sendable {
  let descriptor: OwnedDescriptor
  let size: Int

  /// A regular file as it is; of anything else, a pipe say, what can be read from it.
  init(_ file: OwnedDescriptor) throws(ClientError) {
    var status = stat()
    guard fstat(file.rawValue, &status) == 0 else { throw Self.failure() }
    if status.st_mode & S_IFMT == S_IFREG {
      self.init(file, size: Int(status.st_size))
      return
    }
    var memory = try MemoryFile()
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = Glibc.read(file.rawValue, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.failure() }
      if count == 0 { break }
      try memory.append(buffer[..<count])
    }
    self.init(memory.descriptor, size: memory.size)
  }

  init(_ descriptor: OwnedDescriptor, size: Int) {
    self.descriptor = descriptor
    self.size = size
  }

  /// The bytes at that place; fewer than `count` only at the end.
  func part(at offset: Int, _ count: Int) throws(ClientError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: min(count, size - offset))
    var filled = 0
    while filled < bytes.count {
      let got = bytes[filled...].withUnsafeMutableBytes {
        pread(descriptor.rawValue, $0.baseAddress, $0.count, offset + filled)
      }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw Self.failure() }
      guard got > 0 else { throw .file(reason: "it got shorter while it was sent") }
      filled += got
    }
    return bytes
  }

  private static func failure() -> ClientError {
    .file(reason: "can't be read: \(String(cString: strerror(errno)))")
  }
}

/// A file in memory.
struct MemoryFile {
  let descriptor: OwnedDescriptor
  private(set) var size = 0

  init() throws(ClientError) {
    let number = clinux_memory_file("lists-asset")
    guard number >= 0 else {
      throw .file(reason: "no file in memory can be made: \(String(cString: strerror(errno)))")
    }
    descriptor = OwnedDescriptor(number)
  }

  mutating func append(_ bytes: some Collection<UInt8>) throws(ClientError) {
    let bytes = Array(bytes)
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes {
        pwrite(descriptor.rawValue, $0.baseAddress, $0.count, size + written)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw .file(reason: "there is no memory for it: \(String(cString: strerror(errno)))")
      }
      written += count
    }
    size += bytes.count
  }
}
