internal import Glibc

/// What may be done for subscriptions before requests have their turn again. Of one thread.
struct Turn {
  /// Nanoseconds of the thread's own time: what other processes take does not count.
  private let end: UInt64

  private static let length: UInt64 = 20_000_000

  /// Begins now.
  init() { end = Self.now + Self.length }

  /// Whether what there is still to do should wait for the next one.
  var isOver: Bool { Self.now > end }

  private static var now: UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }
}
