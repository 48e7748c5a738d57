internal import Synchronization

/// Counts how often a store's file was opened anew, so that readers know that their connection is of the past.
final class Generation: Sendable {
  private let count = Atomic<Int>(0)

  var value: Int { count.load(ordering: .acquiring) }

  func advance() { count.add(1, ordering: .acquiringAndReleasing) }
}
