import JSONRPC
import Testing

@testable import Records

struct RecordDraftTests {
  @Test("every member is read, what the service owns is passed over")
  func reading() throws {
    let draft = try RecordDraft(
      json: JSON(
        parsing: """
          {"recordType":"Item","recordName":"milk","zoneName":"shop","recordChangeTag":"2f","created":{"x":1},
           "modified":null,"fields":{"name":"Milk","n":{"$increment":-2},"gone":null,"tags":{"$append":["a"]},
           "u":{"$addUnique":[1]},"r":{"$remove":[]}}}
          """))
    #expect(draft.recordType == "Item")
    #expect(draft.recordName == "milk")
    #expect(draft.zoneName == "shop")
    #expect(draft.recordChangeTag == "2f")
    #expect(draft.fields.map(\.name) == ["name", "n", "gone", "tags", "u", "r"])
    #expect(
      draft.fields.map(\.change) == [
        .set(.string("Milk")), .increment(.int64(-2)), .unset, .append([.string("a")]),
        .addUnique([.int64(1)]),
        .remove([]),
      ])
  }

  @Test("what is left out gets its default")
  func defaults() throws {
    let draft = try RecordDraft(
      json: JSON(parsing: #"{"recordType":"Item","recordName":null}"#), zoneName: "z")
    #expect(draft == RecordDraft(recordType: "Item", zoneName: "z"))
  }

  @Test("a written draft reads back as the same")
  func roundTrip() throws {
    let draft = RecordDraft(
      recordType: "Item", recordName: "a", recordChangeTag: "t",
      fields: [
        .init(name: "a", change: .set(.date(0))), .init(name: "b", change: .unset),
        .init(name: "c", change: .increment(.double(0.5))), .init(name: "d", change: .remove([.string("x")])),
      ])
    var writer = JSONWriter()
    draft.write(to: &writer)
    #expect(try RecordDraft(json: JSON(parsing: writer.bytes)) == draft)
  }

  @Test(
    "what is wrong is refused and named",
    arguments: [
      (#"[]"#, "a record takes an object"), (#"{}"#, "no recordType"),
      (
        #"{"recordType":"Item","recordname":"a"}"#,
        "'recordname' is not known in a record; known are recordType, recordName"
      ),
      (#"{"recordType":"Item","recordType":"Item"}"#, "'recordType' twice"),
      (#"{"recordType":1}"#, "recordType is not a text"), (#"{"recordType":"_x"}"#, "starts with '_'"),
      (#"{"recordType":"Item","recordName":""}"#, "recordName is empty"),
      (#"{"recordType":"Item","zoneName":"_z"}"#, "zoneName"),
      (#"{"recordType":"Item","fields":[]}"#, "fields is an object"),
      (#"{"recordType":"Item","fields":{"a":1,"a":2}}"#, "'a' stands twice"),
      (#"{"recordType":"Item","fields":{"a":1,"\u0061":2}}"#, "'a' stands twice"),
      (#"{"recordType":"Item","fields":{"recordName":"x"}}"#, "every record has"),
      (#"{"recordType":"Item","fields":{"due":{"$date":"x"}}}"#, "field 'due': $date takes"),
      (#"{"recordType":"Item","fields":{"n":{"$increment":"1"}}}"#, "field 'n': $increment takes a number"),
      (#"{"recordType":"Item","fields":{"n":{"$append":1}}}"#, "field 'n': $append takes a list"),
      (
        #"{"recordType":"Item","fields":{"n":{"$multiply":1}}}"#,
        "field 'n': $multiply is not a type of value"
      ),
    ])
  func refusal(pair: (text: String, message: String)) throws {
    let json = try JSON(parsing: pair.text)
    let error = #expect(throws: RecordError.self) { try RecordDraft(json: json) }
    #expect(error?.code == .invalidArguments)
    #expect(error?.message.contains(pair.message) == true, "\(error?.message ?? "")")
  }

  @Test("composed and decomposed names are two fields")
  func namesByBytes() throws {
    let draft = try RecordDraft(
      json: JSON(parsing: "{\"recordType\":\"Item\",\"fields\":{\"\u{E9}\":1,\"e\u{301}\":2}}"))
    #expect(draft.fields.count == 2)
  }

  @Test("the target of a deletion is read from a whole record too")
  func target() throws {
    let target = try RecordTarget(
      json: JSON(parsing: #"{"recordType":"Item","recordName":"a","recordChangeTag":"t","fields":{"a":1}}"#))
    #expect(target == RecordTarget(recordName: "a", recordType: "Item", recordChangeTag: "t"))
    #expect(throws: RecordError.self) { try RecordTarget(json: JSON(unchecked: Array("{}".utf8))) }
  }
}
