/// A set of code points, as ascending ranges that don't touch.
struct ScalarSet: Sendable, Hashable {
  static let last: UInt32 = 0x10FFFF

  /// First and last, both in it.
  private(set) var ranges: [ClosedRange<UInt32>]

  init() { ranges = [] }

  /// Of ranges in any order, which may overlap.
  init(_ ranges: some Sequence<ClosedRange<UInt32>>) {
    self.ranges = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let end = self.ranges.last?.upperBound, range.lowerBound <= end &+ 1 {
        let start = self.ranges.removeLast().lowerBound
        self.ranges.append(start...max(end, range.upperBound))
      } else {
        self.ranges.append(range)
      }
    }
  }

  init(_ scalars: some Sequence<UInt32>) {
    self.init(scalars.map { $0...$0 })
  }

  static let all = ScalarSet([0...last])

  var isEmpty: Bool { ranges.isEmpty }

  var isASCII: Bool { (ranges.last?.upperBound ?? 0) < 0x80 }

  /// The only code point in it; nil when there are none or more.
  var single: UInt32? {
    guard ranges.count == 1, ranges[0].lowerBound == ranges[0].upperBound else { return nil }
    return ranges[0].lowerBound
  }

  func contains(_ scalar: UInt32) -> Bool {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < scalar { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].lowerBound <= scalar
  }

  var complement: ScalarSet {
    var result = ScalarSet()
    var start: UInt32 = 0
    for range in ranges {
      if start < range.lowerBound { result.ranges.append(start...range.lowerBound - 1) }
      start = range.upperBound + 1
    }
    if start <= Self.last { result.ranges.append(start...Self.last) }
    return result
  }

  func union(_ other: ScalarSet) -> ScalarSet {
    if other.isEmpty { return self }
    return isEmpty ? other : ScalarSet(ranges + other.ranges)
  }

  func union(_ scalars: some Sequence<UInt32>) -> ScalarSet { union(ScalarSet(scalars)) }

  func intersection(_ other: ScalarSet) -> ScalarSet {
    var result = ScalarSet()
    var index = 0
    for range in ranges {
      while index < other.ranges.count, other.ranges[index].upperBound < range.lowerBound { index += 1 }
      var next = index
      while next < other.ranges.count, other.ranges[next].lowerBound <= range.upperBound {
        let common = other.ranges[next]
        result.ranges.append(
          max(range.lowerBound, common.lowerBound)...min(range.upperBound, common.upperBound))
        next += 1
      }
    }
    return result
  }

  func subtracting(_ other: ScalarSet) -> ScalarSet { intersection(other.complement) }
}
