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
