/// A sum of doubles and integers that loses nothing, so that it is the same in whatever order they come.
///
/// A fixed-point number wide enough for all finite doubles, in units of the least one (2 to the -1074): adding
/// is adding integers.
struct ExactSum {
  /// The bit of the number one.
  private static let unitBit = 1074
  /// 2098 bits for a double, 64 more for as many as can be counted.
  private static let digitCount = 68
  /// An addition changes a digit by less than 2 to the 32, so none overflows before.
  private static let carryInterval = 1 << 30

  /// What it takes of memory, in bytes.
  static let size = digitCount * MemoryLayout<Int64>.size + 32

  /// To the base 2 to the 32, the least first. Each has room and a sign for what was not carried yet.
  private var digits = [Int64](repeating: 0, count: digitCount)
  private var uncarried = 0
  /// Something was added that is no number.
  private var isUndefined = false

  mutating func add(_ value: Double) {
    guard value.isFinite else { return isUndefined = true }
    let fraction = value.significandBitPattern
    let exponent = Int(value.exponentBitPattern)
    // Subnormals have the scale of the least normal numbers, but no leading one.
    let magnitude = exponent == 0 ? fraction : fraction | 1 << Double.significandBitCount
    add(magnitude, at: max(exponent - 1, 0), isNegative: value.sign == .minus)
  }

  mutating func add(_ integer: Int128) {
    let magnitude = integer.magnitude
    let isNegative = integer < 0
    add(UInt64(truncatingIfNeeded: magnitude), at: Self.unitBit, isNegative: isNegative)
    add(UInt64(truncatingIfNeeded: magnitude >> 64), at: Self.unitBit + 64, isNegative: isNegative)
  }

  private mutating func add(_ magnitude: UInt64, at bit: Int, isNegative: Bool) {
    var rest = UInt128(magnitude) << (bit % 32)
    var index = bit / 32
    while rest != 0 {
      let digit = Int64(UInt32(truncatingIfNeeded: rest))
      digits[index] += isNegative ? -digit : digit
      rest >>= 32
      index += 1
    }
    uncarried += 1
    if uncarried == Self.carryInterval { carry() }
  }

  /// Afterwards every digit is from 0 to 2 to the 32, but the last, which has the sign.
  private mutating func carry() {
    for index in 0..<digits.count - 1 {
      digits[index + 1] += digits[index] >> 32
      digits[index] &= 0xFFFF_FFFF
    }
    uncarried = 0
  }

  /// The double nearest to the sum, of two the even one; nil when the sum is beyond the doubles.
  var value: Double? {
    if isUndefined { return nil }
    var sum = self
    sum.carry()
    let isNegative = sum.digits[Self.digitCount - 1] < 0
    if isNegative {
      for index in sum.digits.indices { sum.digits[index].negate() }
      sum.carry()
    }
    guard let magnitude = sum.rounded, magnitude.isFinite else { return nil }
    return isNegative ? -magnitude : magnitude
  }

  /// Of a sum that is carried and not negative. Nil or infinite beyond the doubles.
  private var rounded: Double? {
    guard let last = digits.lastIndex(where: { $0 != 0 }) else { return 0 }
    let highest = last * 32 + 63 - digits[last].leadingZeroBitCount
    // The unit is the least double, so the bits of a small sum are those of its double.
    let lowest = highest - Double.significandBitCount
    if lowest <= 0 { return Double(bitPattern: UInt64(truncatingIfNeeded: bits(from: 0))) }
    guard lowest < Int(Double.infinity.exponentBitPattern) else { return nil }
    let significand = UInt64(truncatingIfNeeded: bits(from: lowest))
    // The leading one adds to the exponent, and so does what rounding up carries.
    let truncated = UInt64(lowest) << Double.significandBitCount + significand
    let isUp = hasBit(lowest - 1) && (significand & 1 == 1 || hasBits(below: lowest - 1))
    return Double(bitPattern: truncated + (isUp ? 1 : 0))
  }

  /// The 64 bits from one on, and some more.
  private func bits(from bit: Int) -> UInt128 {
    var bits: UInt128 = 0
    for index in (bit / 32..<min(bit / 32 + 3, digits.count)).reversed() {
      bits = bits << 32 | UInt128(digits[index])
    }
    return bits >> (bit % 32)
  }

  private func hasBit(_ bit: Int) -> Bool { digits[bit / 32] >> (bit % 32) & 1 == 1 }

  private func hasBits(below bit: Int) -> Bool {
    digits[bit / 32] & (1 << (bit % 32) - 1) != 0 || digits[..<(bit / 32)].contains { $0 != 0 }
  }
}
