/// Finds where a JSON object or array ends, in pieces as they arrive; every byte is looked at once.
///
/// It watches brackets and strings only, so it accepts much that is not JSON. What it refuses is what
/// would otherwise swallow the messages that follow: brackets that don't match, a bracket that opens
/// where no value can start, a line feed inside a string, too many levels.
struct ValueBoundary: Sendable {
  enum Outcome: Sendable, Equatable {
    /// Everything was looked at and the value goes on.
    case unfinished
    /// The value ends before the offset.
    case complete
    /// The byte at the offset is wrong.
    case malformed(reason: String, recovery: Recovery)
  }

  /// Where reading goes on after text that is not JSON.
  enum Recovery: Sendable, Equatable {
    case nextLine
    /// At the wrong byte itself: it opens a bracket at the start of its line, so most likely the message
    /// before was cut short and this is the next one.
    case here
  }

  private let maximumDepth: Int
  private var nesting = Nesting()
  private var isInString = false
  private var isEscaped = false
  /// Whether only white space came since the last line feed.
  private var isAtLineStart = false
  /// The last byte outside strings that is not white space.
  private var previous: UInt8 = Byte.comma

  init(maximumDepth: Int) {
    self.maximumDepth = maximumDepth
  }

  /// Goes on at `offset`, which moves to the end of the value, to the wrong byte, or to the end of `bytes`.
  mutating func advance(over bytes: Span<UInt8>, from offset: inout Int) -> Outcome {
    // Locals, because what is kept in memory costs a store for each byte.
    var position = offset
    var previous = previous
    var isAtLineStart = isAtLineStart
    defer {
      offset = position
      self.previous = previous
      self.isAtLineStart = isAtLineStart
    }
    if isInString, !advanceInString(over: bytes, from: &position) { return stringOutcome(bytes, position) }
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case Byte.openBrace, Byte.openBracket:
        if let fault = open(byte, after: previous, isAtLineStart: isAtLineStart) { return fault }
      case Byte.closeBrace, Byte.closeBracket:
        guard nesting.isInObject == (byte == Byte.closeBrace) else {
          return .malformed(reason: "brackets don't match", recovery: .nextLine)
        }
        nesting.close()
        if nesting.depth == 0 {
          position += 1
          return .complete
        }
      case Byte.quote:
        position += 1
        previous = byte
        isAtLineStart = false
        isInString = true
        if advanceInString(over: bytes, from: &position) { continue }
        return stringOutcome(bytes, position)
      case Byte.lineFeed:
        isAtLineStart = true
        position += 1
        continue
      case Byte.space, Byte.tab, Byte.carriageReturn:
        position += 1
        continue
      default: break
      }
      previous = byte
      isAtLineStart = false
      position += 1
    }
    return .unfinished
  }

  /// Goes on inside a string; true behind its closing quote, false at a line feed or the end of `bytes`.
  @inline(__always)
  private mutating func advanceInString(over bytes: Span<UInt8>, from position: inout Int) -> Bool {
    while position < bytes.count {
      if !isEscaped { position = bytes.endOfUnescapedText(from: position) }
      guard position < bytes.count, bytes[position] != Byte.lineFeed else { return false }
      let byte = bytes[position]
      position += 1
      if isEscaped {
        isEscaped = false
      } else if byte == Byte.backslash {
        isEscaped = true
      } else if byte == Byte.quote {
        isInString = false
        return true
      }
    }
    return false
  }

  /// No string may contain a line feed, so a quote must be missing before it.
  private func stringOutcome(_ bytes: Span<UInt8>, _ position: Int) -> Outcome {
    if position == bytes.count { return .unfinished }
    return .malformed(reason: "line feed inside a string", recovery: .nextLine)
  }

  private mutating func open(_ bracket: UInt8, after previous: UInt8, isAtLineStart: Bool) -> Outcome? {
    guard previous == Byte.comma || previous == Byte.colon || previous == Byte.openBracket else {
      return .malformed(
        reason: "a value was not finished before the next one", recovery: isAtLineStart ? .here : .nextLine)
    }
    guard nesting.depth < maximumDepth else {
      return .malformed(reason: "more than \(maximumDepth) levels of brackets", recovery: .nextLine)
    }
    nesting.open(object: bracket == Byte.openBrace)
    return nil
  }
}
