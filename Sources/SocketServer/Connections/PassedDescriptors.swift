import Files

/// Which message each descriptor belongs to that comes with a connection's bytes: the last one that began in
/// what was read with it. The kernel gives out a descriptor with the bytes that it was sent with and ends the
/// read behind them, so that this is its message as long as it was sent with that message's bytes only.
///
/// A message gets the first of those that came with it; the others are closed.
struct PassedDescriptors {
  /// Came with a message that is not whole yet.
  private var ofUnfinished: OwnedDescriptor?
  /// Came with the last bytes that were read.
  private var latest: OwnedDescriptor?
  /// Something was taken out since that came.
  private var isFollowed = false

  mutating func append(_ descriptor: OwnedDescriptor) {
    latest = descriptor
    isFollowed = false
  }

  /// That of the next message. `isLast`: nothing that was read follows it.
  mutating func next(isLast: @autoclosure () -> Bool) -> OwnedDescriptor? {
    if ofUnfinished == nil, latest == nil { return nil }
    isFollowed = true
    let first = ofUnfinished
    ofUnfinished = nil
    guard latest != nil, isLast() else { return first }
    defer { latest = nil }
    return first ?? latest
  }

  /// Every whole message was taken. `isUnfinished`: the beginning of another is there. `isAtRest`: neither that nor
  /// the rest of one that was refused.
  mutating func messagesDidEnd(isUnfinished: @autoclosure () -> Bool, isAtRest: @autoclosure () -> Bool) {
    guard let latest else { return }
    self.latest = nil
    // With neither a message nor the beginning of one it came with the white space before one.
    if ofUnfinished == nil, isUnfinished() || (!isFollowed && isAtRest()) { ofUnfinished = latest }
  }

  mutating func removeAll() {
    ofUnfinished = nil
    latest = nil
  }
}
