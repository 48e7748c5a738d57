import Glibc

/// A file, or standard input for `-`, read in pieces.
final class InputFile {
  let name: String
  /// The file's length in bytes; nil for a pipe.
  let size: Int?
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  /// Where a read goes before it is appended.
  private var piece: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  /// Bytes handed out so far.
  private(set) var position = 0

  /// - Throws: `Failure.trouble` with the file's name.
  init(_ path: String) throws(Failure) {
    name = path == "-" ? "standard input" : path
    descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .trouble("can't read \(path): \(String(cString: strerror(errno)))")
    }
    var status = stat()
    size = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    // Everything is set, so the end of the object closes the descriptor.
    if status.st_mode & S_IFMT == S_IFDIR {
      throw .trouble("can't read \(path): it is a folder")
    }
  }

  /// Reads on from where the descriptor stands, and closes it.
  init(reading descriptor: Int32, name: String) {
    self.name = name
    self.descriptor = descriptor
    size = nil
  }

  deinit {
    if descriptor > STDIN_FILENO { close(descriptor) }
  }

  enum Line {
    /// With its line feed taken away, and a carriage return before it.
    case bytes([UInt8])
    /// It was passed over.
    case tooLong
  }

  static let maximumLineBytes = 64 << 20

  /// The next line; nil at the end.
  func nextLine(limit: Int = maximumLineBytes) throws(Failure) -> Line? {
    var scanned = start
    while true {
      if let end = buffer[scanned...].firstIndex(of: 0x0A) {
        var line = Array(buffer[start..<end])
        position += end + 1 - start
        start = end + 1
        if line.last == 0x0D { line.removeLast() }
        return .bytes(line)
      }
      scanned = buffer.count
      guard buffer.count - start <= limit else {
        try passOverLine()
        return .tooLong
      }
      let consumed = start
      guard try readMore() else {
        guard start < buffer.count else { return nil }
        defer { start = buffer.count }
        position += buffer.count - start
        return .bytes(Array(buffer[start...]))
      }
      scanned -= consumed - start
    }
  }

  private func passOverLine() throws(Failure) {
    var isThere = true
    var hasEnded = false
    while isThere, !hasEnded {
      isThere = try take { piece in
        let end = piece.firstIndex(of: 0x0A)
        hasEnded = end != nil
        return end.map { $0 + 1 } ?? piece.count
      }
    }
  }

  /// The next byte; nil at the end.
  func readByte() throws(Failure) -> UInt8? {
    if start == buffer.count, try !readMore() { return nil }
    defer {
      start += 1
      position += 1
    }
    return buffer[start]
  }

  /// The next byte, which stays the next one.
  func peekByte() throws(Failure) -> UInt8? {
    if start == buffer.count, try !readMore() { return nil }
    return buffer[start]
  }

  /// Passes over the byte order mark that some programs put at a file's beginning.
  func skipByteOrderMark() throws(Failure) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    while buffer.count - start < mark.count, buffer[start...].elementsEqual(mark.prefix(buffer.count - start))
    {
      guard try readMore() else { return }
    }
    guard buffer[start...].starts(with: mark) else { return }
    start += mark.count
    position += mark.count
  }

  /// Everything that is left.
  func readToEnd() throws(Failure) -> [UInt8] {
    while try readMore() {}
    defer {
      position += buffer.count - start
      buffer = []
      start = 0
    }
    return Array(buffer[start...])
  }

  /// What is read already and not handed out yet.
  var buffered: ArraySlice<UInt8> { buffer[start...] }

  /// Nothing is there to be read on with: what is read next may be long in coming.
  var isWaiting: Bool {
    guard !isAtEnd, buffered.count < 1 << 12, !buffered.contains(0x0A) else { return false }
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, 0) == 0
  }

  /// Reads more behind what is ``buffered``; false at the end.
  func fill() throws(Failure) -> Bool { try readMore() }

  /// Hands bytes out, at least one, as many as `body` says it took; false at the end, where there are none.
  func take(_ body: (UnsafeBufferPointer<UInt8>) -> Int) throws(Failure) -> Bool {
    if start == buffer.count, try !readMore() { return false }
    let count = buffer.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[start...])) }
    start += count
    position += count
    return true
  }

  /// Reads once; false at the end, or when the user interrupts. Moves what is left to the buffer's beginning.
  private func readMore() throws(Failure) -> Bool {
    if isAtEnd { return false }
    guard Interruption.waitForInput(descriptor) else {
      isAtEnd = true
      return false
    }
    if start > 0 {
      buffer.removeFirst(start)
      start = 0
    }
    if piece.isEmpty { piece = Array(repeating: 0, count: 1 << 18) }
    var count = -1
    repeat {
      count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    } while count < 0 && errno == EINTR
    guard count >= 0 else {
      throw .trouble("can't read \(name): \(String(cString: strerror(errno)))")
    }
    piece.withUnsafeBufferPointer { buffer.append(contentsOf: $0[..<count]) }
    isAtEnd = count == 0
    return count > 0
  }
}
