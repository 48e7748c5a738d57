import Glibc

/// A line on a terminal that is drawn anew as the work goes on.
struct ProgressBar {
  private let output: Output
  private let title: String
  private var drawn: timespec?
  private let start: timespec

  init(_ title: String, on output: Output) {
    self.output = output
    self.title = title
    start = Self.now()
  }

  /// Draws, at most ten times a second.
  ///
  /// - Parameter total: How much there is to do; nil when that isn't known.
  mutating func show(_ done: Int, of total: Int?) {
    let now = Self.now()
    if let drawn, Self.seconds(from: drawn, to: now) < 0.1, done != total { return }
    drawn = now
    let seconds = Self.seconds(from: start, to: now)
    let rate = seconds > 0.2 ? "  \(Int(Double(done) / seconds))/s" : ""
    var text = "\(title)  \(done)" + rate
    if let total, total > 0 {
      let columns = max(10, min(40, (output.columns ?? 80) - 45))
      let filled = min(columns, done * columns / total)
      let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: columns - filled)
      text = "\(title) \(bar) \(done * 100 / total)%  \(done)/\(total)" + rate
    }
    let fitted = DisplayText.fitted(text, to: max(10, (output.columns ?? 80) - 1))
    try? output.write("\r\u{1B}[K" + fitted)
    try? output.flush()
  }

  /// Takes the line away.
  mutating func clear() {
    guard drawn != nil else { return }
    drawn = nil
    try? output.write("\r\u{1B}[K")
    try? output.flush()
  }

  private static func now() -> timespec {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time
  }

  private static func seconds(from first: timespec, to second: timespec) -> Double {
    Double(second.tv_sec - first.tv_sec) + Double(second.tv_nsec - first.tv_nsec) / 1e9
  }
}
