/// Steps over JSON text. Each takes the offset of a byte and gives the offset after something.
///
/// They presume a well-formed text for their answer to mean anything, but on any other they still end,
/// stay inside the span and never step back: a row damaged on disk must not stop the process.
extension Span where Element == UInt8 {
  @inline(__always)
  func endOfSpace(from offset: Int) -> Int {
    var offset = offset
    while offset < count, Byte.isSpace(self[offset]) { offset += 1 }
    return offset
  }

  func endOfDigits(from offset: Int) -> Int {
    var offset = offset
    while offset < count, Byte.isDigit(self[offset]) { offset += 1 }
    return offset
  }

  /// After the ASCII characters of a string that stand for themselves: before the next quote, backslash,
  /// control character or byte above 0x7F.
  @inline(__always)
  func endOfPlainText(from offset: Int) -> Int {
    var offset = offset
    // Eight bytes at a time; the classic tests for "some byte is zero" and "some byte is less than".
    while offset + 8 <= count {
      let word = bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let quotes = word ^ 0x2222_2222_2222_2222
      let backslashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
      let ones: UInt64 = 0x0101_0101_0101_0101
      let special =
        (quotes &- ones) | (backslashes &- ones) | (word &- 0x2020_2020_2020_2020) | word
      if special & 0x8080_8080_8080_8080 != 0 { break }
      offset += 8
    }
    while offset < count {
      let byte = self[offset]
      if byte < 0x20 || byte >= 0x80 || byte == Byte.quote || byte == Byte.backslash { break }
      offset += 1
    }
    return offset
  }

  /// After the string whose opening quote is at `offset`.
  func endOfString(from offset: Int) -> Int {
    var offset = offset + 1
    while offset < count {
      offset = endOfPlainText(from: offset)
      guard offset < count else { break }
      let byte = self[offset]
      offset += 1
      if byte == Byte.quote { return offset }
      if byte == Byte.backslash { offset += 1 }
    }
    return count
  }

  /// After the value that starts at `offset`, which is not white space.
  func endOfValue(from offset: Int) -> Int {
    guard offset < count else { return count }
    switch self[offset] {
    case Byte.quote: return endOfString(from: offset)
    case Byte.openBrace, Byte.openBracket: return endOfContainer(from: offset)
    default: return endOfScalar(from: offset)
    }
  }

  private func endOfContainer(from offset: Int) -> Int {
    var offset = offset
    var depth = 0
    while offset < count {
      switch self[offset] {
      case Byte.quote:
        offset = endOfString(from: offset)
        continue
      case Byte.openBrace, Byte.openBracket: depth += 1
      case Byte.closeBrace, Byte.closeBracket:
        depth -= 1
        if depth == 0 { return offset + 1 }
      default: break
      }
      offset += 1
    }
    return count
  }

  private func endOfScalar(from offset: Int) -> Int {
    var offset = offset
    while offset < count {
      let byte = self[offset]
      if Byte.isSpace(byte) || byte == Byte.comma || byte == Byte.closeBrace || byte == Byte.closeBracket {
        break
      }
      offset += 1
    }
    return offset
  }
}
