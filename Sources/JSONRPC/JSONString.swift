extension JSON {
  /// The decoded string; nil for anything else.
  public var stringValue: String? {
    guard isString else { return nil }
    guard storage.span.endOfUnescapedText(from: start + 1) >= end - 1 else {
      return String(decoding: decodedBytes, as: UTF8.self)
    }
    return String(decoding: storage[start + 1..<end - 1], as: UTF8.self)
  }

  /// Whether the value is a string whose decoded UTF-8 is exactly that of `text`. Composed and decomposed
  /// characters differ, unlike in Swift's own comparison.
  public func isString(_ text: String) -> Bool {
    isString && isString(text.utf8.span)
  }

  var isString: Bool {
    end - start >= 2 && storage[start] == Byte.quote
  }

  /// The same for a value that is known to be a string.
  @inline(__always)
  func isString(_ text: Span<UInt8>) -> Bool {
    storage.span.isString(text, from: start, to: end)
  }

  /// The UTF-8 that the string stands for. Only for strings.
  var decodedBytes: [UInt8] {
    storage.span.decodedString(from: start, to: end)
  }
}

/// Reading of string literals. `start` is the opening quote's offset, `end` the one after the closing quote.
extension Span where Element == UInt8 {
  /// Whether the literal stands for exactly these bytes.
  @inline(__always)
  func isString(_ text: Span<UInt8>, from start: Int, to end: Int) -> Bool {
    // No escape is shorter than what it stands for.
    let length = end - start - 2
    guard length >= text.count else { return false }
    var offset = 0
    while offset < length {
      let byte = self[start + 1 + offset]
      if byte == Byte.backslash { return decodedString(from: start, to: end).span.isEqual(to: text) }
      guard offset < text.count, byte == text[offset] else { return false }
      offset += 1
    }
    return length == text.count
  }

  func isEqual(to other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in 0..<count where self[index] != other[index] { return false }
    return true
  }

  /// The bytes that the literal stands for.
  func decodedString(from start: Int, to end: Int) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(end - start)
    var offset = start + 1
    while offset < end - 1 {
      let byte = self[offset]
      offset += 1
      guard byte == Byte.backslash else {
        result.append(byte)
        continue
      }
      decodeEscape(at: &offset, before: end - 1, into: &result)
    }
    return result
  }

  /// `offset` is the one after the backslash, and moves behind the escape (behind both of a pair).
  private func decodeEscape(at offset: inout Int, before end: Int, into result: inout [UInt8]) {
    guard offset < end else { return }
    let letter = self[offset]
    offset += 1
    switch letter {
    case UInt8(ascii: "b"): result.append(0x08)
    case UInt8(ascii: "f"): result.append(0x0C)
    case UInt8(ascii: "n"): result.append(Byte.lineFeed)
    case UInt8(ascii: "r"): result.append(Byte.carriageReturn)
    case UInt8(ascii: "t"): result.append(Byte.tab)
    case UInt8(ascii: "u"):
      var code = hexadecimalUnit(at: offset, before: end)
      offset = Swift.min(offset + 4, end)
      if code & 0xFC00 == 0xD800, offset + 2 <= end {
        let low = hexadecimalUnit(at: offset + 2, before: end)
        offset = Swift.min(offset + 6, end)
        code = 0x10000 + (code & 0x3FF) << 10 + low & 0x3FF
      }
      let scalar = Unicode.Scalar(code) ?? "\u{FFFD}"
      result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    default: result.append(letter)
    }
  }

  private func hexadecimalUnit(at offset: Int, before end: Int) -> UInt32 {
    guard offset + 4 <= end else { return 0xFFFD }
    var unit: UInt32 = 0
    for index in offset..<offset + 4 { unit = unit << 4 | (Byte.hexadecimalValue(self[index]) ?? 0) }
    return unit
  }
}
