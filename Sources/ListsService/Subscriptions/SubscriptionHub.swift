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
  private var shapes: [[UInt8]: SubscriptionShape] = [:]
  private var shapesByType: [String: [SubscriptionShape]] = [:]
  private var shapesOfEveryType: [SubscriptionShape] = []

  init(position: Position) {
    self.position = position
  }

  /// The shape that other subscriptions have already which ask for the same, or else this one.
  func shape(like shape: SubscriptionShape) -> SubscriptionShape { shapes[shape.key] ?? shape }

  func add(_ subscription: Subscription) {
    let shape = subscription.shape
    shape.members.append(subscription)
    guard shapes[shape.key] == nil else { return }
    shapes[shape.key] = shape
    if let recordType = shape.recordType {
      shapesByType[recordType, default: []].append(shape)
    } else {
      shapesOfEveryType.append(shape)
    }
  }

  func remove(_ subscription: Subscription) {
    subscription.state = .ended
    let shape = subscription.shape
    shape.members.removeAll { $0 === subscription }
    guard shape.members.isEmpty, shapes.removeValue(forKey: shape.key) != nil else { return }
    if let recordType = shape.recordType {
      shapesByType[recordType]?.removeAll { $0 === shape }
      if shapesByType[recordType]?.isEmpty == true { shapesByType[recordType] = nil }
    } else {
      shapesOfEveryType.removeAll { $0 === shape }
    }
  }

  /// Pushes what one commit means to each subscription. Commits come in order, each once. `resolver` is asked for
  /// what finds the records that references lead to, by filters that follow them.
  func publish(_ changeSet: ChangeSet, resolver: () -> (any RecordResolver)?) {
    let before = position
    position = Position(sequence: changeSet.sequence, token: changeSet.changeToken)
    guard let origin = changeSet.changes.first?.origin, !shapes.isEmpty else { return }
    let token = changeSet.changeToken.text
    let turn = Turn()
    for shape in candidates(for: changeSet) {
      var own: [[UInt8]]?
      var others: [[UInt8]]?
      for subscription in shape.members {
        guard case .live(let start) = subscription.state, changeSet.sequence > start else { continue }
        if turn.isOver {
          // Costly filters don't hold up what else there is to do.
          subscription.state = .behind(before.token)
          subscription.session.service.feedInNextTurn(subscription)
          continue
        }
        let isOwn = subscription.session.caller.connection == origin.connection
        let parts: [[UInt8]]
        do throws(RecordError) {
          if let known = isOwn ? own : others {
            parts = known
          } else {
            parts = try shape.changes(in: changeSet, areOwn: isOwn, resolver: resolver)
          }
        } catch {
          for member in shape.members { member.session.service.end(member, error) }
          break
        }
        if isOwn { own = parts } else { others = parts }
        if parts.isEmpty { break }
        if let refusal = subscription.session.refusalOfPushes(from: subscription.database) {
          subscription.session.service.end(subscription, refusal)
          continue
        }
        if subscription.session.hasRoom {
          subscription.push(parts, token: token)
        } else {
          subscription.state = .behind(before.token)
          subscription.session.resumeWhenDrained(subscription)
        }
      }
    }
  }

  private func candidates(for changeSet: ChangeSet) -> [SubscriptionShape] {
    var types: [String] = []
    for change in changeSet.changes where !types.contains(change.recordType) {
      types.append(change.recordType)
    }
    return types.reduce(into: shapesOfEveryType) { candidates, type in
      candidates += shapesByType[type] ?? []
    }
  }
}
