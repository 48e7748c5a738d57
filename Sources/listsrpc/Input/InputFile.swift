import Glibc

/// A file, or standard input for `-`, read in pieces.
final class InputFile {
  let name: String
  /// The file's length in bytes; nil for a pipe.
  let size: Int?
  private let descriptor: Int32
  private var buffer: [UInt8] = []
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

  deinit {
    if descriptor > STDIN_FILENO { close(descriptor) }
  }

  /// The next line with its line feed taken away (and a carriage return before it); nil at the end.
  ///
  /// - Throws: `Failure.trouble` for a line of more than `limit` bytes.
  func readLine(limit: Int = 64 << 20) throws(Failure) -> [UInt8]? {
    var scanned = start
    while true {
      if let end = buffer[scanned...].firstIndex(of: 0x0A) {
        var line = Array(buffer[start..<end])
        position += end + 1 - start
        start = end + 1
        if line.last == 0x0D { line.removeLast() }
        return line
      }
      scanned = buffer.count
      guard buffer.count - start <= limit else {
        throw .trouble("\(name) has a line of more than \(limit) bytes")
      }
      let consumed = start
      guard try readMore() else {
        guard start < buffer.count else { return nil }
        defer { start = buffer.count }
        position += buffer.count - start
        return Array(buffer[start...])
      }
      scanned -= consumed - start
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
    let step = 1 << 16
    let old = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: step))
    var count = -1
    repeat {
      count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress.map { $0 + old }, step) }
    } while count < 0 && errno == EINTR
    let fault = errno
    buffer.removeLast(step - max(0, count))
    guard count >= 0 else {
      throw .trouble("can't read \(name): \(String(cString: strerror(fault)))")
    }
    isAtEnd = count == 0
    return count > 0
  }
}
