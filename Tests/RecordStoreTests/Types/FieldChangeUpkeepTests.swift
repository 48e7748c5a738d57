import JSONRPC
import Records
import SQLite
import Testing

@testable import RecordStore

/// What changes of fields leave in the tables beside the records.
@Suite struct FieldChangeUpkeepTests {
  let file: OpenFile

  init() throws { file = try OpenFile() }

  private func change(_ changes: RecordTypeChanges) throws {
    var draft = RecordTypeDraft(name: "Item", changes: changes)
    draft.acceptsLoss = true
    try file.declare(draft)
  }

  private func key(_ text: String) -> FieldPath { FieldPath(text)! }

  private func expectTrueIndexes() throws {
    for index in file.indexes() where index.kind != .fullText {
      #expect(try file.entries(of: index) == file.expectedEntries(of: index, file.type()))
    }
  }

  private var shapes: [String] {
    file.indexes().map { "\($0.kind):\($0.parts.map(\.descriptor.key).joined(separator: ","))" }
  }

  @Test("indexes get the new names and keep their entries true")
  func indexes() throws {
    for number in 0..<8 {
      try file.save(#"{"n":"r\#(number)","v":"\#(number)","l":["a\#(number)"],"o":{"a":\#(number)}}"#)
    }
    try file.declare(
      RecordTypeDraft(
        name: "Item",
        fields: [.init(name: "l", uses: [.queryable, .searchable]), .init(name: "v", uses: [.sortable])],
        indexes: [
          .init(keys: [key("v"), key("l")]), .init(keys: [key("o.a")]),
          .init(keys: [key("modificationDate")]),
        ]))
    try file.finishIndexes()
    let kept = Set(file.indexes().filter { $0.kind != .fullText }.map(\.id))
    try change(.init(renamed: [("v", "w"), ("l", "m"), ("o", "v")], retyped: [("w", FieldType(.int64))]))
    #expect(
      Set(shapes) == [
        "elements:m", "fullText:", "ordered:w", "ordered:w,m", "ordered:v.a", "ordered:modificationDate",
      ])
    #expect(Set(file.indexes().filter { $0.kind != .fullText }.map(\.id)) == kept)
    try expectTrueIndexes()
    try file.finishIndexes()
    let words = try #require(file.indexes().first { $0.kind == .fullText })
    let (actual, expected) = try file.words(of: words, file.type())
    #expect(actual == expected && !actual.isEmpty)
    try change(.init(retyped: [("m", FieldType(.string)), ("v", FieldType(.string))], dropped: ["w"]))
    #expect(Set(shapes) == ["ordered:m", "fullText:", "ordered:modificationDate"])
    try file.finishIndexes()
    try expectTrueIndexes()
  }

  @Test("a reference that becomes text refers to nothing any more, though it did")
  func references() throws {
    try file.save(#"{"n":"a","r":{"$reference":{"recordName":"t"}}}"#)
    #expect(try file.integer("SELECT count(*) FROM reference WHERE until IS NULL") == 1)
    try change(.init(retyped: [("r", FieldType(.string))]))
    #expect(try file.integer("SELECT count(*) FROM reference WHERE until IS NULL") == 0)
    #expect(try file.integer("SELECT count(*) FROM reference") == 1)
  }

  @Test("what is counted stays true, and a start anew finds the same types", arguments: 0..<12)
  func random(_ seed: Int) throws {
    var generator = Generator(seed: UInt64(seed))
    let names = ["a", "b", "c", "d"]
    for number in 0..<30 {
      let fields = names.shuffled(using: &generator).prefix(3).map { name in
        #""\#(name)":\#(name == "d" ? #"["\#(number)"]"# : "\(number % 7)")"#
      }
      try file.save(#"{"n":"r\#(number)",\#(fields.joined(separator: ","))}"#)
    }
    try file.declare(
      RecordTypeDraft(
        name: "Item", fields: [.init(name: "a", uses: [.queryable]), .init(name: "d", uses: [.queryable])],
        indexes: [.init(keys: [key("b"), key("c")])]))
    let types: [FieldType] = [
      .init(.string), .init(.int64), .init(.double), .init(.string, isList: true), .init(.date),
    ]
    for _ in 0..<8 {
      let present = file.type().fields.keys.map(\.text).sorted().shuffled(using: &generator)
      var changes = RecordTypeChanges()
      if present.count > 1, Bool.random(using: &generator) {
        changes.renamed = [(present[0], present[1]), (present[1], present[0])]
      }
      if let field = present.last { changes.retyped = [(field, types.randomElement(using: &generator)!)] }
      if present.count > 3, Int.random(in: 0..<4, using: &generator) == 0 { changes.dropped = [present[2]] }
      let expected = try expectation(of: changes)
      try change(changes)
      #expect(try records() == expected)
      if Bool.random(using: &generator) { try file.advance(rows: 11) }
      try expectTrueIndexes()
    }
    let bytes = try file.integer("SELECT sum(length(body)) FROM record")
    #expect(file.state.recordBytes == bytes)
    let read = try StoreState(reading: file.connection)
    #expect(read.types[Name("Item")]?.fields == file.type().fields)
    #expect(read.types[Name("Item")]?.fieldIndexing == file.type().fieldIndexing)
    try file.finishIndexes()
    try expectTrueIndexes()
  }

  private func records() throws -> [String: String] {
    var records: [String: String] = [:]
    let rows = try file.connection.database.prepare("SELECT name, body FROM record")
    while try rows.step() {
      records[rows.text(0)] = StoredRecord(body: JSON(unchecked: rows.bytes(1))).fieldsText
    }
    return records
  }

  /// The fields as they must be: by the conversions of values alone.
  private func expectation(of changes: RecordTypeChanges) throws -> [String: String] {
    let names = Dictionary(uniqueKeysWithValues: changes.renamed.map { ($0.from, $0.to) })
    let types = Dictionary(uniqueKeysWithValues: changes.retyped.map { ($0.field, $0.type) })
    var records: [String: String] = [:]
    let rows = try file.connection.database.prepare("SELECT name, body FROM record")
    while try rows.step() {
      let record = StoredRecord(body: JSON(unchecked: rows.bytes(1)))
      var writer = JSONWriter()
      writer.beginObject()
      for (name, value) in record.fields where !changes.dropped.contains(name) {
        let after = names[name] ?? name
        guard case .value(let converted) = types[after].map(value.converted) ?? .value(value) else {
          continue
        }
        writer.key(after)
        converted.write(to: &writer)
      }
      writer.endObject()
      records[rows.text(0)] = String(decoding: writer.bytes, as: UTF8.self)
    }
    return records
  }
}
