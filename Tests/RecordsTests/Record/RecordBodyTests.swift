import JSONRPC
import Testing

@testable import Records

struct RecordBodyTests {
  private let stamp = Stamp(timestamp: 1_796_000_000_123, userRecordName: "_1000")

  private func body(_ fields: [(String, FieldValue)] = []) throws -> RecordBody {
    var body = RecordBody(
      recordType: "Item", recordName: "milk", recordChangeTag: "2f", created: stamp, modified: stamp)
    try body.apply(
      fields.map { .init(name: $0.0, change: .set($0.1)) }, replacing: true, typeOf: { _ in nil })
    return body
  }

  @Test("a record is one line in a fixed order")
  func encoding() throws {
    let text = """
      {"recordType":"Item","recordName":"milk","zoneName":"_defaultZone","recordChangeTag":"2f",\
      "created":{"timestamp":1796000000123,"userRecordName":"_1000"},\
      "modified":{"timestamp":1796000000123,"userRecordName":"_1000"},"fields":{"name":"Milk","n":1}}
      """
    let body = try body([("name", .string("Milk")), ("n", .int64(1))])
    #expect(String(decoding: body.encoded(), as: UTF8.self) == text)
    #expect(RecordBody(body.stored()).encoded() == body.encoded())
  }

  @Test("merged fields keep their places and new ones come last; replaced, those not sent go")
  func applying() throws {
    let changes: [RecordDraft.Field] = [
      .init(name: "new", change: .set(.int64(9))), .init(name: "c", change: .set(.int64(3))),
      .init(name: "a", change: .unset), .init(name: "missing", change: .unset),
    ]
    var merged = try body([("a", .int64(1)), ("b", .int64(2)), ("c", .int64(0))])
    var replaced = merged
    try merged.apply(changes, replacing: false, typeOf: { _ in nil })
    #expect(merged.fields.map(\.name) == ["b", "c", "new"])
    try replaced.apply(changes, replacing: true, typeOf: { _ in nil })
    #expect(replaced.fields.map(\.name) == ["c", "new"])
  }

  @Test("sent in another order, the same fields are the same record")
  func unchanged() throws {
    let first = try body([("a", .int64(1)), ("b", .int64(2))])
    var second = first
    try second.apply(
      [.init(name: "b", change: .set(.int64(2))), .init(name: "a", change: .set(.int64(1)))], replacing: true,
      typeOf: { _ in nil })
    #expect(second.encoded() == first.encoded())
  }

  @Test("a fault leaves the fields as they were")
  func fault() throws {
    var body = try body([("a", .int64(1))])
    let before = body.encoded()
    #expect(throws: RecordError.self) {
      try body.apply(
        [.init(name: "a", change: .set(.int64(2))), .init(name: "b", change: .set(.string("x")))],
        replacing: false, typeOf: { $0 == "b" ? FieldType(.int64) : nil })
    }
    #expect(body.encoded() == before)
  }

  @Test("a reference into the record's own zone doesn't name it")
  func ownZone() throws {
    let own = Reference(recordName: "a", zoneName: "_defaultZone")
    let other = Reference(recordName: "a", zoneName: "z")
    let body = try body([("r", .reference(own)), ("l", .list([.reference(own), .reference(other)]))])
    #expect(body.fields[0].value == .reference(Reference(recordName: "a")))
    #expect(body.fields[1].value == .list([.reference(Reference(recordName: "a")), .reference(other)]))
  }
}
