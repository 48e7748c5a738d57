/// Names for records that come without one.
enum RecordName {
  /// A UUID of version 7 (RFC 9562, section 5.7): new names sort behind older ones.
  static func unique(timestamp: Int64, random: () -> UInt64) -> String {
    let milliseconds = UInt64(bitPattern: timestamp) & 0xFFFF_FFFF_FFFF
    let high = milliseconds << 16 | 0x7000 | (random() & 0x0FFF)
    let low = random() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    let digits = hex(high) + hex(low)
    var text = ""
    for (offset, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(offset) { text += "-" }
      text.append(digit)
    }
    return text
  }

  private static func hex(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
