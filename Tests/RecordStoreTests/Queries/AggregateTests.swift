import Records
import Testing

@testable import RecordStore

@Suite struct AggregateTests {
  let store: TestStore

  init() throws { store = try TestStore(inMemory: true) }

  private func figures(
    _ aggregates: [Aggregate], by keys: [String] = [], _ predicate: String = "TRUEPREDICATE",
    limit: Int? = nil, maximumGroups: Int = 10_000
  ) throws -> [AggregateGroup] {
    let query = AggregateQuery(
      Query(recordType: "Item", predicate: try Predicate(parsing: predicate)), aggregates,
      groupKeys: keys.map { FieldPath($0)! }, resultsLimit: limit, maximumGroups: maximumGroups)
    return try #require(try store.reader.aggregate(query, budget: .max)).groups
  }

  private func figure(_ function: Aggregate.Function, _ key: String) throws -> FieldValue? {
    try figures([Aggregate(function, of: FieldPath(key)!)])[0].values[0]
  }

  private func save(_ values: String...) throws {
    for (number, value) in values.enumerated() { try store.save(#"{"n":"\#(number)","v":\#(value)}"#) }
  }

  private static let all = Aggregate.Function.allCases.map { Aggregate($0, of: FieldPath("v")!) }

  @Test("Of nothing there is one group: a count and a sum of nothing, and no values")
  func nothing() throws {
    let none = AggregateGroup(keys: [], values: [.int64(0), .int64(0), nil, nil, nil])
    #expect(try figures(Self.all) == [none])
    try save("null")
    #expect(try figures(Self.all) == [none])
    #expect(try figures(Self.all + [Aggregate(.count)])[0].values.last == .int64(1))
    #expect(try figures(Self.all, "FALSEPREDICATE") == [none])
    #expect(try figures(Self.all, by: ["v"], "FALSEPREDICATE") == [])
  }

  @Test("A sum of integers is exact, also where it goes beyond 64 bits on the way")
  func integers() throws {
    try save("9223372036854775807", "1", "-9223372036854775807", "9007199254740993")
    #expect(try figure(.sum, "v") == .int64(9_007_199_254_740_994))
    #expect(try figure(.max, "v") == .int64(.max))
    #expect(try figure(.min, "v") == .int64(-.max))
    try store.save(#"{"n":"4","v":9223372036854775807}"#)
    #expect(try figure(.sum, "v") == .double(Double(Int64.max) + 9_007_199_254_740_994))
  }

  @Test("An average is a double, and keeps the digits of large integers")
  func averages() throws {
    try save("1", "2", "3")
    #expect(try figure(.avg, "v") == .double(2))
    try save("9007199254740990", "9007199254740991", "9007199254740991")
    #expect(try figure(.avg, "v") == .double(9_007_199_254_740_990.0 + 2.0 / 3))
  }

  @Test("A sum of doubles loses nothing on the way; beyond the doubles there is none")
  func doubles() throws {
    try save("1e16", "1.0", "-1e16", "0.5")
    #expect(try figure(.sum, "v") == .double(1.5))
    try save("0.1", "0.1", "0.1", "0.1", "0.1", "0.1", "0.1", "0.1", "0.1", "0.1")
    #expect(try figure(.sum, "v") == .double(1))
    for number in 0..<10 { try store.delete("\(number)") }
    try save("1.7e308", "1.7e308")
    #expect(try figure(.sum, "v") == nil)
    #expect(try figure(.avg, "v") == nil)
    #expect(try figure(.max, "v") == .double(1.7e308))
  }

  @Test(
    "A sum that goes beyond the doubles on the way is the same in any order",
    arguments: [
      ["1e308", "1e308", "-1e308", "1"], ["1.0", "-1e308", "1e308", "1e308"],
      ["1e308", "-1e308", "1", "1e308"],
    ])
  func orders(values: [String]) throws {
    for (number, value) in values.enumerated() { try store.save(#"{"n":"\#(number)","v":\#(value)}"#) }
    #expect(try figure(.sum, "v") == .double(1e308))
    #expect(try figure(.avg, "v") == .double(1e308 / 4))
  }

  @Test("What is no number is no part of a sum, and what has no order is neither least nor greatest")
  func otherTypes() throws {
    let values = [
      "true", #"{"$date":"2026-12-01T00:00:00Z"}"#, #""7""#, "[1,2]",
      #"{"$location":{"latitude":1,"longitude":1}}"#,
    ]
    for (number, value) in values.enumerated() {
      try store.save(#"{"n":"\#(number)","v\#(number)":\#(value)}"#)
      #expect(try figure(.sum, "v\(number)") == .int64(0))
      #expect(try figure(.avg, "v\(number)") == nil)
      #expect(try figure(.count, "v\(number)") == .int64(1))
      #expect(try (figure(.min, "v\(number)") == nil) == (number >= 3))
    }
    for (number, value) in ["false", "2", "1.5", #""a""#, "[3]"].enumerated() {
      try store.save(#"{"n":"o\#(number)","o":{"x":\#(value)}}"#)
    }
    #expect(try figure(.sum, "o.x") == .double(3.5))
    #expect(try figure(.min, "o.x") == .boolean(false))
    #expect(try figure(.max, "o.x") == .string("a"))
  }

  @Test("Groups are told apart as sorting does, and come in its order")
  func groups() throws {
    for (number, value) in ["1", "1.0", "null", #""b""#, #""e\u0301""#, #""\u00e9""#].enumerated() {
      try store.save(#"{"n":"\#(number)","o":{"k":\#(value)},"v":\#(number)}"#)
    }
    let groups = try figures([Aggregate(.count), Aggregate(.sum, of: FieldPath("v")!)], by: ["o.k"])
    #expect(
      groups == [
        AggregateGroup(keys: [nil], values: [.int64(1), .int64(2)]),
        AggregateGroup(keys: [.int64(1)], values: [.int64(2), .int64(1)]),
        AggregateGroup(keys: [.string("b")], values: [.int64(1), .int64(3)]),
        AggregateGroup(keys: [.string("\u{e9}")], values: [.int64(2), .int64(9)]),
      ])
  }

  @Test("More groups than are kept in mind are refused, unless only the first are asked for")
  func tooManyGroups() throws {
    _ = try store.write(
      try (0..<200).map { .save(try draft(#"{"n":"\#($0)","v":\#($0 % 100)}"#), policy: .allKeys) })
    #expect(refusal { try figures([Aggregate(.count)], by: ["v"], maximumGroups: 99) } == .limitExceeded)
    #expect(try figures([Aggregate(.count)], by: ["v"], maximumGroups: 100).count == 100)
    let first = try figures([Aggregate(.count)], by: ["v"], limit: 3, maximumGroups: 99)
    #expect(first == (0..<3).map { AggregateGroup(keys: [.int64($0)], values: [.int64(2)]) })
  }

  @Test("Groups that take too many bytes are refused")
  func tooManyBytes() throws {
    let text = String(repeating: "x", count: 1000)
    for number in 0..<20 { try store.save(#"{"n":"\#(number)","v":"\#(text)\#(number)"}"#) }
    var query = AggregateQuery(
      Query(recordType: "Item", predicate: .everything, maximumBytes: 10_000), [Aggregate(.count)],
      groupKeys: [FieldPath("v")!])
    #expect(refusal { try store.reader.aggregate(query, budget: .max) } == .limitExceeded)
    query.resultsLimit = 20
    #expect(refusal { try store.reader.aggregate(query, budget: .max) } == .limitExceeded)
    query.resultsLimit = 2
    #expect(try store.reader.aggregate(query, budget: .max)?.groups.count == 2)
  }

  @Test("Figures are those of a plain definition", arguments: 0..<6 as Range<UInt64>)
  func agreement(seed: UInt64) throws {
    var generator = Generator(seed: seed)
    var rows: [(a: Int64?, b: Bool?, v: Int64?)] = []
    for number in 0..<120 {
      let row = (
        a: ([nil, 0, 1, 2] as [Int64?]).randomElement(using: &generator)!,
        b: [nil, true, false].randomElement(using: &generator)!,
        v: Bool.random(using: &generator) ? Int64.random(in: .min ... .max, using: &generator) : nil
      )
      rows.append(row)
      func text(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "null" }
      try store.save(#"{"n":"\#(number)","a":\#(text(row.a)),"b":\#(text(row.b)),"v":\#(text(row.v))}"#)
    }
    let groups = try figures(Self.all + [Aggregate(.count)], by: ["a", "b"], "a != 2")
    var expected: [AggregateGroup] = []
    for a in [nil, 0, 1] as [Int64?] {
      for b in [nil, false, true] as [Bool?] {
        let members = rows.filter { $0.a == a && $0.b == b }
        guard !members.isEmpty else { continue }
        let values = members.compactMap(\.v)
        let sum = values.reduce(Int128(0)) { $0 + Int128($1) }
        let count = Int128(max(values.count, 1))
        expected.append(
          AggregateGroup(
            keys: [a.map { .int64($0) }, b.map { .boolean($0) }],
            values: [
              .int64(Int64(values.count)), Int64(exactly: sum).map { .int64($0) } ?? .double(Double(sum)),
              values.isEmpty ? nil : .double(Double(sum / count) + Double(sum % count) / Double(count)),
              values.min().map { .int64($0) }, values.max().map { .int64($0) },
              .int64(Int64(members.count)),
            ]))
      }
    }
    #expect(groups == expected)
  }
}
