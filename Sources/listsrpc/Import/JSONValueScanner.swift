/// Finds where a JSON value ends, in pieces as they are read. It watches brackets and strings only.
struct JSONValueScanner {
  enum Outcome: Equatable {
    /// All of it was taken, and the value goes on.
    case unfinished
    case complete
    /// A line ends inside a text: a quote is missing before it.
    case openText
  }

  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  private var isBegun = false

  /// Goes on in the value, whose first byte is the first that is ever given.
  ///
  /// - Returns: How many bytes belong to it, and whether it ends behind them.
  mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>) -> (count: Int, Outcome) {
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if isInString {
        index += 1
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
          if depth == 0 { return (index, .complete) }
        } else if byte == 0x0A {
          return (index - 1, .openText)
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        // Two values with nothing between them: the second is another one.
        if depth == 0, isBegun { return (index, .complete) }
        isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if depth == 0, isBegun { return (index, .complete) }
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return (index, .complete) }
        depth -= 1
        if depth == 0 { return (index + 1, .complete) }
      case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D:
        if depth == 0 { return (index, .complete) }
      default: break
      }
      isBegun = true
      index += 1
    }
    return (index, .unfinished)
  }
}
