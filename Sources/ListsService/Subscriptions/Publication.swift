internal import RecordStore
internal import Records

/// The telling of one commit to those whom it concerns.
final class Publication {
  private let changeSet: ChangeSet
  /// Where the store was before the commit.
  private let before: Position
  private let reader: Reader
  private let turn = Turn()
  /// Made once, for however many there are to be told.
  private lazy var tokens = (after: changeSet.changeToken.text, before: before.token.text)
  private(set) lazy var followed = FollowedChanges(changeSet, in: reader)

  init(_ changeSet: ChangeSet, after before: Position, reader: Reader) {
    self.changeSet = changeSet
    self.before = before
    self.reader = reader
  }

  /// Evaluates the filter once, and makes what it says into JSON once, or twice where it also concerns the one
  /// who made the commit.
  func tell(_ shape: SubscriptionShape) {
    let members = shape.members.filter { isToHear($0) }
    guard !members.isEmpty else { return }
    if turn.isOver { return members.forEach(putOff) }
    let matched: [MatchedChange]
    do throws(RecordError) {
      matched = try shape.matches(in: changeSet, turn: turn) { () throws(RecordError) in followed }
    } catch {
      // What is at fault but the filter shows when they are fed.
      if followed.failure != nil { return members.forEach(putOff) }
      for member in members { member.session.service.end(member, .failed(error)) }
      return
    }
    let zones = shape.deletedZones(in: changeSet)
    if matched.isEmpty, zones.isEmpty { return }
    var told = ToldChanges(shape, matched, zones)
    var isOver = turn.isOver
    for (index, subscription) in members.enumerated() {
      // Costly filters and many members don't hold up what else there is to do. Pushes are cheap, so that the
      // clock is not looked at for each.
      if !isOver, index > 0, index % 16 == 0 || subscription.result != nil { isOver = turn.isOver }
      if isOver { putOff(subscription) } else { tell(subscription, &told) }
    }
  }

  private func isToHear(_ subscription: Subscription) -> Bool {
    guard case .live(let start) = subscription.state else { return false }
    return changeSet.sequence > start
  }

  private func tell(_ subscription: Subscription, _ told: inout ToldChanges) {
    let session = subscription.session
    if let refusal = session.refusalOfPushes(from: subscription.database) {
      return session.service.end(subscription, .failed(refusal))
    }
    guard session.hasRoom else {
      subscription.state = .behind(before.token)
      return session.resumeWhenDrained(subscription)
    }
    do throws(RecordError) {
      let marks = Subscription.Marks(deletedZones: told.deletedZones)
      if subscription.result != nil {
        try session.service.advance(
          subscription, by: told.matched, isWhole: true, to: changeSet.changeToken, followed: followed)
        if case .readingResult = subscription.state { session.service.feedInNextTurn(subscription) }
      } else {
        let isOwn = changeSet.origin?.connection == session.caller.connection
        let view: ToldChanges.View =
          if isOwn { subscription.definition.suppressesOwn ? .ownBesides : .own } else { .others }
        subscription.push(
          try told.parts(view) { () throws(RecordError) in followed },
          token: tokens.after, partial: tokens.before, marks)
      }
    } catch  where followed.failure != nil {
      return putOff(subscription)
    } catch {
      return session.service.end(subscription, .failed(error))
    }
    session.service.endIfFired(subscription)
  }

  /// It is fed from the log when there is time.
  private func putOff(_ subscription: Subscription) {
    subscription.state = .behind(before.token)
    subscription.session.service.feedInNextTurn(subscription)
  }
}

/// What a commit means to a shape's subscriptions, made into JSON when it is first needed.
private struct ToldChanges {
  let shape: SubscriptionShape
  let matched: [MatchedChange]
  let deletedZones: [String]
  private var made: [View: Result<[PushPart], RecordError>] = [:]

  /// How a connection sees the commit.
  enum View {
    /// As its own.
    case own
    /// As its own, of which it wants to hear only what became of records that it did not write itself.
    case ownBesides
    case others
  }

  init(_ shape: SubscriptionShape, _ matched: [MatchedChange], _ deletedZones: [String]) {
    self.shape = shape
    self.matched = matched
    self.deletedZones = deletedZones
  }

  mutating func parts(
    _ view: View, followed: () throws(RecordError) -> FollowedChanges
  ) throws(RecordError) -> [PushPart] {
    if let parts = made[view] { return try parts.get() }
    let told = view == .ownBesides ? matched.filter { !$0.change.wasAskedFor } : matched
    let parts = Result { () throws(RecordError) in
      try shape.parts(of: told, isOwn: { _ in view != .others }, followed: followed)
    }
    made[view] = parts
    return try parts.get()
  }
}

extension RecordChange {
  /// Whether who made the commit knows of the change: not where the record stayed the same and refers to one that
  /// changed, nor where the change came of another record's deletion.
  fileprivate var wasAskedFor: Bool { before != after && cause == nil }
}
