internal import Glibc

/// What may be done for subscriptions before requests have their turn again. Of one thread.
struct Turn {
  private let length: UInt64
  private let start: UInt64
  /// Nanoseconds of the thread's own time: what other processes take does not count.
  private let ownStart: UInt64

  /// Begins now.
  init(milliseconds: UInt64 = 20) {
    self.init(length: milliseconds * 1_000_000, start: Self.now, ownStart: Self.ownNow)
  }

  private init(length: UInt64, start: UInt64, ownStart: UInt64) {
    self.length = length
    self.start = start
    self.ownStart = ownStart
  }

  /// Another that began with this one.
  func lasting(milliseconds: UInt64) -> Turn {
    Turn(length: milliseconds * 1_000_000, start: start, ownStart: ownStart)
  }

  /// Whether what there is still to do should wait for the next one.
  var isOver: Bool {
    // A thread has no more time of its own than has passed, and that is asked for without a system call.
    Self.now - start > length && Self.ownNow - ownStart > length
  }

  private static var now: UInt64 { time(of: CLOCK_MONOTONIC) }
  private static var ownNow: UInt64 { time(of: CLOCK_THREAD_CPUTIME_ID) }

  private static func time(of clock: clockid_t) -> UInt64 {
    var now = timespec()
    clock_gettime(clock, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }
}
