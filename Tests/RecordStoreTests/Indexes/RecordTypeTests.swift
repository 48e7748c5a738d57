import JSONRPC
import Records
import Testing

@testable import RecordStore

/// What declarations of record types come to.
@Suite struct RecordTypeTests {
  let file: OpenFile

  init() throws {
    file = try OpenFile()
    try file.save(
      #"{"n":"a","s":"x","v":1,"l":["x"],"r":{"$reference":{"recordName":"b"}},"o":{"a":{"b":1}}}"#)
  }

  private func declare(
    _ fields: RecordTypeDraft.Field..., indexes: [RecordTypeDraft.Index]? = nil, automatic: Bool? = nil
  ) throws {
    try refusable {
      try file.declare(
        RecordTypeDraft(name: "Item", fields: fields, indexes: indexes, automaticIndexes: automatic))
    }
  }

  private func refusable(_ body: () throws -> Void) throws {
    do { try body() } catch let failure as WriteFailure { throw failure.error }
  }

  private func keys(_ keys: String...) -> RecordTypeDraft.Index {
    RecordTypeDraft.Index(keys: keys.map { FieldPath($0)! })
  }

  /// Each index as `kind:keys`.
  private var shapes: [String] {
    file.indexes().map { index in
      let keys = index.parts.map { $0.descriptor.key + ($0.collation == .localized ? "~" : "") }
      return "\(index.kind):\(keys.joined(separator: ","))" + (index.isListed ? "*" : "")
    }
  }

  @Test("the uses of a field are its indexes")
  func fieldUses() throws {
    try declare(.init(name: "v", uses: [.queryable, .sortable]))
    #expect(shapes == ["ordered:v"])
    try declare(.init(name: "l", uses: [.queryable]))
    #expect(shapes == ["ordered:v", "elements:l"])
    try declare(.init(name: "l", uses: [.queryable, .sortable]))
    #expect(shapes == ["ordered:v", "elements:l", "ordered:l"])
    try declare(.init(name: "s", uses: [.queryable, .sortable], collation: .localized))
    #expect(shapes == ["ordered:v", "elements:l", "ordered:l", "ordered:s", "ordered:s~"])
    try declare(.init(name: "v", uses: []), .init(name: "l"), .init(name: "s", uses: [.queryable]))
    #expect(shapes == ["elements:l", "ordered:l", "ordered:s"])
  }

  @Test("a type has one full-text index, as long as a field is searchable")
  func searchable() throws {
    try declare(.init(name: "s", uses: [.searchable]), .init(name: "l", uses: [.searchable]))
    #expect(shapes == ["fullText:"])
    try declare(.init(name: "s", uses: []))
    #expect(shapes == ["fullText:"])
    try declare(.init(name: "l", uses: []))
    #expect(shapes == [])
  }

  @Test("the type's own list is replaced as a whole, and stays when it is left out")
  func list() throws {
    try declare(indexes: [keys("v", "s"), keys("o.a.b"), keys("modificationDate"), keys("l.@count")])
    #expect(shapes == ["ordered:v,s*", "ordered:o.a.b*", "ordered:modificationDate*", "ordered:l.@count*"])
    let kept = file.indexes()[1].id
    try declare(.init(name: "v", uses: [.queryable]))
    #expect(shapes.count == 5)
    try declare(indexes: [keys("o.a.b"), keys("s", "v"), keys("s", "v")])
    #expect(shapes == ["ordered:o.a.b*", "ordered:v", "ordered:s,v*"])
    #expect(file.indexes()[0].id == kept)
    try declare(indexes: [])
    #expect(shapes == ["ordered:v"])
  }

  @Test("an index that a field and the list both ask for is one, and goes when neither does")
  func askedForTwice() throws {
    try declare(.init(name: "v", uses: [.sortable]), indexes: [keys("v")])
    #expect(shapes == ["ordered:v*"])
    try declare(indexes: [])
    #expect(shapes == ["ordered:v"])
    try declare(.init(name: "v", uses: []), indexes: [keys("v")])
    #expect(shapes == ["ordered:v*"])
    try declare(indexes: [])
    #expect(shapes == [])
  }

  @Test("a declaration that only names what is there changes nothing")
  func unchanged() throws {
    let draft = RecordTypeDraft(
      name: "Item",
      fields: [
        .init(name: "v", type: FieldType(.int64), uses: [.queryable]),
        .init(name: "s", type: FieldType(.string), uses: [.sortable, .searchable], collation: .localized),
      ], indexes: [keys("v", "s")], automaticIndexes: false)
    try file.declare(draft)
    try file.finishIndexes()
    let (schema, ids) = (file.state.schema, file.indexes().map(\.id))
    try file.declare(draft)
    try file.declare(RecordTypeDraft(name: "Item"))
    #expect(file.state.schema == schema)
    #expect(file.indexes().map(\.id) == ids)
  }

  @Test("declared fields keep their type; what is saved later must fit")
  func fields() throws {
    try declare(.init(name: "new", type: FieldType(.double, isList: true)))
    #expect(file.type().fields[Name("new")] == FieldType(.double, isList: true))
    let result = try file.write([.save(draft(#"{"n":"b","new":"text"}"#), policy: .allKeys)])
    guard case .failure(let failure) = result else { return #expect(Bool(false), "it was saved") }
    #expect(failure.error.code == .fieldTypeMismatch)
    #expect(try StoreState(reading: file.connection).types[Name("Item")]?.fields.count == 6)
  }

  @Test(
    "what can't be is refused, and changes nothing",
    arguments: [
      (RecordTypeDraft.Field(name: "v", type: FieldType(.string)), RecordError.Code.fieldTypeMismatch),
      (.init(name: "s", type: FieldType(.string, isList: true)), .fieldTypeMismatch),
      (.init(name: "unknown", uses: [.queryable]), .invalidArguments),
      (.init(name: "v", uses: [.searchable]), .invalidArguments),
    ])
  func refusedFields(field: RecordTypeDraft.Field, code: RecordError.Code) throws {
    let schema = file.state.schema
    let other = RecordTypeDraft.Field(name: "other", type: FieldType(.int64))
    #expect(refusal { try declare(other, field) } == code)
    #expect(file.state.schema == schema)
    #expect(file.type().fields[Name("other")] == nil)
  }

  @Test(
    "keys that can't be an index's are refused",
    arguments: [
      [], ["v", "v"], ["r.name"], ["v", "r.recordName"], ["recordName.x"], ["modificationDate.@count"],
      (0..<17).map { "k\($0)" },
    ])
  func refusedKeys(keys: [String]) {
    let index = RecordTypeDraft.Index(keys: keys.map { FieldPath($0)! })
    #expect(refusal { try declare(indexes: [index]) } == .invalidArguments)
    #expect(file.indexes().isEmpty)
  }

  @Test("an index of elements has one key")
  func elements() throws {
    var index = keys("l")
    index.isOfElements = true
    try declare(indexes: [index])
    #expect(shapes == ["elements:l*"])
    index.keys.append(FieldPath("v")!)
    #expect(refusal { try declare(indexes: [index]) } == .invalidArguments)
  }

  @Test("a reference that becomes known in the same declaration is none to go through")
  func declaredReference() {
    let field = RecordTypeDraft.Field(name: "to", type: FieldType(.reference, isList: true))
    #expect(refusal { try declare(field, indexes: [keys("to.name")]) } == .invalidArguments)
    #expect(refusal { try declare(field, indexes: [keys("to"), keys("to.@count")]) } == nil)
  }

  @Test("only the last key is in localized order")
  func localized() throws {
    var index = keys("v", "s")
    index.collation = .localized
    try declare(indexes: [index, keys("v", "s")])
    #expect(shapes == ["ordered:v,s~*", "ordered:v,s*"])
  }

  @Test("a declared index more than a type may have is refused, those of fields counted as well")
  func limits() throws {
    var limits = StoreLimits()
    limits.maximumIndexes = 3
    limits.maximumFields = 2
    let file = try OpenFile(limits: limits)
    let fields = [RecordTypeDraft.Field(name: "v", type: FieldType(.int64), uses: [.queryable])]
    try file.declare(RecordTypeDraft(name: "Item", fields: fields, indexes: [keys("a"), keys("b")]))
    do {
      try refusable {
        try file.declare(RecordTypeDraft(name: "Item", indexes: ["a", "b", "c"].map { keys($0) }))
      }
      Issue.record("it was declared")
    } catch let error as RecordError {
      #expect(error.code == .limitExceeded)
      #expect(error.detail("limitName")?.stringValue == "maximumIndexes")
      #expect(error.detail("actual")?.int64Value == 4)
    }
    // The type's own index, and what is only still being removed, don't count.
    try file.declare(RecordTypeDraft(name: "Item", indexes: [keys("c"), keys("d")]))
    #expect(file.indexes().count == 3)
    let many = (0..<3).map { RecordTypeDraft.Field(name: "f\($0)", type: FieldType(.int64)) }
    #expect(
      refusal { try refusable { try file.declare(RecordTypeDraft(name: "Item", fields: many)) } }
        == .limitExceeded)
  }

  @Test("a declaration in a request that fails is undone with it")
  func atomic() throws {
    let result = try file.write([
      .saveRecordType(RecordTypeDraft(name: "New", indexes: [keys("v")])), deletion("missing"),
    ])
    guard case .failure = result else { return #expect(Bool(false), "it was done") }
    #expect(file.state.types[Name("New")] == nil)
    #expect(try file.integer("SELECT count(*) FROM declaredIndex") == 1)
  }

  @Test("field names with points are told from key paths, also after a new start")
  func namesWithPoints() throws {
    try file.save(#"{"n":"b","a.b":1,"a":{"b":2}}"#)
    try declare(.init(name: "a.b", uses: [.queryable]), indexes: [keys("a.b")])
    try file.finishIndexes()
    try file.crash { _ in }
    #expect(file.indexes().map(\.parts[0].path.components) == [["a.b"], ["a", "b"]])
    for index in file.indexes() {
      #expect(try file.entries(of: index) == file.expectedEntries(of: index, file.type()))
    }
  }
}
