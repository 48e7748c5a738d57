import Files
import Glibc

/// Splits received bytes into the service's messages: it sends each as one line (`Protocol/README.md`,
/// "Framing").
///
/// A line that grows past the limit is discarded as it comes in; only its beginning is kept, from which
/// the call that it answers can be told.
struct LineSplitter {
  enum Event: Equatable {
    case line([UInt8])
    case tooLarge(beginning: [UInt8])
  }

  private let limit: Int
  private var buffer: [UInt8] = []
  /// Where the next line starts, and up to where no line feed was found.
  private var start = 0
  private var scanned = 0
  /// How many lines there were, empty ones among them.
  private var lineNumber = 0
  /// Each with the number of its line, counted from 1.
  private var descriptors: [(line: Int, descriptor: OwnedDescriptor)] = []
  /// The beginning of a line that is being discarded.
  private var discarded: [UInt8]?
  /// How much of a discarded line is kept.
  private static let beginningCount = 512

  /// - Parameter limit: The most bytes of a line, its line feed not counted.
  init(limit: Int) {
    self.limit = limit
  }

  /// Takes what was received, and what came with it: that belongs to the last line that begins in it. Everything
  /// that can be had by `next()` should be, before.
  mutating func append(_ bytes: UnsafeRawBufferPointer, with descriptor: OwnedDescriptor? = nil) {
    if start > 0 {
      buffer.removeFirst(start)
      scanned -= start
      start = 0
    }
    buffer.append(contentsOf: bytes)
    guard let descriptor else { return }
    // The last line feed ends the last line, and begins none.
    let begun = bytes.dropLast().count { $0 == 0x0A }
    descriptors.append((lineNumber + 1 + begun, descriptor))
  }

  /// The descriptor of the line that `next()` gave last.
  mutating func takeDescriptor() -> OwnedDescriptor? {
    if let first = descriptors.first, first.line == lineNumber {
      descriptors.removeFirst()
      return first.descriptor
    }
    return nil
  }

  /// The next line; nil when more must be received first.
  mutating func next() -> Event? {
    while true {
      guard let end = nextLineFeed() else {
        if discarded != nil || buffer.count - start > limit { discard() }
        return nil
      }
      let line = start..<end
      lineNumber += 1
      start = end + 1
      scanned = start
      if let beginning = discarded {
        discarded = nil
        return .tooLarge(beginning: beginning)
      }
      if line.count > limit {
        return .tooLarge(beginning: Array(buffer[line].prefix(Self.beginningCount)))
      }
      if !line.isEmpty { return .line(Array(buffer[line])) }
    }
  }

  private mutating func nextLineFeed() -> Int? {
    let found: Int? = buffer.withUnsafeBytes { bytes in
      guard scanned < bytes.count, let base = bytes.baseAddress else { return nil }
      return memchr(base + scanned, 0x0A, bytes.count - scanned).map { UnsafeRawPointer($0) - base }
    }
    if found == nil { scanned = buffer.count }
    return found
  }

  /// Forgets an unfinished line but for its beginning.
  private mutating func discard() {
    if discarded == nil { discarded = Array(buffer[start...].prefix(Self.beginningCount)) }
    buffer.removeAll(keepingCapacity: true)
    start = 0
    scanned = 0
  }
}
