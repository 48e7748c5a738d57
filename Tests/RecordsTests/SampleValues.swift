import JSONRPC

@testable import Records

/// Values at the edges of their types, and random ones between them.
struct SampleValues {
  static let numbers: [FieldValue] = [
    .int64(0), .int64(1), .int64(-1), .int64(.min), .int64(.min + 1), .int64(.max), .int64(.max - 1),
    .int64(1 << 53), .int64(1 << 53 + 1), .int64(1 << 53 - 1), .int64(-(1 << 53)), .int64(-(1 << 53) - 1),
    .int64(-(1 << 53) + 1), .int64(1 << 62 + 1), .int64(9_223_372_036_854_774_784),
    .int64(9_223_372_036_854_774_785), .int64(-9_223_372_036_854_774_785),
    .double(0), .double(-0.0), .double(1), .double(0.5), .double(-0.5), .double(0x1p53), .double(0x1p53 + 2),
    .double(-0x1p53), .double(0x1p63), .double(-0x1p63), .double(0x1p63.nextDown), .double(-0x1p63.nextUp),
    .double((-0x1p63).nextDown), .double(0x1p64), .double(.leastNonzeroMagnitude),
    .double(-.leastNonzeroMagnitude),
    .double(.leastNormalMagnitude), .double(.greatestFiniteMagnitude), .double(-.greatestFiniteMagnitude),
    .double(1e300), .double(0.1),
  ]

  static let texts: [String] = [
    "", "\u{0}", "a", "a\u{0}", "a\u{0}b", "a\u{1}", "aa", "b", "A", "é", "e\u{301}", "e", "f", "eé",
    "\u{212B}",
    "Å", "A\u{30A}", "日本", "한글", "\u{1112}\u{1161}\u{11AB}", "👩‍👩‍👧", "\u{FFFF}", "\u{10000}", "\u{10FFFF}",
    "\u{F900}", "Straße", "STRASSE", "ς", "Σ", "q\u{323}\u{307}", "q\u{307}\u{323}", "İ", "i", "ı",
    "tab\t\"\\",
  ]

  static let others: [FieldValue] = [
    .boolean(false), .boolean(true), .date(0), .date(-1), .date(1), .date(DateText.range.lowerBound),
    .date(DateText.range.upperBound), .bytes([]), .bytes([0]), .bytes([0, 0]), .bytes([0, 1]), .bytes([1]),
    .bytes([0xFF]), .list([]), .list([.int64(1)]), .list([.double(1)]), .list([.int64(1), .int64(2)]),
    .list([.string("a")]), .list([.string("a"), .string("")]), .list([.boolean(true)]),
    .reference(Reference(recordName: "a")), .reference(Reference(recordName: "b", action: .deleteSelf)),
    .asset(Asset(checksum: "a", size: 1)), .asset(Asset(checksum: "a", size: 2)),
    .asset(Asset(checksum: "aa", size: 0)),
    location(0, 0), location(90, 10), location(90, -20), location(10, 180), location(10, -180),
    location(-10, -180), location(-0.0, 1), location(0, 1),
    object("{}"), object(#"{"a":1}"#), object(#"{"a":1.0}"#), object(#"{"a":1,"b":null}"#),
    object(#"{"b":null,"a":1}"#), object(#"{"a":[1,[null,{"x":"y"}]]}"#), object(#"{"b":0}"#),
    object(#"{"a":{"$date":"2026-01-01T00:00:00Z"}}"#),
    object(#"{"a":{"$date":"2026-01-01T01:00:00+01:00"}}"#),
  ]

  static var all: [FieldValue] { numbers + texts.map { .string($0) } + others }

  static func location(_ latitude: Double, _ longitude: Double) -> FieldValue {
    Location(latitude: latitude, longitude: longitude).map { .location($0) } ?? .boolean(false)
  }

  static func object(_ text: String) -> FieldValue { .object(JSON(unchecked: Array(text.utf8))) }

  static func random(using generator: inout SplitMix64) -> FieldValue {
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: .int64(Int64(bitPattern: generator.next()))
    case 1: .int64(Int64.random(in: -5...5, using: &generator))
    case 2: .double(finite(Double(bitPattern: generator.next())))
    case 3: .double(Double(Int64(bitPattern: generator.next())))
    case 4: .string(randomText(using: &generator))
    default: all.randomElement(using: &generator) ?? .boolean(false)
    }
  }

  static func randomText(using generator: inout SplitMix64) -> String {
    (0..<Int.random(in: 0...4, using: &generator)).map { _ in texts.randomElement(using: &generator) ?? "" }
      .joined()
  }

  private static func finite(_ double: Double) -> Double { double.isFinite ? double : 0.25 }
}
