internal import Glibc

/// What may be done for subscriptions before requests have their turn again. Of one thread.
struct Turn {
  /// Nanoseconds of the thread's own time: what other processes take does not count.
  private let end: UInt64

  /// Begins now.
  init(milliseconds: UInt64 = 20) { end = Self.now + milliseconds * 1_000_000 }

  /// Whether what there is still to do should wait for the next one.
  var isOver: Bool { Self.now > end }

  private static var now: UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }
}
