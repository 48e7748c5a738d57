import JSONRPC
import Testing

@testable import Records

struct StoredRecordTests {
  private func record(_ fields: String) throws -> StoredRecord {
    StoredRecord(
      body: try JSON(
        parsing: """
          {"recordType":"Item","recordName":"milk","zoneName":"z","recordChangeTag":"2f",\
          "created":{"timestamp":1,"userRecordName":"_1"},"modified":{"timestamp":2,"userRecordName":"_2"},\
          "fields":\(fields)}
          """))
  }

  @Test("members and system keys are read from the body")
  func members() throws {
    let record = try record("{}")
    #expect(record.recordType == "Item")
    #expect(record.recordName == "milk")
    #expect(record.zoneName == "z")
    #expect(record.recordChangeTag == "2f")
    #expect(record.created == Stamp(timestamp: 1, userRecordName: "_1"))
    #expect(record.value(forKey: "modificationDate") == .date(2))
    #expect(record.value(forKey: "lastModifiedUserRecordID") == .string("_2"))
    #expect(record.value(forKey: "creatorUserRecordID") == .string("_1"))
    #expect(record.value(forKey: "nothing") == nil)
  }

  @Test(
    "values are found behind paths",
    arguments: [
      ("n", .int64(1)), ("o.a", .string("x")), ("o.l.v", .list([.int64(1), .int64(2)])),
      ("l.@count", .int64(2)),
      ("where.latitude", .double(1)), ("o.missing", nil), ("n.x", nil), ("n.@count", nil), ("gone", nil),
    ] as [(String, FieldValue?)])
  func paths(pair: (path: String, value: FieldValue?)) throws {
    let record = try record(
      #"{"n":1,"o":{"a":"x","l":[{"v":1},{},{"v":2}]},"l":["a","b"],"gone":null,"where":{"$location":{"latitude":1.0,"longitude":2.0}}}"#
    )
    #expect(record.value(at: try #require(FieldPath(pair.path))) == pair.value)
  }

  @Test("a path that leads nowhere early gives nothing, however long it is")
  func longPaths() throws {
    let record = try record(#"{"a":1,"l":[{"x":1},{}]}"#)
    let rest = String(repeating: ".y", count: 100_000)
    for count in ["", ".@count"] {
      let path = try #require(FieldPath("a" + rest + count))
      #expect(record.value(at: path) == nil)
    }
    let path = try #require(FieldPath("l" + rest))
    #expect(record.value(at: path) == .list([]))
  }

  @Test("desired keys pick fields, the other members stay")
  func desiredKeys() throws {
    let record = try record(#"{"a":1,"b":"x","é":2}"#)
    func text(_ keys: [String]?) -> String {
      var writer = JSONWriter()
      record.write(desiredKeys: keys.map { DesiredKeys($0) }, to: &writer)
      return String(decoding: writer.bytes, as: UTF8.self)
    }
    #expect(text(nil) == record.body.text)
    #expect(text([]).hasSuffix(#""modified":{"timestamp":2,"userRecordName":"_2"},"fields":{}}"#))
    #expect(text(["b", "missing"]).hasSuffix(#""fields":{"b":"x"}}"#))
    #expect(text(["e\u{301}"]).hasSuffix(#""fields":{}}"#))
    #expect(text(["a", "b", "é"]) == record.body.text)
  }

  @Test("changed keys are those whose values differ, gone ones included")
  func changedKeys() throws {
    let before = try record(#"{"a":1,"b":2,"z":0,"c":{"x":1}}"#)
    let after = try record(#"{"b":3,"a":1,"new":null,"c":{"x":1}}"#)
    #expect(after.changedKeys(since: before) == ["b", "new", "z"])
    #expect(before.changedKeys(since: before) == [])
  }
}
