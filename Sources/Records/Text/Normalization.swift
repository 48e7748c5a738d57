// The standard library normalizes strings to compare them, and offers no public way to get at the result
// yet. Should this interface change, this file stops compiling and is the only one to mend; its tests hold
// it to what `==` of strings does.
@_spi(_Unicode) import Swift

/// Unicode normalization (UAX #15). Text is compared and ordered in form C.
enum Normalization {
  /// Appends the UTF-8 of the text in form C.
  static func appendComposed(_ text: String, to bytes: inout [UInt8]) {
    if text.utf8.span.isKnownComposed {
      bytes.append(contentsOf: text.utf8)
    } else {
      for scalar in text._nfc { bytes.append(scalar) }
    }
  }

  static func composed(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    appendComposed(text, to: &bytes)
    return bytes
  }

  /// The scalars of the text in form D, where letters and their marks are apart.
  static func decomposed(_ text: String) -> some Sequence<Unicode.Scalar> {
    text._nfd
  }
}

extension [UInt8] {
  /// Appends the scalar's UTF-8.
  mutating func append(_ scalar: Unicode.Scalar) {
    append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }
}

extension Span where Element == UInt8 {
  /// Whether this UTF-8 holds only characters that form C never changes, whatever stands beside them:
  /// letters of the Latin blocks up to U+02FF, most of Cyrillic, Han, Hangul syllables, emoji. False says
  /// nothing.
  var isKnownComposed: Bool {
    var offset = 0
    while offset < count {
      switch self[offset] {
      case 0x00..<0x80: offset += 1
      case 0xC2...0xCB, 0xD0...0xD1: offset += 2  // U+0080…U+02FF, U+0400…U+047F
      case 0xE4...0xE9, 0xEB...0xEC: offset += 3  // U+4000…U+9FFF, U+B000…U+CFFF
      case 0xF0 where offset + 1 < count && self[offset + 1] == 0x9F: offset += 4  // U+1F000…U+1FFFF
      default: return false
      }
    }
    return true
  }

  var isASCII: Bool {
    for index in indices where self[index] >= 0x80 { return false }
    return true
  }
}
