import Testing

@testable import RecordStore

struct ExactSumTests {
  private func sum(_ values: some Sequence<Double>) -> Double? {
    var sum = ExactSum()
    for value in values { sum.add(value) }
    return sum.value
  }

  private static let max = Double.greatestFiniteMagnitude
  private static let least = Double.leastNonzeroMagnitude
  private static let leastNormal = Double.leastNormalMagnitude
  private static let oneUp = 1 + Double.ulpOfOne

  private static let knownSums: [([Double], Double)] = [
    ([], 0), ([-0.0], 0), ([1.5], 1.5), ([-1.5, 0.25], -1.25), ([1e16, 1, -1e16, 0.5], 1.5),
    ([1e308, 1e308, -1e308], 1e308), ([max, max, -max, -max, least], least), ([max, -max], 0),
    ([max, least, -max], least), ([-max, -least, max], -least), ([least, least], 2 * least),
    ([leastNormal, -least], leastNormal.nextDown), ([leastNormal.nextDown, least], leastNormal),
    ([leastNormal, least], leastNormal.nextUp), ([max], max), ([-max], -max),
    // Halves go to the even one, and anything beyond a half decides.
    ([1, 0x1p-53], 1), ([1, 0x1p-53, least], oneUp), ([1, 0x1p-53, -least], 1),
    ([oneUp, 0x1p-53], oneUp.nextUp), ([-1, -0x1p-53], -1),
    ([-1, -0x1p-53, -least], -oneUp),
    ([2, -least], 2), ([0x1p53, 1], 0x1p53), ([0x1p53, 1, 1], 0x1p53 + 2), ([0x1p53 - 1, 1, 0.5], 0x1p53),
    // Less than half a step above the greatest double is still that.
    ([max, 0x1p969], max), ([max, 0x1p970, -least], max), ([-max, -0x1p970, least], -max),
  ]

  private static let undefinedSums: [[Double]] = [
    [max, 0x1p970], [-max, -0x1p970], [max, max], [-max, -max, -1], [.infinity], [-.infinity, .infinity],
    [.nan, 1],
  ]

  @Test("sums that are known", arguments: knownSums)
  func known(values: [Double], expected: Double) {
    #expect(sum(values)?.bitPattern == expected.bitPattern)
    #expect(sum(values.reversed())?.bitPattern == expected.bitPattern)
  }

  @Test(
    "there is no sum beyond the doubles, nor with what is no number",
    arguments: undefinedSums)
  func beyond(values: [Double]) {
    #expect(sum(values) == nil)
    #expect(sum(values.reversed()) == nil)
  }

  @Test(
    "a sum at any scale is that of whole numbers",
    arguments: [-1074, -1060, -1022, -600, -20, 0, 31, 500, 896])
  func wholeNumbers(exponent: Int) {
    var generator = Generator(seed: UInt64(bitPattern: Int64(exponent)))
    let scale = Double(sign: .plus, exponent: exponent, significand: 1)
    for _ in 0..<500 {
      var total: Int128 = 0
      var values: [Double] = []
      for _ in 0..<Int.random(in: 1...20, using: &generator) {
        let bits = Int128(generator.next() >> UInt64.random(in: 11...63, using: &generator))
        let number =
          (Bool.random(using: &generator) ? bits : -bits) << Int128.random(in: 0...60, using: &generator)
        total += number
        values.append(Double(number) * scale)
      }
      if Bool.random(using: &generator) {
        // Leaves little.
        let most = Double(total)
        total -= Int128(most)
        values.append(-most * scale)
      }
      #expect(sum(values) == Double(total) * scale)
    }
  }

  @Test("any order gives the same bits", arguments: 0..<20 as Range<UInt64>)
  func permutations(seed: UInt64) throws {
    var generator = Generator(seed: seed)
    var values: [Double] = []
    while values.count < 60 {
      let value = Double(bitPattern: generator.next())
      guard value.isFinite else { continue }
      values += Bool.random(using: &generator) ? [value, -value] : [value / 64]
    }
    let expected = try #require(sum(values)).bitPattern
    for _ in 0..<20 {
      values.shuffle(using: &generator)
      #expect(sum(values)?.bitPattern == expected)
    }
    // And what was added can be taken away again.
    #expect(sum(values + values.map { -$0 })?.bitPattern == 0)
  }

  @Test("integers are added exactly")
  func integers() {
    for integer in [
      0, 1, -1, Int128(Int64.max), Int128(Int64.min), .max, .min, 1 << 64, -(1 << 64), (1 << 53) + 1,
    ] {
      var sum = ExactSum()
      sum.add(integer)
      #expect(sum.value == Double(integer))
      sum.add(0.5)
      sum.add(-integer.quotientAndRemainder(dividingBy: 2).quotient)
      sum.add(-(integer - integer.quotientAndRemainder(dividingBy: 2).quotient))
      #expect(sum.value == 0.5)
    }
  }
}
