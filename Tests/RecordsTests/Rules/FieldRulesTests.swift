import JSONRPC
import Testing

@testable import Records

struct FieldRulesTests {
  private func rules(_ json: String, _ type: String = "int64") throws -> FieldRules {
    let changes = try JSON(parsing: json).members.map {
      FieldRules.Change(FieldRules.Rule(rawValue: $0.name)!, $0.value)
    }
    return try FieldRules().declaring(changes, field: "f", type: FieldType(name: type)!)
  }

  private func value(_ json: String) throws -> FieldValue? { try FieldValue(json: JSON(parsing: json)) }

  private func violated(_ rules: String, _ type: String, _ value: String) throws -> FieldRules.Rule? {
    try self.rules(rules, type).violation(of: self.value(value))?.rule
  }

  @Test(
    "what a value breaks",
    arguments: [
      (#"{"required":true}"#, "string", "null", FieldRules.Rule.required),
      (#"{"min":1}"#, "int64", "0", .min),
      (#"{"min":1,"max":2}"#, "int64", "3", .max), (#"{"min":0.5}"#, "double", "0.25", .min),
      (#"{"max":-0.0}"#, "double", "5e-324", .max),
      (#"{"max":9223372036854775806}"#, "int64", "9223372036854775807", .max),
      (#"{"min":"b"}"#, "string", #""az""#, .min), (#"{"max":"b"}"#, "string", #""ba""#, .max),
      (
        #"{"max":{"$date":"2026-01-01T00:00:00Z"}}"#, "date", #"{"$date":"2026-01-01T00:00:00.001Z"}"#, .max
      ),
      (#"{"pattern":"[a-z]+"}"#, "string", #""a1""#, .pattern),
      (#"{"pattern":"[a-z]+"}"#, "string", #""""#, .pattern),
      (#"{"pattern":"a"}"#, "list<string>", #"["a","b"]"#, .pattern),
      (#"{"min":1}"#, "list<int64>", "[1,0]", .min),
    ])
  func broken(_ rules: String, _ type: String, _ value: String, _ rule: FieldRules.Rule) throws {
    #expect(try violated(rules, type, value) == rule)
  }

  @Test(
    "what a value keeps to",
    arguments: [
      (#"{"required":true}"#, "string", #""""#), (#"{"required":true}"#, "list<string>", "[]"),
      (#"{"min":1,"max":2,"pattern":null}"#, "int64", "null"), (#"{"min":1,"max":1}"#, "int64", "1"),
      (#"{"min":0}"#, "double", "-0.0"), (#"{"min":1}"#, "list<int64>", "[]"),
      (#"{"max":"é"}"#, "string", #""e\u0301""#), (#"{"pattern":"é"}"#, "string", #""e\u0301""#),
      (#"{"unique":true}"#, "int64", "1"), (#"{"pattern":"a.c"}"#, "string", #""abc""#),
    ])
  func kept(_ rules: String, _ type: String, _ value: String) throws {
    #expect(try violated(rules, type, value) == nil)
  }

  @Test("a violation tells the rule, the value unless it is long, and the bound")
  func told() throws {
    let error = try rules(#"{"max":2}"#).violation(of: .int64(3))?.error(field: "f")
    #expect(error?.code == .constraintViolation)
    #expect(error?.message == "field 'f' must be 2 at most")
    #expect(
      error?.details.map { "\($0.name)=\(String(decoding: $0.json, as: UTF8.self))" }
        == [#"field="f""#, #"rule="max""#, "value=3", "bound=2"])
    let long = try rules(#"{"pattern":"a"}"#, "string").violation(
      of: .string(String(repeating: "b", count: 2000)))
    #expect(long?.error(field: "f").details.map(\.name) == ["field", "rule", "bound"])
  }

  @Test(
    "what makes no sense is refused, and tells the rule",
    arguments: [
      ("boolean", #"{"min":true}"#), ("boolean", #"{"pattern":"a"}"#), ("string", #"{"merge":"sum"}"#),
      ("int64", #"{"merge":"union"}"#), ("list<int64>", #"{"merge":"sum"}"#),
      ("list<int64>", #"{"merge":"max"}"#), ("location", #"{"merge":"max"}"#),
      ("int64", #"{"merge":"newest"}"#),
      ("int64", #"{"min":0.5}"#), ("int64", #"{"min":[1]}"#), ("list<int64>", #"{"min":[1]}"#),
      ("int64", #"{"min":2,"max":1}"#), ("int64", #"{"default":"1"}"#), ("int64", #"{"default":[1]}"#),
      ("int64", #"{"default":0,"min":1}"#), ("string", #"{"default":"b","pattern":"a"}"#),
      ("int64", #"{"default":1,"unique":true}"#), ("int64", #"{"required":1}"#),
      ("int64", #"{"unique":"yes"}"#),
      ("string", #"{"pattern":"(a"}"#), ("string", #"{"pattern":"(a)\\1"}"#), ("string", #"{"pattern":1}"#),
      ("bytes", #"{"max":{"$bytes":"AA=="}}"#), ("date", #"{"min":"2026-01-01T00:00:00Z"}"#),
      ("date", #"{"min":{"$date":"x"}}"#),
    ])
  func senseless(_ type: String, _ json: String) throws {
    let error = #expect(throws: RecordError.self) { try rules(json, type) }
    #expect(error?.code == .invalidArguments)
    #expect(error?.message.hasPrefix("the field 'f' of type \(type): ") == true)
    #expect(error?.details.map(\.name) == ["parameter", "field", "rule"])
  }

  @Test("what is declared later changes what it names; null takes away")
  func later() throws {
    let rules = try rules(#"{"required":true,"min":1,"max":5,"default":3,"merge":"max"}"#)
    let later = try rules.declaring(
      [.init(.max, JSON(parsing: "9")), .init(.merge, JSON(parsing: "null"))], field: "f",
      type: FieldType(.int64))
    #expect(later.json.text == #"{"required":true,"default":3,"min":1,"max":9}"#)
    let none = try later.declaring(
      [
        .init(.required, JSON(parsing: "false")), .init(.default, JSON(parsing: "null")),
        .init(.min, JSON(parsing: "null")), .init(.max, JSON(parsing: "null")),
      ], field: "f", type: FieldType(.int64))
    #expect(none.isEmpty && none.json.text == "{}")
  }

  @Test("an integer becomes the double that a rule of a double field is")
  func adopted() throws {
    #expect(try rules(#"{"min":1,"default":2}"#, "double").json.text == #"{"default":2.0,"min":1.0}"#)
    #expect(try rules(#"{"default":[1]}"#, "list<double>").json.text == #"{"default":[1.0]}"#)
  }

  @Test(
    "rules come back as they were written",
    arguments: [
      ("int64", #"{"required":true,"unique":true,"min":-9223372036854775808,"max":9223372036854775807}"#),
      ("string", #"{"default":"a","min":"","max":"z","pattern":"[a-z]*","merge":"client"}"#),
      ("date", #"{"min":{"$date":"0001-01-01T00:00:00.000Z"},"merge":"min"}"#),
      ("list<string>", #"{"default":["a"],"merge":"union"}"#), ("double", #"{"merge":"sum"}"#),
      ("object", #"{"default":{"a":[1,null]}}"#),
    ])
  func roundTrip(_ type: String, _ json: String) throws {
    let rules = try rules(json, type)
    #expect(rules.json.text == json)
    #expect(FieldRules(stored: rules.json, type: FieldType(name: type)!) == rules)
  }

  @Test("rules follow to another type where they mean the same there")
  func converted() throws {
    let numbers = try rules(#"{"required":true,"default":5,"min":1,"max":9,"merge":"sum"}"#)
    let (doubles, none) = numbers.converted(to: FieldType(.double))
    #expect(doubles.json.text == #"{"required":true,"default":5.0,"min":1.0,"max":9.0,"merge":"sum"}"#)
    #expect(none.isEmpty)
    let (texts, dropped) = numbers.converted(to: FieldType(.string))
    #expect(texts.json.text == #"{"required":true,"default":"5"}"#)
    #expect(dropped == [.min, .max, .merge])
    let (lists, sums) = numbers.converted(to: FieldType(.int64, isList: true))
    #expect(lists.json.text == #"{"required":true,"default":[5],"min":1,"max":9}"#)
    #expect(sums == [.merge])
    let (integers, patterns) = try rules(#"{"pattern":"[0-9]+","default":"7"}"#, "string")
      .converted(to: FieldType(.int64))
    #expect(integers.json.text == #"{"default":7}"#)
    #expect(patterns == [.pattern])
  }
}
