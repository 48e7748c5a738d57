import JSONRPC
import Testing

@testable import Records

struct FieldChangeTests {
  @Test("an increment adds to what is there, and to zero")
  func increment() throws {
    #expect(try apply(.increment(.int64(2)), to: .int64(40)) == .int64(42))
    #expect(try apply(.increment(.int64(2)), to: nil) == .int64(2))
    #expect(try apply(.increment(.int64(2)), to: .double(0.5)) == .double(2.5))
    #expect(try apply(.increment(.int64(2)), to: nil, .double) == .double(2))
    #expect(throws: RecordError.self) { try apply(.increment(.int64(1)), to: .int64(.max)) }
    #expect(throws: RecordError.self) { try apply(.increment(.double(1e308)), to: .double(1.7e308)) }
    #expect(code { try apply(.increment(.double(0.5)), to: .int64(1)) } == .fieldTypeMismatch)
    #expect(code { try apply(.increment(.int64(1)), to: .string("1")) } == .fieldTypeMismatch)
    #expect(code { try apply(.increment(.int64(1)), to: .list([.int64(1)])) } == .fieldTypeMismatch)
  }

  @Test("lists grow at their end, without what is in them already if asked, and shrink")
  func lists() throws {
    let list = FieldValue.list([.string("a"), .string("b"), .string("a")])
    #expect(
      try apply(.append([.string("b")]), to: list)
        == .list([.string("a"), .string("b"), .string("a"), .string("b")]))
    #expect(try apply(.append([.string("b")]), to: nil) == .list([.string("b")]))
    #expect(
      try apply(.addUnique([.string("c"), .string("a"), .string("c")]), to: list)
        == .list([.string("a"), .string("b"), .string("a"), .string("c")]))
    #expect(try apply(.remove([.string("a"), .string("x")]), to: list) == .list([.string("b")]))
    #expect(try apply(.remove([.string("a")]), to: nil) == nil)
    #expect(code { try apply(.append([.int64(1)]), to: list) } == .fieldTypeMismatch)
    #expect(code { try apply(.append([.string("a")]), to: .string("a")) } == .fieldTypeMismatch)
    #expect(try apply(.append([.int64(1)]), to: .list([.double(0.5)])) == .list([.double(0.5), .double(1)]))
    #expect(try apply(.append([]), to: list) == list)
    #expect(try apply(.append([.int64(1)]), to: .list([])) == .list([.int64(1)]))
  }

  @Test(
    "what is no list, or of other elements, is not taken out of or put into a list, were it missing or not")
  func listsOfOthers() throws {
    let numbers = FieldType(.int64, isList: true)
    for change in [FieldChange.append([.string("a")]), .addUnique([.string("a")]), .remove([.string("a")])] {
      #expect(code { try change.applied(to: nil, type: numbers, field: "f") } == .fieldTypeMismatch)
      #expect(
        code { try change.applied(to: .list([.int64(1)]), type: numbers, field: "f") } == .fieldTypeMismatch)
      #expect(
        code { try change.applied(to: nil, type: FieldType(.string), field: "f") } == .fieldTypeMismatch)
    }
    for type in [FieldType(.string), FieldType(.date), FieldType(.boolean), numbers] {
      #expect(
        code { try FieldChange.increment(.int64(1)).applied(to: nil, type: type, field: "f") }
          == .fieldTypeMismatch)
    }
  }

  @Test("a long list is added to and taken out of in a moment")
  func longLists() throws {
    let values = (0..<100_000).map { FieldValue.int64($0) }
    #expect(try apply(.addUnique(values), to: .list(values)) == .list(values))
    #expect(try apply(.remove(values), to: .list(values)) == .list([]))
  }

  @Test("what is equal to a person is in the list already, and is taken out: numbers, texts, places")
  func equalElements() throws {
    let doubles = FieldValue.list([.double(-0.0), .double(0x1p53)])
    #expect(try apply(.addUnique([.int64(0), .int64(1 << 53)]), to: doubles) == doubles)
    #expect(try apply(.remove([.int64(0)]), to: doubles) == .list([.double(0x1p53)]))
    #expect(try apply(.remove([.string("e\u{301}")]), to: .list([.string("é")])) == .list([]))
    let references = FieldValue.list([.reference(Reference(recordName: "a", zoneName: "z"))])
    let other = FieldValue.reference(Reference(recordName: "a"))
    #expect(try apply(.remove([other]), to: references) == references)
    #expect(
      try apply(
        .remove([.reference(Reference(recordName: "a", zoneName: "z", action: .setNull))]), to: references)
        == .list([]))
  }

  @Test("$unset takes true and nothing else")
  func unset() throws {
    #expect(try FieldChange(json: JSON(parsing: #"{"$unset":true}"#)) == .unset)
    for json in [#"{"$unset":false}"#, #"{"$unset":1}"#, #"{"$unset":null}"#, #"{"$unset":true,"a":1}"#] {
      #expect(throws: RecordError.self) { try FieldChange(json: JSON(parsing: json)) }
    }
    #expect(try apply(.unset, to: nil) == nil)
  }

  @Test("a value must be of the field's type; the fault names both")
  func types() throws {
    #expect(try apply(.set(.int64(1)), to: nil, .double) == .double(1))
    #expect(try apply(.unset, to: .int64(1)) == nil)
    let error = #expect(throws: RecordError.self) { try apply(.set(.string("x")), to: .int64(1)) }
    #expect(error?.code == .fieldTypeMismatch)
    #expect(error?.message == "field 'f' is of type int64, not string")
    #expect(error?.details.map(\.name) == ["field", "expected", "actual"])
  }

  private func apply(
    _ change: FieldChange, to value: FieldValue?, _ type: FieldType.Element? = nil
  ) throws(RecordError) -> FieldValue? {
    try change.applied(to: value, type: type.map { FieldType($0) }, field: "f")
  }

  private func code(_ body: () throws -> FieldValue?) -> RecordError.Code? {
    do {
      _ = try body()
      return nil
    } catch {
      return (error as? RecordError)?.code
    }
  }
}
