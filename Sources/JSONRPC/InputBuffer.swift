/// Received bytes that are not used up yet: a part that was looked at, and the rest.
struct InputBuffer: Sendable {
  private var bytes: [UInt8] = []
  /// Before this offset the bytes are used up.
  private var start = 0
  /// Before this offset, at or after `start`, they were looked at.
  private var position = 0

  /// Bytes that are not used up.
  var count: Int { bytes.count - start }
  /// Of those, the ones that were looked at.
  var countLookedAt: Int { position - start }
  /// Whether all were looked at.
  var isExhausted: Bool { position == bytes.count }
  /// The first byte that is not used up, if there is one.
  var first: UInt8? { start < bytes.count ? bytes[start] : nil }

  mutating func append(_ received: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: received)
  }

  /// The first bytes that are not used up, up to `length`.
  func prefix(_ length: Int) -> ArraySlice<UInt8> {
    bytes[start...].prefix(length)
  }

  // MARK: Looking

  /// Looks for the end of a value in the next `limit` bytes at most, so that what comes out doesn't depend
  /// on how the bytes came in.
  mutating func advance(_ boundary: inout ValueBoundary, within limit: Int) -> ValueBoundary.Outcome {
    var offset = position
    let end = endOfWindow(limit)
    let outcome = boundary.advance(over: bytes.span.extracting(first: end), from: &offset)
    position = offset
    return outcome
  }

  /// Looks for the end of a line in the next `limit` bytes at most; stands behind its line feed if true.
  mutating func advanceBehindLine(within limit: Int) -> Bool {
    let end = endOfWindow(limit)
    guard let lineFeed = bytes[position..<end].firstIndex(of: Byte.lineFeed) else {
      position = end
      return false
    }
    position = lineFeed + 1
    return true
  }

  /// Looks at the next bytes whatever they are, `length` at most.
  mutating func advance(by length: Int) {
    position = endOfWindow(length)
  }

  private func endOfWindow(_ limit: Int) -> Int {
    position + min(limit, bytes.count - position)
  }

  // MARK: Using up

  /// Uses up white space.
  mutating func skipSpace() {
    start = bytes.span.endOfSpace(from: start)
    position = start
  }

  /// Uses up what was looked at, and gives it.
  mutating func take() -> [UInt8] {
    let taken = Array(bytes[start..<position])
    start = position
    return taken
  }

  /// Uses up what was looked at, and says how much that was.
  mutating func discard() -> Int {
    let length = countLookedAt
    start = position
    return length
  }

  /// Moves what is left to the front when that is cheap for what it frees.
  mutating func compact() {
    if start == bytes.count {
      // A connection at rest doesn't keep the room of its largest message.
      bytes.removeAll(keepingCapacity: bytes.capacity <= 8192)
    } else if start >= 4096, start >= bytes.count / 2 {
      bytes.removeSubrange(..<start)
    } else {
      return
    }
    position -= start
    start = 0
  }
}
