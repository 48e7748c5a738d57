/// A position in a store's changes, as opaque text.
///
/// It names the store, the run in which the position was reached and the position itself, so that a token
/// of another store, or of the future of a restored copy, is told from a good one. Within a replay it also
/// holds the two ends of the replay, so that any page can be gone on from later.
public struct ChangeToken: Sendable, Hashable {
  /// The store's random identity.
  let store: UInt64
  /// The random number of the run that made the newest commit that the token speaks of.
  let epoch: UInt32
  /// Everything up to this commit is known to the token's holder.
  let sequence: Int64
  /// Set within a replay: records whose last change up to `end` lies after `sequence` are still known only as
  /// they were at `start`.
  let replay: Replay?

  struct Replay: Hashable {
    var start: Int64
    var end: Int64
  }

  init(store: UInt64, epoch: UInt32, sequence: Int64, replay: Replay? = nil) {
    self.store = store
    self.epoch = epoch
    self.sequence = sequence
    self.replay = replay
  }

  /// Nil when the text can't be a token of any store.
  public init?(text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3 || parts.count == 5,
      let store = UInt64(parts[0], radix: 36), let epoch = UInt32(parts[1], radix: 36)
    else { return nil }
    var numbers: [Int64] = []
    for part in parts[2...] {
      guard let number = Int64(part, radix: 36), number >= 0 else { return nil }
      numbers.append(number)
    }
    if numbers.count == 3 {
      guard numbers[1] <= numbers[0], numbers[0] <= numbers[2] else { return nil }
      self.init(
        store: store, epoch: epoch, sequence: numbers[0],
        replay: Replay(start: numbers[1], end: numbers[2]))
    } else {
      self.init(store: store, epoch: epoch, sequence: numbers[0])
    }
    guard self.text == text else { return nil }
  }

  public var text: String {
    var text = String(store, radix: 36) + "-" + String(epoch, radix: 36) + "-" + String(sequence, radix: 36)
    if let replay {
      text += "-" + String(replay.start, radix: 36) + "-" + String(replay.end, radix: 36)
    }
    return text
  }

  /// The newest position that the token speaks of.
  var newest: Int64 { replay?.end ?? sequence }
  /// The oldest position whose state is needed to go on.
  var oldest: Int64 { replay?.start ?? sequence }
}

extension ChangeToken {
  /// The number of the last commit that its holder knows all of; 0 before the first.
  public var commit: Int64 { sequence }

  /// The token from which a replay goes on up to the position of another, and no farther, in the same store.
  public func replaying(upTo end: ChangeToken) -> ChangeToken {
    if let replay, replay.end == end.sequence { return self }
    return ChangeToken(
      store: store, epoch: end.epoch, sequence: oldest, replay: Replay(start: oldest, end: end.sequence))
  }
}
