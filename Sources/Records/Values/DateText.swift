import JSONRPC

/// Dates as text: RFC 3339 (a profile of ISO 8601) read and written exactly to the millisecond.
public enum DateText {
  /// 0001-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z, in milliseconds since 1970.
  static let range: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

  /// Milliseconds since 1970 (UTC) of `2026-12-01T09:30:00.123Z` or with an offset (`+01:00`, `+0100`, `+01`)
  /// in place of `Z`.
  ///
  /// `t`, `z` and a space for `T` are accepted, the fraction may be absent or have up to nine digits, of
  /// which those after the third are dropped. Nil for anything else: a day that the month doesn't have, a
  /// leap second, no offset, a moment outside the years 1 to 9999.
  public static func parse(_ text: String) -> Int64? {
    var text = text
    return text.withUTF8 { parse($0.span) }
  }

  /// The same of a JSON string; nil for other JSON.
  static func parse(_ json: JSON) -> Int64? {
    guard json.kind == .string else { return nil }
    let literal = json.bytes
    let bytes = literal.span
    guard bytes.count > 2 else { return nil }
    // An escape may stand in it, though nobody writes it so.
    return parse(bytes.extracting(1..<bytes.count - 1)) ?? json.stringValue.flatMap { parse($0) }
  }

  static func parse(_ text: Span<UInt8>) -> Int64? {
    guard text.count >= 20,
      let year = digits(text, 0, 4), text[4] == UInt8(ascii: "-"),
      let month = digits(text, 5, 2), (1...12).contains(month), text[7] == UInt8(ascii: "-"),
      let day = digits(text, 8, 2), day >= 1, day <= daysOf(month: month, year: year),
      text[10] == UInt8(ascii: "T") || text[10] == UInt8(ascii: "t") || text[10] == UInt8(ascii: " "),
      let hour = digits(text, 11, 2), hour < 24, text[13] == UInt8(ascii: ":"),
      let minute = digits(text, 14, 2), minute < 60, text[16] == UInt8(ascii: ":"),
      let second = digits(text, 17, 2), second < 60
    else { return nil }
    var position = 19
    guard let fraction = milliseconds(text, at: &position), let offset = offset(text, at: position) else {
      return nil
    }
    let minutes = (daysSince1970(year: year, month: month, day: day) * 24 + hour) * 60 + minute - offset
    let result = (minutes * 60 + second) * 1000 + fraction
    return range.contains(result) ? result : nil
  }

  /// `2026-12-01T09:30:00.123Z`, always with milliseconds. The moment must be in ``range``.
  public static func format(_ milliseconds: Int64) -> String {
    let moment = min(max(milliseconds, range.lowerBound), range.upperBound)
    let (days, time) = floorDivide(moment, 86_400_000)
    let (year, month, day) = date(daysSince1970: days)
    return String(unsafeUninitializedCapacity: 24) { text in
      func put(_ value: Int64, _ offset: Int, _ count: Int) {
        var value = value
        for place in stride(from: offset + count - 1, through: offset, by: -1) {
          text.initializeElement(at: place, to: UInt8(ascii: "0") + UInt8(value % 10))
          value /= 10
        }
      }
      for (offset, mark) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":"), (19, "."), (23, "Z")]
        as [(Int, Unicode.Scalar)]
      {
        text.initializeElement(at: offset, to: UInt8(ascii: mark))
      }
      put(year, 0, 4)
      put(month, 5, 2)
      put(day, 8, 2)
      put(time / 3_600_000, 11, 2)
      put(time / 60_000 % 60, 14, 2)
      put(time / 1000 % 60, 17, 2)
      put(time % 1000, 20, 3)
      return 24
    }
  }

  // MARK: Reading

  private static func digits(_ text: Span<UInt8>, _ offset: Int, _ count: Int) -> Int64? {
    guard offset + count <= text.count else { return nil }
    var value: Int64 = 0
    for index in offset..<offset + count {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      value = value * 10 + Int64(digit)
    }
    return value
  }

  private static func milliseconds(_ text: Span<UInt8>, at position: inout Int) -> Int64? {
    guard position < text.count, text[position] == UInt8(ascii: ".") else { return 0 }
    position += 1
    let start = position
    var value: Int64 = 0
    while position < text.count, text[position] &- UInt8(ascii: "0") <= 9 {
      if position - start < 3 { value = value * 10 + Int64(text[position] - UInt8(ascii: "0")) }
      position += 1
    }
    switch position - start {
    case 1: return value * 100
    case 2: return value * 10
    case 3...9: return value
    default: return nil
    }
  }

  /// Minutes east of Greenwich; `position` must be where the offset starts, and the text end after it.
  private static func offset(_ text: Span<UInt8>, at position: Int) -> Int64? {
    guard position < text.count else { return nil }
    let sign: Int64
    switch text[position] {
    case UInt8(ascii: "Z"), UInt8(ascii: "z"): return position + 1 == text.count ? 0 : nil
    case UInt8(ascii: "+"): sign = 1
    case UInt8(ascii: "-"): sign = -1
    default: return nil
    }
    guard let hours = digits(text, position + 1, 2), hours < 24 else { return nil }
    if text.count == position + 3 { return sign * hours * 60 }
    let colon = text[position + 3] == UInt8(ascii: ":") ? 1 : 0
    guard let minutes = digits(text, position + 3 + colon, 2), minutes < 60,
      text.count == position + 5 + colon
    else { return nil }
    return sign * (hours * 60 + minutes)
  }

  // MARK: The proleptic Gregorian calendar

  private static func daysOf(month: Int64, year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Counted in 400 year eras of 146,097 days that start on 1 March (Howard Hinnant, "chrono-Compatible
  /// Low-Level Date Algorithms").
  private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
    let (era, yearOfEra) = floorDivide(month <= 2 ? year - 1 : year, 400)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func date(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
