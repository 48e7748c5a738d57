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
    while offset + 8 <= count {
      let word = loadWord(at: offset)
      let marks = (Self.marks(of: word) | word) & 0x8080_8080_8080_8080
      if marks != 0 { return offset + marks.trailingZeroBitCount >> 3 }
      offset += 8
    }
    while offset < count, !Self.needsEscape(self[offset]), self[offset] < 0x80 { offset += 1 }
    return offset
  }

  /// The same, with the bytes above 0x7F: before the next quote, backslash or control character.
  @inline(__always)
  func endOfUnescapedText(from offset: Int) -> Int {
    var offset = offset
    while offset + 8 <= count {
      let word = loadWord(at: offset)
      let marks = Self.marks(of: word) & ~word & 0x8080_8080_8080_8080
      if marks != 0 { return offset + marks.trailingZeroBitCount >> 3 }
      offset += 8
    }
    while offset < count, !Self.needsEscape(self[offset]) { offset += 1 }
    return offset
  }

  /// Eight bytes, the first one lowest. Traps when they are not inside the span.
  @inline(__always)
  private func loadWord(at offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Sets the high bit of each byte that is a quote, a backslash or a control character, of some that are
  /// above 0x7F, and of none of the others below the first of these.
  @inline(__always)
  private static func marks(of word: UInt64) -> UInt64 {
    // Subtracting borrows from the next byte only where the byte itself is marked.
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = (word ^ ones &* UInt64(Byte.quote)) &- ones
    let backslashes = (word ^ ones &* UInt64(Byte.backslash)) &- ones
    let controls = word &- ones &* UInt64(Byte.space)
    return quotes | backslashes | controls
  }

  @inline(__always)
  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < Byte.space || byte == Byte.quote || byte == Byte.backslash
  }

  /// After the string whose opening quote is at `offset`.
  func endOfString(from offset: Int) -> Int {
    var offset = offset + 1
    while offset < count {
      offset = endOfUnescapedText(from: offset)
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
