/// Decides whether bytes are one JSON text (RFC 8259), in one pass and without recursion.
///
/// Stricter than the grammar in two places, because a value that passes must be decodable exactly:
/// strings are valid UTF-8, and escaped surrogates come in pairs.
struct JSONScanner {
  private let maximumDepth: Int
  private var offset = 0
  private var nesting = Nesting()

  init(maximumDepth: Int) {
    self.maximumDepth = maximumDepth
  }

  /// Where the one value of the text lies, without the white space around it.
  mutating func scan(_ bytes: Span<UInt8>) throws(JSONSyntaxError) -> Range<Int> {
    let range = try scanValue(bytes)
    try finish(bytes)
    return range
  }

  /// What must come after the last value.
  mutating func finish(_ bytes: Span<UInt8>) throws(JSONSyntaxError) {
    skipSpace(bytes)
    if offset < bytes.count { throw fault(.trailingText) }
  }

  /// The first byte of the value that comes next, which is looked at and not taken.
  mutating func peekValue(_ bytes: Span<UInt8>) throws(JSONSyntaxError) -> UInt8 {
    skipSpace(bytes)
    return try peek(bytes)
  }

  /// Scans one value with all that it holds, and says where it lies.
  mutating func scanValue(_ bytes: Span<UInt8>) throws(JSONSyntaxError) -> Range<Int> {
    skipSpace(bytes)
    let start = offset
    try scanNestedValues(bytes)
    return start..<offset
  }

  // MARK: Walking a container while it is scanned

  /// Takes the opening bracket that was peeked at.
  mutating func enterContainer(_ bytes: Span<UInt8>) throws(JSONSyntaxError) {
    try open(object: bytes[offset] == Byte.openBrace)
  }

  /// Scans the next member of the object that was entered; nil behind its closing brace.
  mutating func nextMember(
    _ bytes: Span<UInt8>, isFirst: Bool
  ) throws(JSONSyntaxError) -> (name: Range<Int>, value: Range<Int>)? {
    guard try enterItem(bytes, isFirst: isFirst, end: Byte.closeBrace, .expectedCommaOrBrace) else {
      return nil
    }
    skipSpace(bytes)
    let name = try scanMemberName(bytes)
    return (name, try scanValue(bytes))
  }

  /// Stands before the next element of the array that was entered, which is yet to be scanned; false
  /// behind its closing bracket.
  mutating func enterElement(_ bytes: Span<UInt8>, isFirst: Bool) throws(JSONSyntaxError) -> Bool {
    try enterItem(bytes, isFirst: isFirst, end: Byte.closeBracket, .expectedCommaOrBracket)
  }

  private mutating func enterItem(
    _ bytes: Span<UInt8>, isFirst: Bool, end: UInt8, _ otherwise: JSONSyntaxError.Reason
  ) throws(JSONSyntaxError) -> Bool {
    skipSpace(bytes)
    let byte = try peek(bytes)
    if byte == end {
      close()
      return false
    }
    if isFirst { return true }
    guard byte == Byte.comma else { throw fault(otherwise) }
    offset += 1
    return true
  }

  // MARK: Values

  /// Each turn of the loop is at the start of a value.
  private mutating func scanNestedValues(_ bytes: Span<UInt8>) throws(JSONSyntaxError) {
    let depth = nesting.depth
    repeat {
      skipSpace(bytes)
      switch try peek(bytes) {
      case Byte.quote: try scanString(bytes)
      case Byte.openBrace:
        try open(object: true)
        skipSpace(bytes)
        if try peek(bytes) != Byte.closeBrace {
          _ = try scanMemberName(bytes)
          continue
        }
        close()
      case Byte.openBracket:
        try open(object: false)
        skipSpace(bytes)
        if try peek(bytes) != Byte.closeBracket { continue }
        close()
      case Byte.minus, Byte.zero...Byte.nine: try scanNumber(bytes)
      case UInt8(ascii: "t"): try scanWord("true", in: bytes)
      case UInt8(ascii: "f"): try scanWord("false", in: bytes)
      case UInt8(ascii: "n"): try scanWord("null", in: bytes)
      default: throw fault(.expectedValue)
      }
      try scanAfterValue(bytes, downTo: depth)
    } while nesting.depth > depth
  }

  /// Closes what ends here; comes back at the start of the next value, or at `depth`.
  private mutating func scanAfterValue(
    _ bytes: Span<UInt8>, downTo depth: Int
  ) throws(JSONSyntaxError) {
    while nesting.depth > depth {
      skipSpace(bytes)
      let byte = try peek(bytes)
      if nesting.isInObject {
        if byte == Byte.comma {
          offset += 1
          skipSpace(bytes)
          _ = try scanMemberName(bytes)
          return
        }
        guard byte == Byte.closeBrace else { throw fault(.expectedCommaOrBrace) }
      } else {
        if byte == Byte.comma {
          offset += 1
          return
        }
        guard byte == Byte.closeBracket else { throw fault(.expectedCommaOrBracket) }
      }
      close()
    }
  }

  /// Scans a name and the colon after it, and says where the name lies.
  private mutating func scanMemberName(_ bytes: Span<UInt8>) throws(JSONSyntaxError) -> Range<Int> {
    guard try peek(bytes) == Byte.quote else { throw fault(.expectedMemberName) }
    let start = offset
    try scanString(bytes)
    let end = offset
    skipSpace(bytes)
    guard try peek(bytes) == Byte.colon else { throw fault(.expectedColon) }
    offset += 1
    return start..<end
  }

  // MARK: Tokens

  private mutating func scanString(_ bytes: Span<UInt8>) throws(JSONSyntaxError) {
    offset += 1
    while true {
      offset = bytes.endOfPlainText(from: offset)
      let byte = try peek(bytes)
      switch byte {
      case Byte.quote:
        offset += 1
        return
      case Byte.backslash: try scanEscape(bytes)
      case 0x80...:
        // They mostly come in rows.
        repeat {
          try scanMultibyteCharacter(bytes)
        } while offset < bytes.count && bytes[offset] >= 0x80
      default: throw fault(.controlCharacter)
      }
    }
  }

  private mutating func scanEscape(_ bytes: Span<UInt8>) throws(JSONSyntaxError) {
    let start = offset
    offset += 1
    switch try peek(bytes) {
    case Byte.quote, Byte.backslash, Byte.slash, UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
      UInt8(ascii: "r"), UInt8(ascii: "t"):
      offset += 1
    case UInt8(ascii: "u"):
      offset += 1
      let unit = try scanHexadecimalDigits(bytes)
      guard unit & 0xF800 == 0xD800 else { return }
      guard unit < 0xDC00, offset + 1 < bytes.count, bytes[offset] == Byte.backslash,
        bytes[offset + 1] == UInt8(ascii: "u")
      else { throw JSONSyntaxError(offset: start, reason: .loneSurrogate) }
      offset += 2
      guard try scanHexadecimalDigits(bytes) & 0xFC00 == 0xDC00 else {
        throw JSONSyntaxError(offset: start, reason: .loneSurrogate)
      }
    default: throw fault(.invalidEscape)
    }
  }

  private mutating func scanHexadecimalDigits(_ bytes: Span<UInt8>) throws(JSONSyntaxError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = Byte.hexadecimalValue(try peek(bytes)) else { throw fault(.invalidEscape) }
      unit = unit << 4 | digit
      offset += 1
    }
    return unit
  }

  /// Unicode 15, table 3-7: shortest forms only, no surrogates, nothing above U+10FFFF.
  private mutating func scanMultibyteCharacter(_ bytes: Span<UInt8>) throws(JSONSyntaxError) {
    let second: ClosedRange<UInt8>
    let length: Int
    switch bytes[offset] {
    case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xE1...0xEC, 0xEE...0xEF: (length, second) = (3, 0x80...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: throw fault(.invalidUTF8)
    }
    guard offset + length <= bytes.count, second.contains(bytes[offset + 1]) else {
      throw fault(.invalidUTF8)
    }
    for index in offset + 2..<max(offset + 2, offset + length) where bytes[index] & 0xC0 != 0x80 {
      throw fault(.invalidUTF8)
    }
    offset += length
  }

  private mutating func scanNumber(_ bytes: Span<UInt8>) throws(JSONSyntaxError) {
    if bytes[offset] == Byte.minus { offset += 1 }
    if try peek(bytes) == Byte.zero {
      offset += 1
    } else {
      try scanDigits(bytes)
    }
    if offset < bytes.count, bytes[offset] == Byte.point {
      offset += 1
      try scanDigits(bytes)
    }
    if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
      offset += 1
      let sign = try peek(bytes)
      if sign == Byte.plus || sign == Byte.minus { offset += 1 }
      try scanDigits(bytes)
    }
  }

  private mutating func scanDigits(_ bytes: Span<UInt8>) throws(JSONSyntaxError) {
    guard Byte.isDigit(try peek(bytes)) else { throw fault(.invalidNumber) }
    offset = bytes.endOfDigits(from: offset)
  }

  private mutating func scanWord(_ word: StaticString, in bytes: Span<UInt8>) throws(JSONSyntaxError) {
    for index in 0..<word.utf8CodeUnitCount {
      guard offset + index < bytes.count else { throw fault(.unexpectedEnd, at: bytes.count) }
      guard bytes[offset + index] == word.utf8Start[index] else { throw fault(.expectedValue) }
    }
    offset += word.utf8CodeUnitCount
  }

  // MARK: Steps

  private mutating func open(object: Bool) throws(JSONSyntaxError) {
    guard nesting.depth < maximumDepth else { throw fault(.tooDeep(limit: maximumDepth)) }
    nesting.open(object: object)
    offset += 1
  }

  private mutating func close() {
    nesting.close()
    offset += 1
  }

  @inline(__always)
  private mutating func skipSpace(_ bytes: Span<UInt8>) {
    offset = bytes.endOfSpace(from: offset)
  }

  @inline(__always)
  private func peek(_ bytes: Span<UInt8>) throws(JSONSyntaxError) -> UInt8 {
    guard offset < bytes.count else { throw fault(.unexpectedEnd) }
    return bytes[offset]
  }

  private func fault(_ reason: JSONSyntaxError.Reason, at position: Int? = nil) -> JSONSyntaxError {
    JSONSyntaxError(offset: position ?? offset, reason: reason)
  }
}
