internal import RecordStore

/// Which connection has which saved subscription of a database attached: one at most.
struct AttachedSubscriptions {
  private struct Key: Hashable {
    let userID: UInt32
    /// By its bytes, as names are told apart.
    let id: [UInt8]
  }

  private struct Attachment {
    weak var subscription: Subscription?
  }

  private static let leastToSweep = 256

  private var attachments: [Key: Attachment] = [:]
  private var sweepingAt = leastToSweep

  /// Nil when no connection has it attached.
  func subscription(_ id: String, ofUser userID: UInt32) -> Subscription? {
    guard let attached = attachments[Key(userID: userID, id: Array(id.utf8))]?.subscription else {
      return nil
    }
    if case .ended = attached.state { return nil }
    return attached
  }

  /// Notes that the subscription's connection has it attached, and no other.
  mutating func put(_ subscription: Subscription) {
    let key = Key(userID: subscription.session.caller.userID, id: Array(subscription.id.utf8))
    // What is over is forgotten now and then.
    if attachments.count >= sweepingAt {
      attachments = attachments.filter { $0.value.subscription != nil }
      sweepingAt = max(Self.leastToSweep, attachments.count * 2)
    }
    attachments[key] = Attachment(subscription: subscription)
  }
}
