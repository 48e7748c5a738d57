/// Appends JSON text to bytes, with the commas where they belong and no white space.
///
/// It does not check that brackets match or that an object's values have keys; that is the caller's part.
public struct JSONWriter: Sendable {
  /// What was written so far.
  public var bytes: [UInt8]
  /// Whether a value was written that the next one on the same level must be kept apart from.
  private var needsComma = false

  public init(reservingCapacity capacity: Int = 0) {
    bytes = []
    if capacity > 0 { bytes.reserveCapacity(capacity) }
  }

  public mutating func beginObject() { open(Byte.openBrace) }
  public mutating func endObject() { close(Byte.closeBrace) }
  public mutating func beginArray() { open(Byte.openBracket) }
  public mutating func endArray() { close(Byte.closeBracket) }

  /// The name of the member whose value is written next.
  public mutating func key(_ name: String) {
    separate()
    appendLiteral(name)
    bytes.append(Byte.colon)
    needsComma = false
  }

  /// The name of the member whose value is written next, as the text of a JSON string.
  public mutating func key(_ name: JSON) {
    separate()
    bytes.append(contentsOf: name.bytes)
    bytes.append(Byte.colon)
    needsComma = false
  }

  /// Text that is right as it stands: no comma goes before it, none after it.
  mutating func verbatim(_ text: StaticString) {
    append(text)
    needsComma = false
  }

  public mutating func string(_ value: String) {
    separate()
    appendLiteral(value)
  }

  public mutating func int(_ value: Int64) {
    separate()
    appendDigits(value)
  }

  public mutating func int(_ value: Int) { int(Int64(value)) }

  /// The shortest digits that read back as the same double, always with a point or an exponent, so that it
  /// stays apart from an integer. JSON has no NaN and no infinities; they become `null`.
  public mutating func double(_ value: Double) {
    guard value.isFinite else { return null() }
    separate()
    var text = value.description
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }

  public mutating func bool(_ value: Bool) {
    separate()
    append(value ? "true" : "false")
  }

  public mutating func null() {
    separate()
    append("null")
  }

  /// The exact text of a value.
  public mutating func raw(_ value: JSON) {
    separate()
    bytes.append(contentsOf: value.bytes)
  }

  /// A value that is JSON text already.
  public mutating func raw(_ text: some Collection<UInt8>) {
    separate()
    // A generic append goes byte by byte where it isn't specialized.
    if text.withContiguousStorageIfAvailable({ bytes.append(contentsOf: $0) }) == nil {
      bytes.append(contentsOf: text)
    }
  }

  // MARK: Pieces

  @inline(__always)
  private mutating func separate() {
    if needsComma { bytes.append(Byte.comma) }
    needsComma = true
  }

  private mutating func open(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  private mutating func append(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Quotes and escapes what RFC 8259 section 7 demands, and nothing else.
  private mutating func appendLiteral(_ text: String) {
    bytes.append(Byte.quote)
    var text = text
    text.withUTF8 { utf8 in
      let span = utf8.span
      var start = 0
      while true {
        let end = span.endOfUnescapedText(from: start)
        bytes.append(contentsOf: utf8[start..<end])
        if end == utf8.count { break }
        appendEscape(utf8[end])
        start = end + 1
      }
    }
    bytes.append(Byte.quote)
  }

  private mutating func appendEscape(_ byte: UInt8) {
    bytes.append(Byte.backslash)
    switch byte {
    case Byte.quote, Byte.backslash: bytes.append(byte)
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case Byte.lineFeed: bytes.append(UInt8(ascii: "n"))
    case Byte.carriageReturn: bytes.append(UInt8(ascii: "r"))
    case Byte.tab: bytes.append(UInt8(ascii: "t"))
    default:
      append("u00")
      bytes.append(Byte.zero + byte >> 4)
      let digit = byte & 0xF
      bytes.append(digit < 10 ? Byte.zero + digit : UInt8(ascii: "a") + digit - 10)
    }
  }

  private mutating func appendDigits(_ value: Int64) {
    // As many as Int64.min has, with its sign; filled from the end.
    var digits = InlineArray<20, UInt8>(repeating: Byte.minus)
    var start = digits.count
    var magnitude = value.magnitude
    repeat {
      let (quotient, remainder) = magnitude.quotientAndRemainder(dividingBy: 10)
      start -= 1
      digits[start] = Byte.zero + UInt8(truncatingIfNeeded: remainder)
      magnitude = quotient
    } while magnitude > 0
    if value < 0 { start -= 1 }
    digits.span.extracting(start...).withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
  }
}
