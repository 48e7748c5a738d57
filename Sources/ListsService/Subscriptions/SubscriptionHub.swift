internal import RecordStore
internal import Records

/// A place in a store's changes.
struct Position {
  var sequence: Int64
  var token: ChangeToken
}

/// The subscriptions of one store, found by what they can match, so that a commit looks at those alone that
/// it may concern.
final class SubscriptionHub {
  /// Of the newest commit that was published.
  private var position: Position
  private(set) var shapes: [[UInt8]: SubscriptionShape] = [:]
  private var index = FilterIndex<SubscriptionShape>()
  /// Those that look into other records, so that a change of any record may concern them, by the number of
  /// references that they go through.
  private var shapesThatFollow: [Int: Set<SubscriptionShape>] = [:]
  private var progress: ProgressRounds
  private let clock: @Sendable () -> Int64

  /// `clock`: milliseconds since 1970 (UTC).
  init(position: Position, clock: @escaping @Sendable () -> Int64) {
    self.position = position
    self.clock = clock
    progress = ProgressRounds(sequence: position.sequence, clock: clock)
  }

  /// The shape that other subscriptions have already which ask for the same, or else a new one.
  func shape(for definition: SubscriptionDefinition) -> SubscriptionShape {
    shapes[definition.shapeKey] ?? SubscriptionShape(definition)
  }

  func add(_ subscription: Subscription) {
    let shape = subscription.shape
    shape.members.append(subscription)
    guard shapes[shape.key] == nil else { return }
    shapes[shape.key] = shape
    index.insert(shape, recordType: shape.recordType, zoneName: shape.zoneName, predicate: shape.predicate)
    if let hops = shape.following?.hops { shapesThatFollow[hops, default: []].insert(shape) }
  }

  /// What comes next follows on this position, whatever came before.
  func startOver(at position: Position) {
    self.position = position
    progress = ProgressRounds(sequence: position.sequence, clock: clock)
  }

  /// All of them.
  var subscriptions: [Subscription] { shapes.values.flatMap(\.members) }

  func remove(_ subscription: Subscription) {
    subscription.state = .ended
    let shape = subscription.shape
    shape.members.removeAll { $0 === subscription }
    guard shape.members.isEmpty, shapes.removeValue(forKey: shape.key) != nil else { return }
    index.remove(shape)
    guard let hops = shape.following?.hops else { return }
    shapesThatFollow[hops]?.remove(shape)
    if shapesThatFollow[hops]?.isEmpty == true { shapesThatFollow[hops] = nil }
  }

  /// Pushes what one commit means to each subscription. Commits come in order, each once. `reader` has a
  /// snapshot that has the commit.
  func publish(_ changeSet: ChangeSet, reader: Reader) {
    let before = position
    position = Position(sequence: changeSet.sequence, token: changeSet.changeToken)
    guard !shapes.isEmpty else { return }
    let publication = Publication(changeSet, after: before, reader: reader)
    for shape in candidates(for: changeSet, publication.followed) { publication.tell(shape) }
    if progress.isDue(at: changeSet.sequence) { tellPosition() }
  }

  /// Has those hear how far they know all that heard of nothing for a while.
  private func tellPosition() {
    for shape in shapes.values {
      for subscription in shape.members {
        if subscription.isQuiet, case .live(let start) = subscription.state, start < position.sequence,
          subscription.session.hasRoom,
          subscription.session.refusalOfPushes(from: subscription.database) == nil
        {
          subscription.pushPosition(position.token.text)
        }
        subscription.isQuiet = true
      }
    }
  }

  /// Those that the commit may concern, each once.
  private func candidates(for changeSet: ChangeSet, _ followed: FollowedChanges) -> [SubscriptionShape] {
    var candidates = index.candidates(for: changeSet.changes)
    if shapesThatFollow.isEmpty, changeSet.deletedZones.isEmpty { return candidates }
    var known = Set(candidates)
    let others = candidatesThatFollow(followed)
    candidates += others.filter { known.insert($0).inserted }
    if !changeSet.deletedZones.isEmpty {
      // A zone may go of which no record tells.
      candidates += shapes.values.filter {
        !$0.deletedZones(in: changeSet).isEmpty && known.insert($0).inserted
      }
    }
    return candidates
  }

  /// Those that the commit may concern because of what refers to what it changed.
  private func candidatesThatFollow(_ followed: FollowedChanges) -> [SubscriptionShape] {
    let concerned = shapesThatFollow.values.joined()
      .filter { $0.following?.isConcerned(by: followed.fields) == true }
    guard let hops = concerned.compactMap({ $0.following?.hops }).max() else { return [] }
    do throws(RecordError) {
      let referrers = try followed.referrers(hops: hops, recordType: nil)
      return referrers.isEmpty ? [] : index.candidates(for: referrers).filter { $0.following != nil }
    } catch {
      return concerned
    }
  }
}

/// When those hear of the position that heard of nothing else: after so many commits, or with the first one
/// after so long.
struct ProgressRounds {
  static let commits: Int64 = 1000
  static let milliseconds: Int64 = 60_000

  private var sequence: Int64
  private var moment: Int64
  private let clock: @Sendable () -> Int64

  init(sequence: Int64, clock: @escaping @Sendable () -> Int64) {
    self.sequence = sequence
    self.clock = clock
    moment = clock()
  }

  /// Whether a round is due with this commit; then the next is counted from here.
  mutating func isDue(at sequence: Int64) -> Bool {
    let now = clock()
    // A clock that was put back begins anew.
    if now < moment { moment = now }
    guard sequence - self.sequence >= Self.commits || now - moment >= Self.milliseconds else { return false }
    self.sequence = sequence
    moment = now
    return true
  }
}
