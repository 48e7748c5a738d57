import Files
import Synchronization

/// Where a descriptor goes that comes with a reply.
final class PassedDescriptor: Sendable {
  private let descriptor = Mutex<OwnedDescriptor?>(nil)

  func put(_ passed: OwnedDescriptor) { descriptor.withLock { $0 = passed } }

  /// Nil when none came.
  func take() -> OwnedDescriptor? {
    descriptor.withLock { descriptor in
      defer { descriptor = nil }
      return descriptor
    }
  }
}
