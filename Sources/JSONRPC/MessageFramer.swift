/// Splits received bytes into messages. A state machine without input or output of its own.
///
/// The first byte that is not white space decides the framing for good: `{` and `[` start a stream of JSON
/// values, `Content-` in any case a header, and anything else is taken for a stream that starts with text
/// that is not JSON.
///
/// In a stream a value ends where its bracket closes; white space between values means nothing. Text that
/// is not JSON is one fault up to the end of its line. A message that is found is not checked further: it
/// may still not be JSON inside its brackets.
///
/// Call ``next()`` until it gives nil after each `append`. Then what is buffered is at most the message
/// limit (or a header's), however the bytes arrive; work is linear in the bytes.
public struct MessageFramer: Sendable {
  public enum Event: Sendable, Equatable {
    case message([UInt8])
    /// Text that is not JSON, told once, at its first wrong byte. Reading goes on after it.
    case malformed(reason: String)
    /// A message longer than the limit in bytes, told once. The rest of it is passed over.
    case tooLarge(limit: Int)
    /// Where the next message starts can't be known any more. Nothing follows.
    case unrecoverable(reason: String)
  }

  private enum State: Sendable {
    case undecided
    case betweenValues
    /// Looking for the end of the value at `start`.
    case value(ValueBoundary)
    /// The same, with nothing kept.
    case discardedValue(ValueBoundary)
    case discardedLine
    case header(ContentLengthHeader, size: Int)
    case body(length: Int)
    case discardedBody(remaining: Int)
    case ended
  }

  /// What one turn of the state machine came to.
  private enum Step {
    case event(Event)
    case again
    case needsBytes
  }

  /// Longest line, and longest header block, in `Content-Length` framing.
  static let maximumHeaderBytes = 8192

  /// Nil until the first byte that is not white space (of `Content-`: the first eight).
  public private(set) var framing: Framing?

  private let maximumMessageBytes: Int
  private let maximumDiscardedBytes: Int
  private let maximumDepth: Int
  private var state = State.undecided
  private var buffer = InputBuffer()
  /// Bytes passed over since the last fault.
  private var discarded = 0

  /// - Parameters:
  ///   - maximumMessageBytes: the longest message given out.
  ///   - maximumDiscardedBytes: how much of a longer message, or of a line that is not JSON, is passed
  ///     over before the stream is given up: at least, and if nil eight times, the longest message.
  ///   - maximumDepth: levels of brackets, as in ``JSON/init(parsing:maximumDepth:)``.
  public init(
    maximumMessageBytes: Int, maximumDiscardedBytes: Int? = nil, maximumDepth: Int = JSON.maximumDepth
  ) {
    self.maximumMessageBytes = maximumMessageBytes
    self.maximumDiscardedBytes = max(
      maximumMessageBytes, maximumDiscardedBytes ?? maximumMessageBytes.saturatingMultiplied(by: 8))
    self.maximumDepth = maximumDepth
  }

  /// Bytes held for messages that are not given out yet.
  public var bufferedBytes: Int { buffer.count }

  /// Copies received bytes.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if case .ended = state { return }
    buffer.append(bytes)
  }

  /// Copies received bytes.
  public mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }

  /// The next event, or nil when more bytes are needed.
  public mutating func next() -> Event? {
    while true {
      switch step() {
      case .event(let event): return event
      case .again: continue
      case .needsBytes:
        buffer.compact()
        return nil
      }
    }
  }

  /// Says that no more bytes will come, after ``next()`` gave nil. What was left unfinished is malformed.
  public mutating func finish() -> Event? {
    defer { end() }
    switch state {
    case .betweenValues, .discardedValue, .discardedLine, .discardedBody, .ended: return nil
    case .undecided where bufferedBytes == 0: return nil
    case .header(_, size: 0) where bufferedBytes == 0: return nil
    case .undecided, .value, .header, .body: return .malformed(reason: "the input ended inside a message")
    }
  }

  /// Whether nothing but white space follows the message that was given out last.
  public mutating func isAtRest() -> Bool {
    switch state {
    case .undecided, .betweenValues, .header(_, size: 0):
      buffer.skipSpace()
      return buffer.first == nil
    case .value, .discardedValue, .discardedLine, .header, .body, .discardedBody: return false
    case .ended: return true
    }
  }

  /// Whether the beginning of a message is there, after ``next()`` gave nil.
  public var isInsideMessage: Bool {
    switch state {
    case .value, .body: true
    case .undecided: bufferedBytes > 0
    case .header(_, let size): size > 0 || bufferedBytes > 0
    case .betweenValues, .discardedValue, .discardedLine, .discardedBody, .ended: false
    }
  }

  // MARK: Steps

  private mutating func step() -> Step {
    switch state {
    case .undecided: decideFraming()
    case .betweenValues: startValue()
    case .value(let boundary): advanceValue(boundary)
    case .discardedValue(let boundary): discardValue(boundary)
    case .discardedLine: discardLine()
    case .header(let header, let size): takeHeaderLine(header, size)
    case .body(let length): takeBody(length)
    case .discardedBody(let remaining): discardBody(remaining)
    case .ended: .needsBytes
    }
  }

  private mutating func decideFraming() -> Step {
    buffer.skipSpace()
    if buffer.first == nil { return .needsBytes }
    let keyword = "content-".utf8
    let beginning = buffer.prefix(keyword.count)
    if beginning.elementsEqual(keyword.prefix(beginning.count), by: Byte.isEqual(_:ignoringCaseOf:)) {
      if beginning.count < keyword.count { return .needsBytes }
      framing = .contentLength
      state = .header(ContentLengthHeader(), size: 0)
      return .again
    }
    framing = .stream
    state = .betweenValues
    return .again
  }

  private mutating func malformed(_ reason: String, recovery: ValueBoundary.Recovery) -> Step {
    discarded = buffer.discard()
    state = recovery == .here ? .betweenValues : .discardedLine
    return .event(.malformed(reason: reason))
  }

  private mutating func unrecoverable(_ reason: String) -> Step {
    end()
    return .event(.unrecoverable(reason: reason))
  }

  private mutating func end() {
    state = .ended
    buffer = InputBuffer()
  }

  // MARK: A stream of values

  private mutating func startValue() -> Step {
    buffer.skipSpace()
    guard let first = buffer.first else { return .needsBytes }
    guard first == Byte.openBrace || first == Byte.openBracket else {
      return malformed("expected '{' or '['", recovery: .nextLine)
    }
    state = .value(ValueBoundary(maximumDepth: maximumDepth))
    return .again
  }

  private mutating func advanceValue(_ boundary: ValueBoundary) -> Step {
    var boundary = boundary
    let outcome = buffer.advance(&boundary, within: maximumMessageBytes - buffer.countLookedAt)
    switch outcome {
    case .complete:
      state = .betweenValues
      return .event(.message(buffer.take()))
    case .malformed(let reason, let recovery):
      return malformed(reason, recovery: recovery)
    case .unfinished where !buffer.isExhausted:
      state = .discardedValue(boundary)
      discarded = buffer.discard()
      return .event(.tooLarge(limit: maximumMessageBytes))
    case .unfinished:
      state = .value(boundary)
      return .needsBytes
    }
  }

  private mutating func discardValue(_ boundary: ValueBoundary) -> Step {
    var boundary = boundary
    let outcome = buffer.advance(&boundary, within: maximumDiscardedBytes - discarded)
    discarded += buffer.discard()
    switch outcome {
    case .complete, .malformed(_, .here): state = .betweenValues
    case .malformed(_, .nextLine): state = .discardedLine
    case .unfinished where !buffer.isExhausted: return unrecoverable("the message is far too large")
    case .unfinished:
      state = .discardedValue(boundary)
      return .needsBytes
    }
    return .again
  }

  private mutating func discardLine() -> Step {
    let isBehindLine = buffer.advanceBehindLine(within: maximumDiscardedBytes - discarded)
    discarded += buffer.discard()
    if isBehindLine {
      state = .betweenValues
      return .again
    }
    return buffer.isExhausted ? .needsBytes : unrecoverable("no JSON and no end of line")
  }

  // MARK: Headers

  private mutating func takeHeaderLine(_ header: ContentLengthHeader, _ size: Int) -> Step {
    let room = Self.maximumHeaderBytes - size - buffer.countLookedAt
    guard buffer.advanceBehindLine(within: room) else {
      if buffer.isExhausted { return .needsBytes }
      return unrecoverable("the header is longer than \(Self.maximumHeaderBytes) bytes")
    }
    let line = buffer.take()
    var header = header
    switch header.take(line: line.dropLast()) {
    case .unfinished:
      state = .header(header, size: header.isBlank ? 0 : size + line.count)
      return .again
    case .malformed(let reason): return unrecoverable(reason)
    case .complete(let length): return startBody(length)
    }
  }

  private mutating func startBody(_ length: Int) -> Step {
    if length > maximumDiscardedBytes { return unrecoverable("the message is far too large") }
    if length > maximumMessageBytes {
      state = .discardedBody(remaining: length)
      return .event(.tooLarge(limit: maximumMessageBytes))
    }
    state = .body(length: length)
    return .again
  }

  private mutating func takeBody(_ length: Int) -> Step {
    guard buffer.count >= length else { return .needsBytes }
    buffer.advance(by: length)
    state = .header(ContentLengthHeader(), size: 0)
    return .event(.message(buffer.take()))
  }

  private mutating func discardBody(_ remaining: Int) -> Step {
    buffer.advance(by: remaining)
    let length = buffer.discard()
    if length < remaining {
      state = .discardedBody(remaining: remaining - length)
      return .needsBytes
    }
    state = .header(ContentLengthHeader(), size: 0)
    return .again
  }
}

extension Int {
  fileprivate func saturatingMultiplied(by factor: Int) -> Int {
    let (product, overflows) = multipliedReportingOverflow(by: factor)
    return overflows ? .max : product
  }
}
