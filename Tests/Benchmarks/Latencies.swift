/// Times of single round trips, in nanoseconds, and what a reader wants to know of them.
struct Latencies {
  private var nanoseconds: [UInt64] = []

  var count: Int { nanoseconds.count }

  mutating func add(_ duration: UInt64) { nanoseconds.append(duration) }

  /// The value below which `share` (0...1) of the times lie, in microseconds; 0 when there are none.
  func percentile(_ share: Double) -> Double {
    guard !nanoseconds.isEmpty else { return 0 }
    let sorted = nanoseconds.sorted()
    let index = min(sorted.count - 1, Int(Double(sorted.count) * share))
    return Double(sorted[index]) / 1000
  }
}
