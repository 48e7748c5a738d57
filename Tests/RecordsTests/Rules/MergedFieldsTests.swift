import Testing

@testable import Records

struct MergedFieldsTests {
  private func fields(_ values: KeyValuePairs<String, FieldValue>) -> [RecordBody.Field] {
    values.map { RecordBody.Field(name: $0, value: $1) }
  }

  private func strings(_ texts: String...) -> FieldValue { .list(texts.map { .string($0) }) }

  private func settle(
    _ policy: MergePolicy, _ server: FieldValue?, _ client: FieldValue?, _ ancestor: FieldValue?
  ) -> MergePolicy.Settlement {
    policy.settle(server: server, client: client, ancestor: ancestor)
  }

  @Test("each policy settles as it says")
  func policies() {
    #expect(settle(.server, .int64(1), .int64(2), .int64(0)) == .value(.int64(1)))
    #expect(settle(.client, .int64(1), .int64(2), .int64(0)) == .value(.int64(2)))
    #expect(settle(.client, .int64(1), nil, .int64(0)) == .value(nil))
    #expect(settle(.max, .int64(1), .int64(2), .int64(9)) == .value(.int64(2)))
    #expect(settle(.min, .int64(1), .int64(2), .int64(0)) == .value(.int64(1)))
    #expect(settle(.max, nil, .int64(-5), .int64(0)) == .value(.int64(-5)))
    #expect(settle(.min, nil, .int64(-5), .int64(0)) == .value(nil))
    #expect(settle(.max, .string("b"), .string("az"), nil) == .value(.string("b")))
    #expect(settle(.max, .double(0), .double(-0.0), nil) == .value(.double(0)))
    #expect(
      settle(.union, strings("a", "b"), strings("c", "b"), strings("b")) == .value(strings("a", "b", "c")))
    #expect(settle(.union, nil, strings("c"), strings("b")) == .value(strings("c")))
    #expect(settle(.sum, .int64(5), .int64(7), .int64(4)) == .value(.int64(8)))
    #expect(settle(.sum, nil, .int64(7), .int64(4)) == .value(.int64(3)))
    #expect(settle(.sum, .int64(5), nil, .int64(4)) == .value(.int64(1)))
    #expect(settle(.sum, .double(0.5), .double(1), nil) == .value(.double(1.5)))
  }

  @Test("a sum may pass the ends of 64 bits on its way, and not at its end")
  func overflow() {
    #expect(settle(.sum, .int64(.min), .int64(.max), .int64(-1)) == .value(.int64(0)))
    #expect(settle(.sum, .int64(.max), .int64(1), .int64(0)) == .none)
    #expect(settle(.sum, .double(.greatestFiniteMagnitude), .double(1e308), .double(0)) == .none)
  }

  @Test("values of a type that the field had once go with none of another")
  func otherTypes() {
    #expect(settle(.sum, .int64(1), .int64(2), .string("1")) == .none)
    #expect(settle(.sum, .double(1), .int64(2), nil) == .none)
    #expect(settle(.union, strings("a"), .list([.int64(1)]), nil) == .none)
    #expect(settle(.union, strings("a"), .string("b"), nil) == .none)
  }

  @Test("what one side alone changed is as that side has it, with or without a policy")
  func oneSide() {
    let merged = MergedFields(
      ancestor: fields(["a": .int64(1), "b": .int64(1), "c": .int64(1), "d": .int64(1)]),
      server: fields(["e": .int64(5), "a": .int64(2), "b": .int64(1), "c": .int64(1)]),
      client: fields(["a": .int64(1), "b": .int64(3), "d": .int64(1), "f": .int64(6)])
    ) { _ in nil }
    #expect(
      merged?.fields == fields(["e": .int64(5), "a": .int64(2), "b": .int64(3), "f": .int64(6)]))
    #expect(merged?.settled == [])
  }

  @Test("what both changed to the same is that; to different values the policy decides, or nobody")
  func bothSides() {
    let before = fields(["a": .int64(1), "b": .int64(1)])
    let server = fields(["a": .int64(2), "b": .int64(4)])
    let client = fields(["a": .int64(2), "b": .int64(3)])
    let merged = MergedFields(ancestor: before, server: server, client: client) { $0 == "b" ? .sum : nil }
    #expect(merged?.fields == fields(["a": .int64(2), "b": .int64(6)]))
    #expect(merged?.settled == ["b"])
    let both = MergedFields(ancestor: before, server: server, client: client) { _ in .sum }
    #expect(both?.fields == fields(["a": .int64(3), "b": .int64(6)]))
    #expect(both?.settled == ["a", "b"])
    #expect(MergedFields(ancestor: before, server: server, client: client) { _ in nil } == nil)
    #expect(
      MergedFields(ancestor: before, server: [], client: client) { _ in .client }?.settled == ["a", "b"])
    #expect(MergedFields(ancestor: before, server: [], client: client) { _ in nil } == nil)
  }

  // MARK: Properties

  private static let names = ["a", "b", "é", "e\u{301}", "c"]

  private func randomFields(
    _ generator: inout SplitMix64, _ value: (inout SplitMix64) -> FieldValue
  ) -> [RecordBody.Field] {
    Self.names.filter { _ in Bool.random(using: &generator) }.map {
      .init(name: $0, value: value(&generator))
    }
  }

  private func integer(_ generator: inout SplitMix64) -> FieldValue {
    .int64(.random(in: 0...3, using: &generator))
  }

  private func dictionary(_ fields: [RecordBody.Field]) -> [FieldName: FieldValue] {
    Dictionary(uniqueKeysWithValues: fields.map { (FieldName($0.name), $0.value) })
  }

  @Test("merging with an unchanged side gives the other side, whatever the policy", arguments: 0..<200)
  func neutral(_ seed: Int) {
    var generator = SplitMix64(seed: UInt64(seed))
    let ancestor = randomFields(&generator, integer)
    let changed = randomFields(&generator, integer)
    for policy in [nil, MergePolicy.server, .client, .max, .min, .sum] {
      for (server, client) in [(ancestor, changed), (changed, ancestor), (changed, changed)] {
        // Two who add the same have both added.
        if policy == .sum, server == client { continue }
        let merged = MergedFields(ancestor: ancestor, server: server, client: client) { _ in policy }
        #expect(merged.map { dictionary($0.fields) } == dictionary(changed))
        #expect(merged?.settled == [])
      }
    }
  }

  @Test(
    "for max, min and sum it doesn't matter who came first; for a union only the order", arguments: 0..<200)
  func symmetric(_ seed: Int) {
    var generator = SplitMix64(seed: UInt64(seed))
    let sides = (0..<3).map { _ in randomFields(&generator, integer) }
    for policy in [MergePolicy.max, .min, .sum] {
      let one = MergedFields(ancestor: sides[0], server: sides[1], client: sides[2]) { _ in policy }
      let other = MergedFields(ancestor: sides[0], server: sides[2], client: sides[1]) { _ in policy }
      #expect(one.map { dictionary($0.fields) } == other.map { dictionary($0.fields) })
      #expect(one != nil)
    }
    let lists = (0..<3).map { _ in
      randomFields(&generator) { generator in
        .list((0..<Int.random(in: 0...3, using: &generator)).map { _ in integer(&generator) })
      }
    }
    let one = MergedFields(ancestor: lists[0], server: lists[1], client: lists[2]) { _ in .union }
    let other = MergedFields(ancestor: lists[0], server: lists[2], client: lists[1]) { _ in .union }
    func sets(_ merged: MergedFields?) -> [FieldName: Set<[UInt8]>]? {
      merged.map { dictionary($0.fields).mapValues { value in Set(elements(value).map(SortKey.key)) } }
    }
    #expect(sets(one) == sets(other))
  }

  @Test("many increments that were each merged over the others come to their sum", arguments: 0..<50)
  func increments(_ seed: Int) {
    var generator = SplitMix64(seed: UInt64(seed))
    var versions = [fields(["n": .int64(0)])]
    var sum: Int64 = 0
    for _ in 0..<20 {
      let ancestor = versions.randomElement(using: &generator)!
      let amount = Int64.random(in: 1...9, using: &generator)
      guard case .int64(let known) = ancestor[0].value else { return }
      sum += amount
      let merged = MergedFields(
        ancestor: ancestor, server: versions.last!, client: fields(["n": .int64(known + amount)])
      ) { _ in .sum }
      versions.append(merged!.fields)
    }
    #expect(versions.last == fields(["n": .int64(sum)]))
  }

  private func elements(_ value: FieldValue) -> [FieldValue] {
    if case .list(let elements) = value { elements } else { [value] }
  }
}
