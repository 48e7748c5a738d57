import JSONRPC
import Testing

@Suite struct JSONTests {
  @Test("each kind is told from its text")
  func kinds() throws {
    let json = try JSON(parsing: " [null, true, 1, 1.0, \"a\", [], {}] ")
    #expect(json.elements.map(\.kind) == [.null, .boolean, .number, .number, .string, .array, .object])
    #expect(json.text == "[null, true, 1, 1.0, \"a\", [], {}]")
    #expect(json.elements.map(\.boolValue) == [nil, true, nil, nil, nil, nil, nil])
    #expect(json.elements.map(\.isNull) == [true, false, false, false, false, false, false])
  }

  @Test("integers are exact to the ends of Int64, and nothing else is an integer")
  func integers() throws {
    for (text, value) in [
      ("0", 0), ("-0", 0), ("1", 1), ("-1", -1), ("9223372036854775807", Int64.max),
      ("-9223372036854775808", Int64.min),
    ] as [(String, Int64)] {
      #expect(try JSON(parsing: text).int64Value == value)
    }
    for text in [
      "9223372036854775808", "-9223372036854775809", "1.0", "1e0", "-0.0", "1e400", "true", "\"1\"",
      "92233720368547758070", "null",
    ] {
      #expect(try JSON(parsing: text).int64Value == nil)
    }
  }

  @Test("doubles are rounded correctly, keep the sign of zero, and are nil beyond the finite ones")
  func doubles() throws {
    for text in [
      "1", "1.0", "0.1", "-1.5e-7", "123456789012345678", "1e308", "5e-324", "2.2250738585072011e-308",
    ] {
      #expect(try JSON(parsing: text).doubleValue == Double(text))
    }
    #expect(try JSON(parsing: "-0").doubleValue?.sign == .minus)
    #expect(try JSON(parsing: "-0.0").doubleValue?.sign == .minus)
    #expect(try JSON(parsing: "0").doubleValue?.sign == .plus)
    #expect(try JSON(parsing: "1e400").doubleValue == nil)
    #expect(try JSON(parsing: "-1e400").doubleValue == nil)
    #expect(try JSON(parsing: "1e-400").doubleValue == 0)
    #expect(try JSON(parsing: "true").doubleValue == nil)
  }

  @Test("a number that fits nothing keeps its digits")
  func digits() throws {
    let text = "123456789012345678901234567890.123456789012345678901234567890e+400"
    #expect(try JSON(parsing: "[\(text)]").elements.map(\.text) == [text])
  }

  @Test("strings are decoded: escapes, pairs, any character")
  func strings() throws {
    for (text, value) in [
      (#""""#, ""), (#""plain""#, "plain"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
      (#""\u0061\u00e9\uD83D\uDE00é😀""#, "aé😀é😀"), (#""\u0000x""#, "\0x"), (#""\uFFFF""#, "\u{FFFF}"),
    ] {
      let decoded = try #require(try JSON(parsing: text).stringValue)
      #expect(Array(decoded.utf8) == Array(value.utf8))
    }
    #expect(try JSON(parsing: "1").stringValue == nil)
  }

  @Test("members are found by the bytes of their decoded names, the first one of a name")
  func lookup() throws {
    let json = try JSON(
      parsing: #" { "\u0061" : 1 , "a":2, "\u00e9":3, "e\u0301":4, "x\\n":5, "":6, "n":{"a":7} } "#)
    #expect(json["a"]?.int64Value == 1)
    #expect(json["\u{E9}"]?.int64Value == 3)
    #expect(json["e\u{301}"]?.int64Value == 4)
    #expect(json["x\\n"]?.int64Value == 5)
    #expect(json["x\n"] == nil)
    #expect(json[""]?.int64Value == 6)
    #expect(json["n"]?["a"]?.int64Value == 7)
    #expect(json["\\u0061"] == nil)
    #expect(json["b"] == nil)
    #expect(json["n"]?["b"] == nil)
    #expect(try JSON(parsing: #"["a"]"#)["a"] == nil)
    #expect(json.members.map(\.name).count == 7)
    #expect(json.members.first { $0.isNamed("a") }?.key.text == #""\u0061""#)
  }

  @Test("containers are walked whatever the white space")
  func walking() throws {
    for text in ["[]", "[ ]", "{}", "{\n}", "1", "\"a\""] {
      let json = try JSON(parsing: text)
      #expect(json.elements.isEmpty && json.members.isEmpty)
    }
    let json = try JSON(parsing: "\t[ 1 ,\"]\" ,{ \"}\" : [ ] , \"b\":[[ ]]} ,\r\n[2]]\n")
    #expect(json.elements.map(\.text) == ["1", "\"]\"", "{ \"}\" : [ ] , \"b\":[[ ]]}", "[2]"])
    #expect(json.elements.count == 4)
    #expect(json.elements.flatMap { $0.members.map(\.value.text) } == ["[ ]", "[[ ]]"])
  }

  @Test("text that was not checked gives wrong values at worst")
  func unchecked() {
    for text in [
      "", " ", "\"", "\"\\", "\"\\u12", "{", "{\"", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":}", "{\"a\":\"\\",
      "[", "[,",
      "[[", "-", "[1,,2]", "{\"\\ud800\":1}", "\"\\ud800\\u\"", "}", ",", "\"\\\"",
    ] {
      let json = JSON(unchecked: Array(text.utf8))
      _ = (json.kind, json.boolValue, json.int64Value, json.doubleValue, json.stringValue, json["a"])
      _ = (json.elements.map(\.text), json.members.map(\.name))
    }
    #expect(JSON(unchecked: Array(" {\"a\":1} ".utf8)).text == "{\"a\":1}")
  }
}
