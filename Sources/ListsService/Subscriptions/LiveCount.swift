internal import RecordStore
internal import Records

/// How many records match, kept up for a subscriber.
///
/// The changes that it is moved on by are told from the very position of the count, each once: what a replay
/// tells in several pages leads, all pages together, from the one position to the other. So it only adds and
/// subtracts; between two pages the number is none that ever was, and is not told.
final class LiveCount: LiveResult {
  let read: ReadRequest
  private var count = 0
  /// What the subscriber was told last; nil before the first read.
  private var told: Int?

  init(_ definition: SubscriptionDefinition) {
    read = .count(definition.allRecords)
  }

  func adopt(_ result: ReadResult, _ resolver: any RecordSnapshot) throws(RecordError) -> LiveStep {
    guard case .count(let found) = result else { throw .unexpectedAnswer }
    count = found.count
    return step()
  }

  func clear(_ resolver: any RecordSnapshot) -> LiveStep {
    count = 0
    return step()
  }

  func advance(
    by matched: [MatchedChange], isWhole: Bool, _ resolver: any RecordSnapshot,
    check: () throws(RecordError) -> Void
  ) throws(RecordError) -> LiveStep? {
    for match in matched {
      switch match.reason {
      case .created, .entered: count += 1
      case .left, .deleted: count -= 1
      case .updated: break
      }
    }
    return isWhole ? step() : LiveStep()
  }

  private func step() -> LiveStep {
    defer { told = count }
    return LiveStep(count: count == told ? nil : count)
  }
}

extension SubscriptionDefinition {
  /// All the records that it is about.
  var allRecords: Query {
    Query(
      recordType: recordType, zoneName: zoneName, predicate: predicate ?? .everything, moment: moment)
  }
}
