import Records
import Testing

@testable import RecordStore

@Suite struct KeySetTests {
  private static let keys: [[UInt8]] =
    [[0]]
    + [
      FieldValue.boolean(false), .boolean(true), .int64(1), .double(1.5), .int64(2), .string(""),
      .string("a"),
      .string("ab"), .string("b"), .list([.int64(1)]),
    ].map { SortKey.key(of: $0) }

  private static func set(_ generator: inout Generator) -> KeySet {
    var ranges: [KeyRange] = []
    for _ in 0..<Int.random(in: 0...4, using: &generator) {
      let one = keys.randomElement(using: &generator)!
      let other = keys.randomElement(using: &generator)!
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: ranges.append(KeyRange(point: one))
      case 1: ranges.append(KeyRange(prefix: [one[0]]))
      default: if one.lexicographicallyPrecedes(other) { ranges.append(KeyRange(from: one, below: other)) }
      }
    }
    return KeySet(unionOf: ranges)
  }

  @Test("union, intersection and complement are those of the keys in the sets")
  func algebra() {
    var generator = Generator(seed: 3)
    for _ in 0..<2000 {
      let one = Self.set(&generator)
      let other = Self.set(&generator)
      let both = one.intersection(other)
      let either = KeySet(unionOf: one.ranges + other.ranges)
      for key in Self.keys {
        #expect(both.contains(key) == (one.contains(key) && other.contains(key)))
        #expect(either.contains(key) == (one.contains(key) || other.contains(key)))
        #expect(one.complement.contains(key) == !one.contains(key))
        #expect(!one.contains(key) || one.hull.contains(key))
      }
      for (left, right) in zip(both.ranges, both.ranges.dropFirst()) {
        #expect(!right.from.lexicographicallyPrecedes(left.below))
      }
    }
  }

  @Test("points stay points beside each other, and are lost in a stretch that holds them")
  func points() {
    let truths = KeySet(unionOf: Self.keys[1...2].map { KeyRange(point: $0) })
    #expect(truths.points == Array(Self.keys[1...2]))
    #expect(KeySet(unionOf: truths.ranges + [KeyRange(prefix: [Self.keys[1][0]])]).points == nil)
    #expect(KeySet.all.intersection(truths) == truths)
    #expect(KeySet.some.containsNull == false && KeySet.null.points == [[0]])
  }
}
