internal import Files
internal import JSONRPC
internal import RecordStore
internal import Records

/// A request being carried out: whose, with what, against which database.
struct Invocation {
  let session: Session
  let arguments: Arguments
  /// What came with the request and was not taken yet.
  var descriptor: OwnedDescriptor?

  var service: Service { session.service }
  var limits: ServiceLimits { session.service.limits }
  var caller: Caller { session.caller }

  /// The database that the request names, if the caller may do this with it.
  func database(for action: AccessPolicy.Action) throws(RecordError) -> Database {
    let (container, name) = try place()
    return try session.database(container: container, named: name, for: action)
  }

  private func place() throws(RecordError) -> (container: String, name: DatabaseName) {
    (
      try arguments.string("container") ?? StoreID.defaultContainer,
      try arguments.word("database", of: DatabaseName.self) ?? .private
    )
  }

  /// The descriptor that came with the request, which must be looked at on a thread of its own only: its file
  /// may hang.
  mutating func takeDescriptor() throws(RecordError) -> OwnedDescriptor {
    guard let descriptor else {
      throw RecordError(
        .invalidArguments,
        "exactly one descriptor must come with the request, sent with the request's bytes and no others",
        details: [RecordError.Detail("parameter", "descriptor"), RecordError.Detail("reason", "missing")])
    }
    self.descriptor = nil
    return descriptor
  }

  /// The name of that database, which need not be open, nor be there.
  func storeID(for action: AccessPolicy.Action) throws(RecordError) -> StoreID {
    let (container, name) = try place()
    let id = StoreID(container: container, database: name == .public ? .public : .private(caller.userID))
    if let refusal = service.access.refusal(of: action, in: id, by: caller) { throw refusal }
    return id
  }

  /// Refuses more records or operations than a request may have.
  func checkItems(_ count: Int) throws(RecordError) {
    if count > limits.maximumItems {
      throw .limit(
        "maximumItems", limits.maximumItems, actual: count,
        "a request may name \(limits.maximumItems) records at most")
    }
  }

  /// Refuses to go on with a reply that grew too long.
  func checkReply(_ result: borrowing JSONWriter) throws(RecordError) {
    if result.bytes.count > limits.maximumReplyBytes {
      throw .limit(
        "maximumReplyBytes", limits.maximumReplyBytes, actual: nil,
        "the reply would be longer than \(limits.maximumReplyBytes) bytes; ask for fewer records or fields")
    }
  }
}

/// The two databases of a container, as a client names them.
enum DatabaseName: String, CaseIterable {
  case `private`
  case `public`
}

/// How far a method came at once.
enum Progress {
  /// The result is written.
  case done
  /// The result is written; the descriptor goes with the reply.
  case passing(OwnedDescriptor)
  /// The result is written; the subscription is fed once the reply is out.
  case subscribed(Subscription)
  /// The writer has the rest to do; `finish` writes the result.
  case write(
    Database, WriteRequest, finish: (WriteResult, inout JSONWriter) throws(RecordError) -> Void)
  /// A reader thread has the rest to do; `finish` writes the result.
  case read(Database, ReadRequest, finish: (ReadResult, inout JSONWriter) throws(RecordError) -> Void)
  /// A thread of its own has the next part to do.
  case work(Work)
}
