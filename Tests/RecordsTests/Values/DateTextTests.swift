import Testing

@testable import Records

struct DateTextTests {
  @Test(
    "texts are read to the millisecond",
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.001Z", 1), ("1969-12-31T23:59:59.999Z", -1),
      ("2026-12-01T09:30:00.123Z", 1_796_117_400_123), ("2026-12-01T10:30:00.123+01:00", 1_796_117_400_123),
      ("2026-12-01T04:00:00.123-0530", 1_796_117_400_123), ("2026-12-01T10:30:00.123+01", 1_796_117_400_123),
      ("2026-12-01t09:30:00.123z", 1_796_117_400_123), ("2026-12-01 09:30:00.123999Z", 1_796_117_400_123),
      ("2026-12-01T09:30:00.1Z", 1_796_117_400_100), ("2026-12-01T09:30:00.12Z", 1_796_117_400_120),
      ("2024-02-29T00:00:00Z", 1_709_164_800_000), ("2000-02-29T00:00:00Z", 951_782_400_000),
      ("0001-01-01T00:00:00Z", -62_135_596_800_000), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
      ("0001-01-01T01:00:00+01:00", -62_135_596_800_000), ("1970-01-01T00:00:00-00:00", 0),
    ] as [(String, Int64)])
  func reading(pair: (text: String, milliseconds: Int64)) {
    #expect(DateText.parse(pair.text) == pair.milliseconds)
  }

  @Test(
    "what is no date, or not exactly one, is refused",
    arguments: [
      "", "2026-12-01", "2026-12-01T09:30:00", "2026-12-01T09:30Z", "2026-02-29T00:00:00Z",
      "2100-02-29T00:00:00Z",
      "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z",
      "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2016-12-31T23:59:60Z", "2026-01-01T00:00:00.Z",
      "2026-01-01T00:00:00.1234567890Z", "2026-01-01T00:00:00,5Z", "2026-01-01T00:00:00+24:00",
      "2026-01-01T00:00:00+1:00", "2026-01-01T00:00:00+01:60", "2026-01-01T00:00:00ZZ",
      "+2026-01-01T00:00:00Z",
      "0000-12-31T23:59:59Z", "0001-01-01T00:59:59+01:00", "9999-12-31T23:59:59-00:01", "20260101T000000Z",
      "2026-01-01T00:00:00+", "2026-01-01T00:00:00+0", "2026-01-01T00:00:00+010", "2026-1-01T00:00:00.00Z",
    ])
  func refusal(text: String) {
    #expect(DateText.parse(text) == nil)
  }

  @Test("every day's text reads back as that day, and days follow one another")
  func everyDay() {
    var previous = ""
    var day = DateText.range.lowerBound
    while day <= DateText.range.upperBound {
      let text = DateText.format(day + 45_296_789)
      if DateText.parse(text) != day + 45_296_789 || text <= previous { Issue.record("\(text)") }
      previous = text
      day += 86_400_000 * 13
    }
  }

  @Test(
    "every millisecond of some seconds reads back",
    arguments: [0, -1000, 1_796_117_400_000, -62_135_596_800_000] as [Int64])
  func everyMillisecond(start: Int64) {
    for moment in start..<start + 1000 where DateText.parse(DateText.format(moment)) != moment {
      Issue.record("\(moment)")
    }
  }

  @Test("text is always with milliseconds and in UTC")
  func writing() {
    #expect(DateText.format(0) == "1970-01-01T00:00:00.000Z")
    #expect(DateText.format(-1) == "1969-12-31T23:59:59.999Z")
    #expect(DateText.format(1_796_117_400_123) == "2026-12-01T09:30:00.123Z")
    #expect(DateText.format(DateText.range.lowerBound) == "0001-01-01T00:00:00.000Z")
    #expect(DateText.format(DateText.range.upperBound) == "9999-12-31T23:59:59.999Z")
  }
}
