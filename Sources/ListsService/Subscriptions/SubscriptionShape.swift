internal import JSONRPC
internal import RecordStore
internal import Records

/// What subscriptions that ask for the same have in common: their filter is evaluated once for a change, and
/// the change is made into JSON once.
final class SubscriptionShape {
  /// Tells shapes apart: all that decides what is told and how. The moment of `now()` is in it as a date, so
  /// filters of different moments are different.
  let key: [UInt8]
  /// Nil for records of every type.
  let recordType: String?
  /// Nil for every zone.
  let zoneName: String?
  /// Nil for every record.
  let predicate: Predicate?
  private let reasons: Set<ChangeReason>
  private let watchKeys: [FieldPath]?
  let include: [FieldPath]
  let writer: ChangeWriter
  /// Nil when it doesn't look into other records.
  let following: FollowedPaths?
  var members: [Subscription] = []
  /// What was done so far for all the members together.
  private(set) var work = Work()

  struct Work {
    /// Changes that the filter was put to.
    var looks = 0
    /// Changes made into JSON.
    var texts = 0
  }

  /// What a filter may take for the changes of a commit, or of a page of a replay.
  var maximumMilliseconds: UInt64 = 2000

  init(_ definition: SubscriptionDefinition) {
    recordType = definition.recordType
    zoneName = definition.zoneName
    predicate = definition.predicate
    reasons = definition.reasons
    watchKeys = definition.watchKeys
    include = definition.include
    writer = ChangeWriter(
      desiredKeys: definition.desiredKeys.map(DesiredKeys.init),
      includesPrevious: definition.includesPrevious)
    following = FollowedPaths(definition)
    key = definition.shapeKey
  }

  /// Whether it is to a zone or a database as a whole: then it is told of deleted zones too.
  var isOfZones: Bool { recordType == nil && predicate == nil }

  // MARK: What concerns it

  /// What concerns these subscriptions, in the order of the changes; then of the records that refer to what
  /// changed. `followed` is asked only by filters that follow references.
  ///
  /// Throws `limitExceeded` when that takes longer than a filter may; nothing is known of the changes then.
  /// The time that a filter may take is counted from the start of `turn`, if that is given.
  ///
  /// `passed` asks for what a replay passes over, for one who may hold more than it was told: what matched only
  /// between the replay's ends is told as `left` or `deleted` then.
  func matches(
    in changeSet: ChangeSet, turn: Turn? = nil,
    passed: ((RecordChange, (StoredRecord) -> Bool) throws(RecordError) -> Bool)? = nil,
    followed: () throws(RecordError) -> FollowedChanges
  ) throws(RecordError) -> [MatchedChange] {
    let limit =
      turn?.lasting(milliseconds: maximumMilliseconds) ?? Turn(milliseconds: maximumMilliseconds)
    if let following {
      return try matches(in: changeSet, following, try followed(), isResumed: passed != nil, limit)
    }
    var matched: [MatchedChange] = []
    for change in changeSet.changes {
      if let match = match(change, nil, nil, limit) {
        matched.append(match)
      } else if let passed, change.passesOver, let match = goneMatch(change),
        !matches(change.before, nil, limit), !matches(change.after, nil, limit),
        try passed(change, { isOfType($0) && matches($0, nil, limit) })
      {
        matched.append(match)
      }
      if limit.isOver { throw tooCostly }
    }
    return matched
  }

  private func matches(
    in changeSet: ChangeSet, _ following: FollowedPaths, _ followed: FollowedChanges, isResumed: Bool,
    _ limit: Turn
  ) throws(RecordError) -> [MatchedChange] {
    let (former, current) = (try followed.before(), try followed.after())
    let referrers =
      following.isConcerned(by: followed.fields)
      ? try followed.referrers(hops: following.hops, recordType: recordType) : []
    // What was seen of other records meanwhile is not looked for: it is told to be on the safe side.
    let mayHoldMore = isResumed && followed.passesOver
    var matched: [MatchedChange] = []
    for change in changeSet.changes + referrers {
      if var match = match(change, former, current, limit) {
        if let before = change.before, let after = change.after {
          match = completed(match, following, from: before, former, to: after, current)
        }
        // One that refers to what changed, and sees no difference there.
        if match.reason == .updated, match.changedKeys.isEmpty, change.before == change.after { continue }
        if isTold(match) { matched.append(match) }
      } else if mayHoldMore, let match = goneMatch(change), !matches(change.after, current, limit) {
        matched.append(match)
      }
      if limit.isOver { throw tooCostly }
    }
    try followed.check()
    return matched
  }

  /// With what differs in the records that it looks into.
  private func completed(
    _ match: MatchedChange, _ following: FollowedPaths, from before: StoredRecord,
    _ former: any RecordResolver, to after: StoredRecord, _ current: any RecordResolver
  ) -> MatchedChange {
    let paths = following.changedPaths(
      from: before, former, to: after, current, known: match.changedKeys)
    if paths.isEmpty { return match }
    var match = MatchedChange(
      change: match.change, reason: match.reason,
      changedKeys: match.changedKeys + paths.map(\.description))
    if writer.includesPrevious {
      for path in paths { match.previousValues[path.description] = before.value(at: path, resolver: former) }
    }
    return match
  }

  /// That the record does not match any more, where that is to be told.
  private func goneMatch(_ change: RecordChange) -> MatchedChange? {
    let reason: ChangeReason = change.after == nil ? .deleted : .left
    if let zoneName, !change.zoneName.hasSameUTF8(as: zoneName) { return nil }
    // One that is there before and after was of its type all the time.
    let mayHaveBeenOther = following == nil && (change.before == nil || change.after == nil)
    guard reasons.contains(reason), mayHaveBeenOther || isOfType(change.after ?? change.before) else {
      return nil
    }
    return MatchedChange(change: change, reason: reason, changedKeys: [])
  }

  private func isOfType(_ record: StoredRecord?) -> Bool {
    guard let recordType, let record else { return true }
    return record.recordType.hasSameUTF8(as: recordType)
  }

  /// What the change means here; nil when it does not concern these subscriptions.
  private func match(
    _ change: RecordChange, _ before: (any RecordResolver)?, _ after: (any RecordResolver)?, _ limit: Turn
  ) -> MatchedChange? {
    if let recordType, change.recordType != recordType { return nil }
    if let zoneName, change.zoneName != zoneName { return nil }
    work.looks += 1
    let reason = ChangeReason(
      existed: change.before != nil, matched: matches(change.before, before, limit),
      exists: change.after != nil, matches: matches(change.after, after, limit))
    guard let reason, reasons.contains(reason) else { return nil }
    var changedKeys: [String] = []
    if let before = change.before, let after = change.after {
      changedKeys = after.changedKeys(since: before)
    }
    let match = MatchedChange(change: change, reason: reason, changedKeys: changedKeys)
    return following != nil || isTold(match) ? match : nil
  }

  private func matches(
    _ record: StoredRecord?, _ resolver: (any RecordResolver)?, _ limit: Turn
  ) -> Bool {
    guard let record else { return false }
    return predicate?.matches(record, resolver: resolver, isStopped: { limit.isOver }) ?? true
  }

  /// Whether it changed what is watched.
  private func isTold(_ match: MatchedChange) -> Bool {
    guard let watchKeys, match.reason == .updated else { return true }
    return match.changedKeys.contains { key in
      watchKeys.contains { $0.root.hasSameUTF8(as: key) || $0.description.hasSameUTF8(as: key) }
    }
  }

  private var tooCostly: RecordError {
    RecordError(
      .limitExceeded,
      "the filter took longer than \(maximumMilliseconds / 1000) seconds for the changes of one commit; "
        + "a simpler one takes less")
  }

  // MARK: How it is told

  /// Changes as the contents of one or more pushes; none when there are none. Throws `limitExceeded` when one
  /// brings too much along.
  func parts(
    of matched: [MatchedChange], isOwn: (RecordChange) -> Bool,
    followed: () throws(RecordError) -> FollowedChanges
  ) throws(RecordError) -> [PushPart] {
    var parts = PushParts()
    let limit = inclusionLimit
    work.texts += matched.count
    for match in matched {
      let included = try included(by: match.change.after, within: limit) { () throws(RecordError) in
        try followed().after()
      }
      parts.append(including: included) { output in
        writer.write(match, isOwn: isOwn(match.change), to: &output)
      }
    }
    return parts.finish()
  }

  /// What one change brings along; nil when that is not asked for. Throws `limitExceeded` when it is too much.
  private func included(
    by record: StoredRecord?, within limit: InclusionLimit,
    _ resolver: () throws(RecordError) -> any RecordResolver
  ) throws(RecordError) -> [IncludedRecord]? {
    if include.isEmpty { return nil }
    guard let record else { return [] }
    return try record.referencedRecords(at: include, try resolver(), within: limit)
  }

  /// The service's limits are the same for all members, and only members are told.
  private var inclusionLimit: InclusionLimit {
    InclusionLimit(members.first?.session.service.limits ?? ServiceLimits())
  }

  /// A page of the records that there are at the start of a subscription.
  func initialParts(_ records: [StoredRecord], _ included: [IncludedRecord]) -> [PushPart] {
    var parts = PushParts()
    for record in records {
      parts.append { output in writer.write(initial: record, to: &output) }
    }
    var pushed = parts.finish()
    if !include.isEmpty, !pushed.isEmpty {
      var list = IncludedRecords()
      for item in included { list.append(item) }
      pushed[0].included = list.list()
    }
    return pushed
  }

  /// What a result's change does to its rows. `resolver` finds what those refer to. Throws `limitExceeded` when
  /// a row brings too much along.
  func parts(
    of changes: [(match: MatchedChange, move: RowMove)], _ resolver: any RecordResolver,
    isOwn: (RecordChange) -> Bool
  ) throws(RecordError) -> [PushPart] {
    var parts = PushParts()
    let limit = inclusionLimit
    for (match, move) in changes {
      let included = try included(by: match.change.after, within: limit) { resolver }
      parts.append(including: included) { output in
        writer.write(match, move, isOwn: isOwn(match.change), to: &output)
      }
    }
    return parts.finish()
  }

  /// The zones of which these subscriptions are told that they were deleted.
  func deletedZones(in changeSet: ChangeSet) -> [String] {
    guard isOfZones, !changeSet.deletedZones.isEmpty else { return [] }
    guard let zoneName else { return changeSet.deletedZones }
    return changeSet.deletedZones.filter { $0.hasSameUTF8(as: zoneName) }
  }
}

/// The very same object.
extension SubscriptionShape: Hashable {
  static func == (left: SubscriptionShape, right: SubscriptionShape) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
