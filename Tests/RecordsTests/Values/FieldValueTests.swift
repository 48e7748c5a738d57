import JSONRPC
import Testing

@testable import Records

struct FieldValueTests {
  @Test("every value's JSON reads back as the same value", arguments: SampleValues.all)
  func roundTrip(value: FieldValue) throws {
    #expect(try FieldValue(json: JSON(parsing: Array(value.json.bytes))) == value)
  }

  @Test(
    "values are written in one form, whatever the form they came in",
    arguments: [
      (#"{ "$date" : "2026-12-01T10:30:00.123+01:00" }"#, #"{"$date":"2026-12-01T09:30:00.123Z"}"#),
      (#"{"$date":1796117400123}"#, #"{"$date":"2026-12-01T09:30:00.123Z"}"#),
      (
        #"{"$location":{"longitude":4.35,"latitude":50}}"#,
        #"{"$location":{"latitude":50.0,"longitude":4.35}}"#
      ),
      (
        #"{"$reference":{"recordName":"a","zoneName":null,"action":"none"}}"#,
        #"{"$reference":{"recordName":"a"}}"#
      ),
      (
        #"{"$reference":{"action":"deleteSelf","zoneName":"z","recordName":"a"}}"#,
        #"{"$reference":{"recordName":"a","zoneName":"z","action":"deleteSelf"}}"#
      ),
      ("{ \"a\" :\n [ 1 , \" x \\\" y \" ] }", #"{"a":[1," x \" y "]}"#),
      (#""\u0061\/""#, #""a/""#), ("1.50e1", "15.0"), ("-0", "0"), ("-0.0", "-0.0"),
      ("[1, 2.5]", "[1.0,2.5]"),
      ("100000000000000000000", "1e+20"), ("590295810358705700000", "5.902958103587057e+20"), ("[]", "[]"),
      (#"{"\u0024bytes":"AA=="}"#, #"{"$bytes":"AA=="}"#),
    ])
  func canonicalForm(pair: (String, String)) throws {
    let value = try #require(try FieldValue(json: JSON(parsing: pair.0)))
    #expect(value.json.text == pair.1)
  }

  @Test(
    "what is no value is refused",
    arguments: [
      "1e400", "18446744073709551615", "9223372036854775808", "[1,\"a\"]", "[[1]]", "[null]",
      "[1.5,9007199254740993]",
      #"{"$date":"yesterday"}"#, #"{"$date":1.5}"#, #"{"$date":null}"#, #"{"$date":99999999999999999}"#,
      #"{"$bytes":"a"}"#, #"{"$bytes":1}"#, #"{"$location":{"latitude":91,"longitude":0}}"#,
      #"{"$location":{"latitude":0,"longitude":180.5}}"#, #"{"$location":{"latitude":0}}"#,
      #"{"$location":{"latitude":0,"longitude":0,"altitude":1}}"#, #"{"$location":[0,0]}"#,
      #"{"$reference":{}}"#,
      #"{"$reference":{"recordName":""}}"#, #"{"$reference":{"recordName":"a","action":"explode"}}"#,
      #"{"$reference":{"recordName":"a","recordName":"b"}}"#, #"{"$reference":"a"}"#,
      #"{"$asset":{"checksum":"a","size":-1}}"#, #"{"$asset":{"checksum":"a"}}"#, #"{"$unknown":1}"#,
      #"{"$date":"2026-12-01T09:30:00Z","x":1}"#, #"{"x":1,"$date":"2026-12-01T09:30:00Z"}"#, #"{"$":1}"#,
    ])
  func refusal(text: String) throws {
    let json = try JSON(parsing: text)
    let error = #expect(throws: RecordError.self) { try FieldValue(json: json) }
    #expect(error?.code == .invalidArguments)
  }

  @Test("null is no value")
  func null() throws {
    #expect(try FieldValue(json: JSON(parsing: "null")) == nil)
  }

  @Test("a type's name reads back as the type", arguments: FieldType.Element.allCases)
  func typeNames(element: FieldType.Element) {
    for type in [FieldType(element), FieldType(element, isList: true)] {
      #expect(FieldType(name: type.name) == type)
    }
    #expect(FieldType(name: "list<list<string>>") == nil)
    #expect(FieldType(name: "String") == nil)
  }

  @Test("a field takes values of its type, integers as doubles where no digit is lost, and empty lists")
  func adoption() {
    let double = FieldType(.double)
    #expect(double.adopt(.int64(3)) == .double(3))
    #expect(double.adopt(.int64(1 << 53)) == .double(0x1p53))
    #expect(double.adopt(.int64(1 << 53 + 1)) == nil)
    #expect(double.adopt(.int64(.min)) == .double(-0x1p63))
    #expect(double.adopt(.int64(.max)) == nil)
    #expect(double.adopt(.int64(1_000_000_000_000_000_100)) == .double(1e18 + 128))
    #expect(FieldType(.int64).adopt(.double(3)) == nil)
    #expect(FieldType(.string).adopt(.int64(3)) == nil)
    #expect(
      FieldType(.double, isList: true).adopt(.list([.int64(1), .int64(2)]))
        == .list([.double(1), .double(2)]))
    #expect(FieldType(.string, isList: true).adopt(.list([])) == .list([]))
    #expect(FieldType(.double, isList: true).adopt(.list([])) == .list([]))
    #expect(FieldType(.string).adopt(.list([])) == nil)
    #expect(FieldType(.string, isList: true).adopt(.string("a")) == nil)
    #expect(FieldType(.string, isList: true).adopt(.list([.int64(1)])) == nil)
  }

  @Test("integers and doubles are compared exactly")
  func numbers() {
    #expect(FieldValue.int64(1 << 53 + 1).order(to: .double(0x1p53)) == .after)
    #expect(FieldValue.double(0x1p53).order(to: .int64(1 << 53 + 1)) == .before)
    #expect(FieldValue.int64(.max).order(to: .double(0x1p63)) == .before)
    #expect(FieldValue.int64(.min).order(to: .double(-0x1p63)) == .same)
    #expect(FieldValue.int64(0).order(to: .double(-0.0)) == .same)
    #expect(FieldValue.int64(-1).order(to: .double(-1.5)) == .after)
    #expect(FieldValue.int64(1).order(to: .boolean(true)) == nil)
    #expect(FieldValue.int64(0).order(to: .date(0)) == nil)
  }
}
