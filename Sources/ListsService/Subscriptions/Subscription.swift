internal import JSONRPC
internal import RecordStore
internal import Records

/// A client's wish to hear of changes, and how far it was told.
final class Subscription {
  /// Where it stands. Every subscription starts behind or with its initial records, and is fed from there
  /// once its reply is out; so the reply comes first, and the start has no gap.
  enum State {
    /// Is sent the records that match, in pages.
    case sendingInitial(InitialRecords)
    /// A reader thread looks for the next page of the initial records.
    case awaitingInitial(InitialRecords)
    /// A reader thread reads its result.
    case awaitingResult
    /// Its result has to be read, or read anew.
    case readingResult
    /// Knows all up to the token, and has to read the log of changes from there.
    case behind(ChangeToken)
    /// Is told of each commit after this sequence as it comes.
    case live(after: Int64)
    case ended
  }

  let id: String
  let session: Session
  let database: Database
  let shape: SubscriptionShape
  let definition: SubscriptionDefinition
  /// What is kept up for the client; nil when it is told of changes as such.
  let result: (any LiveResult)?
  var state: State
  /// Whether the client was told that more is coming.
  private(set) var owesMore = false
  /// Whether its initial records, or some of them, were pushed.
  private(set) var hasBegun = false
  /// Whether a push told it of a change; initial records are none.
  private(set) var hasFired = false
  /// Whether the client may hold what it was told beyond the position that it goes on from, before it was cut off.
  var mayHoldMore = false
  /// The same, or what it is not told of because it made it itself.
  var holdsMore: Bool { mayHoldMore || definition.suppressesOwn }
  /// Whether it was pushed nothing since the hub looked last.
  var isQuiet = true
  private var lastSequenceNumber = 0

  init(
    id: String, session: Session, database: Database, shape: SubscriptionShape,
    definition: SubscriptionDefinition, result: (any LiveResult)?, state: State
  ) {
    self.id = id
    self.session = session
    self.database = database
    self.shape = shape
    self.definition = definition
    self.result = result
    self.state = state
  }

  /// Whether all these commits were made over its own connection.
  func isOwn(_ commits: [Int64]) -> Bool {
    database.origins.areAll(commits, of: session.caller.connection)
  }

  /// Whether the change, of a commit or of a replay, was made over its own connection.
  func isOwn(_ change: RecordChange) -> Bool {
    change.origin?.connection == session.caller.connection || isOwn(change.commits)
  }

  /// Those of a replay's changes that it is told of, as far as that hangs on whose they are.
  func toldAlone(_ matched: [MatchedChange]) -> [MatchedChange] {
    guard definition.suppressesOwn else { return matched }
    var deleted: RecordChange?
    return matched.filter { match in
      let change = match.change
      // Made anew by itself behind a deletion that it is told of: else it would take its own for deleted.
      let isMadeAnew =
        change.before == nil && deleted?.recordName == change.recordName
        && deleted?.zoneName == change.zoneName
      let isTold = change.cause != nil || isMadeAnew || !isOwn(change.commits)
      deleted = isTold && change.after == nil ? change : nil
      return isTold
    }
  }

  /// What is marked on a push.
  struct Marks {
    var isInitial = false
    var isResync = false
    /// Whether the rest of the same replay or of the initial records follows.
    var moreComing = false
    var deletedZones: [String] = []
    var count: Int?
  }

  /// Pushes what is to be told, as parts of one whole; nothing when there is nothing.
  ///
  /// - Parameters:
  ///   - token: the position once all parts are known.
  ///   - partial: the position until then.
  func push(_ parts: [PushPart], token: String, partial: String, _ marks: Marks = Marks()) {
    let parts = parts.isEmpty && !(marks.deletedZones.isEmpty && marks.count == nil) ? [.empty] : parts
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      var own = marks
      own.moreComing = marks.moreComing || !isLast
      if !isLast {
        own.deletedZones = []
        own.count = nil
      }
      send(part, token: isLast ? token : partial, own)
    }
    if !marks.isInitial { hasFired = hasFired || !parts.isEmpty }
  }

  /// An empty push: the end of what was said to be coming, or word of how far the client knows all.
  func pushPosition(_ token: String, _ marks: Marks = Marks()) {
    send(.empty, token: token, marks)
  }

  private func send(_ part: PushPart, token: String, _ marks: Marks) {
    lastSequenceNumber += 1
    owesMore = marks.moreComing
    if marks.isInitial { hasBegun = true }
    isQuiet = false
    // Written in one go: of all that the service makes, this is made most often.
    var push = JSONWriter(reservingCapacity: part.changes.count + (part.included?.count ?? 0) + 240)
    push.beginObject()
    push.bytes.append(contentsOf: Self.head)
    push.beginObject()
    push.key("subscriptionID")
    push.string(id)
    push.key("seq")
    push.int(lastSequenceNumber)
    push.key("changeToken")
    push.string(token)
    push.key("changes")
    push.raw(part.changes)
    if let included = part.included {
      push.key("included")
      push.raw(included)
    }
    if !marks.deletedZones.isEmpty {
      push.key("deletedZones")
      push.strings(marks.deletedZones)
    }
    if let count = marks.count {
      push.key("count")
      push.int(count)
    }
    if marks.isInitial { Self.writeFlag("initial", to: &push) }
    if marks.moreComing { Self.writeFlag("moreComing", to: &push) }
    if marks.isResync { Self.writeFlag("resync", to: &push) }
    push.endObject()
    push.endObject()
    session.outbound.send(push.bytes)
  }

  private static func writeFlag(_ name: String, to push: inout JSONWriter) {
    push.key(name)
    push.bool(true)
  }

  private static let head = Array(#""jsonrpc":"2.0","method":"recordsChanged","params":"#.utf8)

  /// The last that the client hears of it.
  func pushEnd(_ ending: SubscriptionEnding) {
    var params = JSONWriter()
    params.beginObject()
    params.key("subscriptionID")
    params.string(id)
    params.key("reason")
    params.string(ending.reason)
    if case .failed(let error) = ending {
      params.key("error")
      RPCError(error).write(to: &params)
    }
    params.endObject()
    session.outbound.send(Reply.notification(method: "subscriptionEnded", params: params.bytes))
  }
}

/// Why the service ends a subscription.
enum SubscriptionEnding {
  /// It was to fire once, and has.
  case fired
  /// Another connection took it over.
  case attachedElsewhere
  /// What was saved of it was deleted or changed.
  case deleted
  /// A backup was put in the place of the database, with what was saved in that.
  case databaseRestored
  /// The container was deleted with all that was in it.
  case containerDeleted
  case failed(RecordError)

  var reason: String {
    switch self {
    case .fired: "fired"
    case .attachedElsewhere: "attachedElsewhere"
    case .deleted: "deleted"
    case .databaseRestored: "databaseRestored"
    case .containerDeleted: "containerDeleted"
    case .failed: "error"
    }
  }
}
