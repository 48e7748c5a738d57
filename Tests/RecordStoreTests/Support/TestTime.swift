import Synchronization

/// A clock that goes when it is told to.
final class TestTime: Sendable {
  private let now = Atomic<Int64>(1_796_000_000_000)

  var clock: @Sendable () -> Int64 { { self.now.load(ordering: .relaxed) } }

  func advance(_ milliseconds: Int64) { now.add(milliseconds, ordering: .relaxed) }
}
