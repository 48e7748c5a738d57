import JSONRPC
import Testing

@testable import Records

struct ConversionTests {
  private func convert(_ json: String, _ type: String) throws -> String {
    guard let value = try FieldValue(json: JSON(parsing: json)) else { return "null" }
    return switch value.converted(to: FieldType(name: type)!) {
    case .value(let value): value.json.text
    case .nothing: "nothing"
    case .lost: "lost"
    }
  }

  @Test(
    "what becomes of values",
    arguments: [
      ("1", "string", #""1""#), ("0.5", "string", #""0.5""#), ("-0.0", "string", #""-0.0""#),
      ("true", "string", #""true""#),
      (#"{"$date":"2026-01-01T00:00:00Z"}"#, "string", #""2026-01-01T00:00:00.000Z""#),
      (#"{"$bytes":"AAEC"}"#, "string", #""AAEC""#), (#"{"a": 1}"#, "string", #""{\"a\":1}""#),
      (
        #"{"$reference":{"recordName":"a"}}"#, "string",
        #""{\"$reference\":{\"recordName\":\"a\"}}""#
      ),
      (#""12""#, "int64", "12"), (#""-9223372036854775808""#, "int64", "-9223372036854775808"),
      (#""9223372036854775808""#, "int64", "lost"), (#"" 1""#, "int64", "lost"), (#""+1""#, "int64", "lost"),
      (#""1.0""#, "int64", "lost"), (#""""#, "int64", "lost"), (#""0x1""#, "int64", "lost"),
      (#""1""#, "double", "1.0"), (#""1e308""#, "double", "1e+308"), (#""5e-324""#, "double", "5e-324"),
      (#""1e309""#, "double", "lost"), (#""nan""#, "double", "lost"), (#""inf""#, "double", "lost"),
      (#""true""#, "boolean", "true"), (#""false""#, "boolean", "false"), (#""TRUE""#, "boolean", "lost"),
      (#""2026-01-01T01:00:00+01:00""#, "date", #"{"$date":"2026-01-01T00:00:00.000Z"}"#),
      (#""2026-01-01""#, "date", "lost"), ("1", "double", "1.0"), ("9007199254740993", "double", "lost"),
      ("9223372036854775807", "double", "lost"), ("-9223372036854775808", "double", "-9.223372036854776e+18"),
      ("1.0", "int64", "1"), ("1.5", "int64", "lost"), ("1e19", "int64", "lost"), ("-0.0", "int64", "0"),
      ("0", "date", #"{"$date":"1970-01-01T00:00:00.000Z"}"#),
      (#"{"$date":"0001-01-01T00:00:00Z"}"#, "int64", "-62135596800000"),
      ("253402300800000", "date", "lost"), ("1", "boolean", "lost"), ("true", "int64", "lost"),
      ("1", "list<int64>", "[1]"), ("1", "list<string>", #"["1"]"#), (#"["1","2"]"#, "list<int64>", "[1,2]"),
      (#"["1","b"]"#, "list<int64>", "lost"), ("[]", "list<date>", "[]"), ("[]", "int64", "nothing"),
      ("[7]", "int64", "7"), ("[7]", "string", #""7""#), ("[7,8]", "int64", "lost"),
      ("[7,8]", "string", "lost"),
      (#"{"$bytes":""}"#, "date", "lost"), (#""a""#, "reference", "lost"), (#""a""#, "object", "lost"),
    ])
  func values(_ json: String, _ type: String, _ result: String) throws {
    #expect(try convert(json, type) == result)
  }

  private static let types = FieldType.Element.allCases.flatMap {
    [FieldType($0), FieldType($0, isList: true)]
  }

  @Test("whatever is converted is of the new type, and what was of it already is the same")
  func types() {
    for value in SampleValues.all {
      for type in Self.types {
        guard case .value(let converted) = value.converted(to: type) else { continue }
        #expect(type.adopt(converted) == converted)
        if value.type == type { #expect(converted == value) }
      }
    }
  }

  @Test("what comes back from another type is equal to what it was", arguments: 0..<20)
  func roundTrip(_ seed: Int) {
    var generator = SplitMix64(seed: UInt64(seed))
    let values = SampleValues.all + (0..<200).map { _ in SampleValues.random(using: &generator) }
    for value in values {
      guard let type = value.type else { continue }
      for other in Self.types {
        guard case .value(let there) = value.converted(to: other) else { continue }
        switch there.converted(to: type) {
        case .value(let back): #expect(back.equals(value), "\(value.json.text) by \(other)")
        case .nothing: Issue.record("\(value.json.text) by \(other) is nothing")
        // What only text can hold of these is not read back from it.
        case .lost: #expect(other.element == .string)
        }
      }
    }
  }

  @Test("numbers, booleans and dates come back from text bit for bit")
  func throughText() {
    for value in SampleValues.all {
      guard let type = value.type, !type.isList, [.int64, .double, .boolean, .date].contains(type.element),
        case .value(let text) = value.converted(to: FieldType(.string))
      else { continue }
      #expect(text.converted(to: type) == .value(value))
    }
  }
}
