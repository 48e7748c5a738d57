/// What may be done for subscriptions before requests have their turn again.
struct Turn {
  private let end: ContinuousClock.Instant

  /// Begins now.
  init() { end = .now + .milliseconds(20) }

  /// Whether what there is still to do should wait for the next one.
  var isOver: Bool { .now > end }
}
