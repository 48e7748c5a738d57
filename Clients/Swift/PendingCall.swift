import JSONRPC
import Synchronization

/// A call that a task waits for: finished once, by its reply or by the task's cancellation.
final class PendingCall: Sendable {
  typealias Outcome = Result<JSON, ClientError>

  private struct State {
    var continuation: CheckedContinuation<Outcome, Never>?
    var isCancelled = false
    var onCancel: (@Sendable () -> Void)?
  }
  private let state = Mutex(State())

  func wait(_ continuation: CheckedContinuation<Outcome, Never>) {
    state.withLock { $0.continuation = continuation }
  }

  /// Sets what to undo when the task is cancelled; done at once when it already was.
  func onCancel(_ undo: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.onCancel = undo }
      return state.isCancelled
    }
    guard isCancelled else { return }
    undo()
    finish(.failure(.cancelled))
  }

  func finish(_ outcome: Outcome) {
    let continuation = state.withLock { state in
      defer {
        state.continuation = nil
        state.onCancel = nil
      }
      return state.continuation
    }
    continuation?.resume(returning: outcome)
  }

  func cancel() {
    let undo = state.withLock { state in
      state.isCancelled = true
      return state.onCancel
    }
    guard let undo else { return }
    undo()
    finish(.failure(.cancelled))
  }
}
