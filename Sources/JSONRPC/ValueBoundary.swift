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
    while offset < bytes.count {
      let byte = bytes[offset]
      if isInString {
        guard byte != Byte.lineFeed else {
          return .malformed(reason: "line feed inside a string", recovery: .nextLine)
        }
        offset += 1
        advanceInString(byte, over: bytes, to: &offset)
        continue
      }
      switch byte {
      case Byte.openBrace, Byte.openBracket:
        if let fault = open(byte) { return fault }
      case Byte.closeBrace, Byte.closeBracket:
        guard nesting.isInObject == (byte == Byte.closeBrace) else {
          return .malformed(reason: "brackets don't match", recovery: .nextLine)
        }
        nesting.close()
        if nesting.depth == 0 {
          offset += 1
          return .complete
        }
      case Byte.quote:
        isInString = true
      case Byte.lineFeed:
        isAtLineStart = true
        offset += 1
        continue
      case Byte.space, Byte.tab, Byte.carriageReturn:
        offset += 1
        continue
      default: break
      }
      previous = byte
      isAtLineStart = false
      offset += 1
      if isInString { offset = bytes.endOfUnescapedText(from: offset) }
    }
    return .unfinished
  }

  /// Takes one byte of a string, and the ones after it that mean nothing here.
  @inline(__always)
  private mutating func advanceInString(_ byte: UInt8, over bytes: Span<UInt8>, to offset: inout Int) {
    if isEscaped {
      isEscaped = false
    } else if byte == Byte.quote {
      isInString = false
      return
    } else if byte == Byte.backslash {
      isEscaped = true
      return
    }
    offset = bytes.endOfUnescapedText(from: offset)
  }

  private mutating func open(_ bracket: UInt8) -> Outcome? {
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
