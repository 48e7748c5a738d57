internal import JSONRPC
internal import RecordStore
internal import Records

/// A client's wish to hear of changes, and how far it was told.
final class Subscription {
  /// Where it stands. Every subscription starts behind or with its initial records, and is fed from there
  /// once its reply is out; so the reply comes first, and the start has no gap.
  enum State {
    /// Has got the records that match up to the cursor; then goes on from the position.
    case sendingInitial(cursor: String?, then: ChangeToken)
    /// A reader thread looks for the next page of the initial records.
    case awaitingInitial(then: ChangeToken)
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
  var state: State
  /// Whether the client was told that more is coming.
  private(set) var owesMore = false
  private var lastSequenceNumber = 0

  init(id: String, session: Session, database: Database, shape: SubscriptionShape, state: State) {
    self.id = id
    self.session = session
    self.database = database
    self.shape = shape
    self.state = state
  }

  /// Pushes lists of changes (see ``SubscriptionShape/changes(in:areOwn:)``), as parts of one whole.
  func push(_ parts: [[UInt8]], token: String, isInitial: Bool = false, moreComing: Bool = false) {
    for (index, part) in parts.enumerated() {
      send(
        changes: part, token: token, isInitial: isInitial,
        moreComing: moreComing || index < parts.count - 1)
    }
  }

  /// An empty push: the end of what was said to be coming.
  func pushEnd(token: String, isInitial: Bool = false) {
    send(changes: Array("[]".utf8), token: token, isInitial: isInitial, moreComing: false)
  }

  /// Changes were missed that can't be told any more.
  func pushResync(token: String) {
    send(changes: Array("[]".utf8), token: token, isResync: true)
  }

  private func send(
    changes: [UInt8], token: String, isInitial: Bool = false, isResync: Bool = false,
    moreComing: Bool = false
  ) {
    lastSequenceNumber += 1
    owesMore = moreComing
    // Written in one go: of all that the service makes, this is made most often.
    var push = JSONWriter(reservingCapacity: changes.count + 240)
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
    push.raw(changes)
    for (name, isSet) in [("initial", isInitial), ("moreComing", moreComing), ("resync", isResync)]
    where isSet {
      push.key(name)
      push.bool(true)
    }
    push.endObject()
    push.endObject()
    session.outbound.send(push.bytes)
  }

  private static let head = Array(#""jsonrpc":"2.0","method":"recordsChanged","params":"#.utf8)

  func pushEnded(_ error: RecordError) {
    var params = JSONWriter()
    params.beginObject()
    params.key("subscriptionID")
    params.string(id)
    params.key("error")
    RPCError(error).write(to: &params)
    params.endObject()
    session.outbound.send(Reply.notification(method: "subscriptionEnded", params: params.bytes))
  }
}
