import InProcessService
import JSONRPC
import ListsService
import Testing

/// Values come back as they were sent: every type at its edges.
struct ExactnessTests {
  let service = InProcessService()

  /// What is sent, what comes back, and whether `=` finds it.
  struct Value: CustomTestStringConvertible, Sendable {
    let sent: String
    let stored: String
    /// The value as a predicate's argument; nil where it has no literal of its own.
    var isFound = true

    init(_ sent: String, _ stored: String? = nil, isFound: Bool = true) {
      self.sent = sent
      self.stored = stored ?? sent
      self.isFound = isFound
    }

    var testDescription: String { String(sent.prefix(60)) }
  }

  static let values: [Value] = [
    // int64
    Value("0"), Value("-0", "0"), Value("9223372036854775807"), Value("-9223372036854775808"),
    Value("9007199254740993"), Value("-9007199254740993"),
    // double
    Value("0.0"), Value("-0.0"), Value("5e-324"), Value("-5e-324"), Value("2.2250738585072014e-308"),
    Value("1.7976931348623157e+308"), Value("-1.7976931348623157e+308"), Value("1e308", "1e+308"),
    Value("0.1"), Value("0.30000000000000004"), Value("1E2", "100.0"), Value("1.0"), Value("4.35"),
    Value("9007199254740992.0"), Value("18446744073709552000", "1.8446744073709552e+19"),
    // boolean
    Value("true"), Value("false"),
    // string
    Value(#""""#), Value(#""\u0000""#), Value(#""e\u0301""#, "\"e\u{301}\""), Value("\"\u{e9}\""),
    Value(#""\"\\\/\b\f\n\r\t""#, #""\"\\/\b\f\n\r\t""#), Value("\"\u{10FFFF}\u{FFFF}\u{FEFF}\""),
    Value(#""\ud83d\ude00""#, "\"😀\""), Value("\"\u{7f}\u{2028}\"", "\"\u{7f}\u{2028}\""),
    // date
    Value(#"{"$date":"0001-01-01T00:00:00.000Z"}"#), Value(#"{"$date":"9999-12-31T23:59:59.999Z"}"#),
    Value(#"{"$date":"1969-12-31T23:59:59.999Z"}"#), Value(#"{"$date":"2000-02-29T00:00:00.000Z"}"#),
    Value(#"{"$date":"2026-01-01T00:00:00.1239+05:30"}"#, #"{"$date":"2025-12-31T18:30:00.123Z"}"#),
    // bytes
    Value(#"{"$bytes":""}"#), Value(#"{"$bytes":"AA=="}"#), Value(#"{"$bytes":"/+8="}"#),
    // location
    Value(#"{"$location":{"latitude":-90.0,"longitude":180.0}}"#),
    Value(#"{"$location":{"latitude":90.0,"longitude":-180.0}}"#),
    Value(#"{"$location":{"latitude":5e-324,"longitude":-0.0}}"#),
    // reference
    Value(#"{"$reference":{"recordName":"a"}}"#),
    Value(#"{"$reference":{"recordName":"a","zoneName":"z","action":"setNull"}}"#),
    // objects
    Value("{}"), Value(#"{"a":{"b":[1,[2.50,null],{"c":-0.0}],"d":9223372036854775807}}"#),
    Value(#"{"b":1,"a":1.0,"":{},"n":null}"#), Value(#"{ "a" : [ 1 , 2 ] }"#, #"{"a":[1,2]}"#),
    Value(#"{"big":123456789012345678901234567890,"e":1e400}"#, isFound: false),
    // lists of each
    Value("[]"), Value("[1,-9223372036854775808]"), Value("[1.5,-0.0,5e-324]"),
    Value("[1,2.5]", "[1.0,2.5]"),
    Value("[true,false]"), Value(#"["","a"]"#),
    Value(#"[{"$date":"0001-01-01T00:00:00.000Z"},{"$date":"9999-12-31T23:59:59.999Z"}]"#),
    Value(#"[{"$bytes":""},{"$bytes":"AA=="}]"#), Value(#"[{"$location":{"latitude":0.0,"longitude":0.0}}]"#),
    Value(#"[{"$reference":{"recordName":"a"}}]"#), Value(#"[{},{"a":[]}]"#),
  ]

  @Test(
    "a value comes back byte for byte, is what a query finds, and is what changes tell", arguments: values)
  func exact(_ value: Value) throws {
    let client = service.connect()
    let stored = #""fields":{"v":\#(value.stored)}}"#
    func reply(_ method: String, _ params: String) throws -> String {
      client.send(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":{\#(params)}}"#)
      return String(decoding: try client.receiveBytes(), as: UTF8.self)
    }
    let saved = try reply(
      "saveRecord", #""record":{"recordType":"T","recordName":"r","fields":{"v":\#(value.sent)}}"#)
    #expect(saved.contains(stored), "\(saved)")
    #expect(try reply("fetchRecord", #""recordName":"r""#).contains(stored))
    #expect(try reply("performQuery", #""recordType":"T","predicate":"TRUEPREDICATE""#).contains(stored))
    #expect(try reply("fetchChanges", "").contains(stored))
    if value.isFound {
      let found = try reply(
        "performQuery", #""recordType":"T","predicate":"v = %@","arguments":[\#(value.stored)]"#)
      #expect(found.contains(stored), "\(found)")
    }
    // What came back can be sent back, and is the same then.
    let again = try reply(
      "saveRecord",
      #""record":{"recordType":"T","recordName":"r","fields":{"v":\#(value.stored)}},"savePolicy":"allKeys""#)
    #expect(again.contains(stored))
    let tag = #""recordChangeTag":"[^"]*""#
    #expect(saved.firstMatch(of: try Regex(tag))?.0 == again.firstMatch(of: try Regex(tag))?.0)
  }

  @Test(
    "what no type holds exactly is refused",
    arguments: [
      "1e400", "-1e400", "9223372036854775809", "-9223372036854775809",
      "18446744073709551616", "123456789012345678901", "NaN",
      "Infinity",
      #"{"$date":"0000-12-31T23:59:59.999Z"}"#, #"{"$date":"9999-12-31T23:59:59.999-00:01"}"#,
      #"{"$date":253402300800000}"#, #"{"$date":"2026-02-29T00:00:00Z"}"#, #"{"$date":"2026-01-01"}"#,
      #"{"$bytes":"AA"}"#, #"{"$bytes":"AB=="}"#, #"{"$location":{"latitude":90.1,"longitude":0}}"#,
      #"{"$double":"NaN"}"#, #"[1,"a"]"#, "[[1]]", "[null]", "[9007199254740993,0.5]", #""\ud800""#,
      #"{"$unset":false}"#, #"{"$increment":"1"}"#, #"{"$append":1}"#,
    ])
  func refused(_ value: String) throws {
    let client = service.connect()
    client.send(
      #"{"jsonrpc":"2.0","id":1,"method":"saveRecord","params":{"record":{"recordType":"T","fields":{"v":\#(value)}}}}"#
    )
    let reply = try client.receive()
    #expect([-32700, -32602].contains(reply["error"]?["code"]), "\(reply)")
  }

  @Test("a text fills a record to its last byte, and not one further")
  func largest() throws {
    let client = service.connect()
    func save(_ count: Int) throws -> JSONNode {
      try client.call(
        "saveRecord",
        [
          "record": [
            "recordType": "T", "recordName": "r",
            "fields": ["v": .string(String(repeating: "x", count: count))],
          ], "savePolicy": "allKeys", "desiredKeys": [],
        ])
    }
    let actual = try save(9 << 20)["error"]?["data"]?["actual"]
    guard case .int(let size)? = actual else {
      Issue.record("no size")
      return
    }
    // Tags grow with time: what lies around the text is known to a few bytes.
    let around = Int(size) - (9 << 20)
    let most = (8 << 20) - around
    #expect(try save(most - 4)["result"] != nil)
    #expect(try save(most + 4)["error"]?["data"]?["errorCode"] == "limitExceeded")
    let fetched = try client.result("fetchRecord", ["recordName": "r"])["record"]?["fields"]?["v"]
    #expect(fetched == .string(String(repeating: "x", count: most - 4)))
  }
}
