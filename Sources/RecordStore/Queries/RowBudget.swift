internal import Glibc

/// How much a read may look at, and for how long, before it is given up.
struct RowBudget {
  private var rows: Int
  /// Nanoseconds of `clock`.
  private let deadline: UInt64
  private let clock: () -> UInt64
  private let costlyRow: Int
  private let isStopped: () -> Bool
  /// What was looked at since the clock was.
  private var bytes = 0

  /// Entries of an index that are counted in the time that it takes to look at a record.
  private static let entriesOfARow = 20
  /// What a record costs beside its bytes, in bytes.
  private static let bytesOfARow = 256
  /// Between two looks at the clock: some ten microseconds with a usual predicate.
  private static let bytesOfALook = 16 << 10

  /// - Parameters:
  ///   - nanoseconds: from now on. A record that is being looked at then is finished.
  ///   - clock: nanoseconds of a clock that never goes back.
  ///   - costlyRow: bytes of a record, times comparisons, from which on it is not looked at at all.
  init(
    rows: Int, nanoseconds: UInt64 = .max, costlyRow: Int = .max,
    clock: @escaping () -> UInt64 = RowBudget.monotonicClock,
    isStopped: @escaping () -> Bool = { false }
  ) {
    self.rows = rows
    self.costlyRow = costlyRow
    let (deadline, overflows) = clock().addingReportingOverflow(nanoseconds)
    self.deadline = overflows ? .max : deadline
    self.clock = clock
    self.isStopped = isStopped
  }

  /// Whether the time is over. To be asked while a costly record is looked at.
  var isOverdue: Bool { isStopped() || clock() > deadline }

  /// Whether there is none left.
  var isSpent: Bool { rows < 0 }

  /// Takes a row of so many bytes that is put to so many comparisons; false when there is none left, or no time.
  mutating func spend(bytes size: Int, comparisons: Int = 1) -> Bool {
    rows -= 1
    if size.multipliedReportingOverflow(by: comparisons).partialValue >= costlyRow { rows = -1 }
    bytes += size + Self.bytesOfARow
    if bytes > Self.bytesOfALook { look() }
    return rows >= 0
  }

  /// Entries that can still be counted, at least one.
  var entries: Int {
    let (entries, overflows) = max(rows, 0).multipliedReportingOverflow(by: Self.entriesOfARow)
    return overflows ? .max : entries + 1
  }

  /// Takes as many rows as counting so many entries is like; false when there were not so many.
  mutating func spend(entries: Int) -> Bool {
    if entries > 0 { rows -= entries / Self.entriesOfARow + 1 }
    look()
    return rows >= 0
  }

  private mutating func look() {
    bytes = 0
    if isStopped() || clock() > deadline { rows = -1 }
  }

  static let monotonicClock: @Sendable () -> UInt64 = {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }
}
