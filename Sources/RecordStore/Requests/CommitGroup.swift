public import Records

/// Names a submitted request until its outcome is delivered. Unique within its store.
public struct Ticket: Sendable, Hashable {
  let number: UInt64
}

/// What the store tells at once: the outcomes of requests, and the changes of the commits among them.
///
/// Everything in it is durable already. It may be without outcomes and changes: readers should be renewed
/// then as well, since the store waits for that to shorten its log.
public struct CommitGroup: Sendable {
  public struct Answer: Sendable {
    public var ticket: Ticket
    public var outcome: Outcome
  }

  /// In the order in which the requests were submitted.
  public var answers: [Answer]
  /// In commit order, without holes from one group to the next.
  public var changeSets: [ChangeSet]
  /// Whether the store has other records from here on, none of which came by a change set: another file took the
  /// place of its own.
  public var isOfOtherRecords: Bool

  init(answers: [Answer], changeSets: [ChangeSet], isOfOtherRecords: Bool = false) {
    self.answers = answers
    self.changeSets = changeSets
    self.isOfOtherRecords = isOfOtherRecords
  }
}

/// How a submitted request ended.
public enum Outcome: Sendable {
  /// A failure means that nothing of the request was done.
  case write(Result<WriteResult, WriteFailure>)
  /// Of a write request whose key was used before, and of which nothing was done now: the answer of then, or why
  /// there is none.
  case repeated(Result<[UInt8], RecordError>)
  case read(Result<ReadResult, RecordError>)
}

/// Why nothing of a write request was done.
public struct WriteFailure: Error, Sendable {
  /// The one to answer with. `batchRequestFailed` when one operation of several made an atomic request fail.
  public var error: RecordError
  /// Then one for each operation: the true cause at the true one, `batchRequestFailed` at the others.
  /// Otherwise empty.
  public var items: [RecordError]

  public init(error: RecordError, items: [RecordError]) {
    self.error = error
    self.items = items
  }
}
