internal import Files
internal import JSONRPC
internal import Records
internal import Synchronization

/// What a thread of its own does for a request, and how the method goes on then.
struct Work {
  let perform: @Sendable () -> Void
  /// In the service's isolation, once `perform` is done.
  let finish: (inout JSONWriter) throws(RecordError) -> Progress
}

extension Progress {
  /// A thread of its own has the next part to do: anything that may block, but for the store's reads and writes.
  /// `finish` is given what it came to, and says how far the method is then.
  static func work<Value: Sendable>(
    _ perform: @escaping @Sendable () throws(RecordError) -> Value,
    finish: @escaping (Value, inout JSONWriter) throws(RecordError) -> Progress
  ) -> Progress {
    let outcome = WorkOutcome<Value>()
    return .work(
      Work(
        perform: { outcome.set(Result(catching: perform)) },
        finish: { (result) throws(RecordError) in try finish(outcome.take(), &result) }))
  }
}

/// Goes from the thread that does the work to the service.
private final class WorkOutcome<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, RecordError>?>(nil)

  func set(_ outcome: Result<Value, RecordError>) { result.withLock { $0 = outcome } }

  func take() throws(RecordError) -> Value {
    let outcome = result.withLock { result in
      defer { result = nil }
      return result
    }
    guard let outcome else { throw RecordError(.internalError, "the work was not done") }
    return try outcome.get()
  }
}
