public import JSONRPC
import Synchronization

extension Connection {
  /// Sends a request without waiting for its reply, so that the service gets the next one while it works on this.
  ///
  /// Requests go out in the order in which this is called. Whoever sends many bounds how many are under way.
  public func send(_ method: String, params: JSON?) -> SentCall {
    let call = SentCall()
    channel.send(method, params: params) { call.finish($0) }
    return call
  }
}

/// A request that was sent, and whose reply somebody may wait for.
public final class SentCall: Sendable {
  private enum State {
    case underWay
    case awaited(CheckedContinuation<Result<JSON, ClientError>, Never>)
    case finished(Result<JSON, ClientError>)
  }
  private let state = Mutex(State.underWay)

  init() {}

  /// The reply's `result`, once it is there. For one task to wait for.
  public func result() async throws(ClientError) -> JSON {
    let outcome = await withCheckedContinuation { continuation in
      let present: Result<JSON, ClientError>? = state.withLock { state in
        if case .finished(let outcome) = state { return outcome }
        state = .awaited(continuation)
        return nil
      }
      if let present { continuation.resume(returning: present) }
    }
    return try outcome.get()
  }

  func finish(_ outcome: Result<JSON, ClientError>) {
    let waiting: CheckedContinuation<Result<JSON, ClientError>, Never>? = state.withLock { state in
      defer { state = .finished(outcome) }
      if case .awaited(let continuation) = state { return continuation }
      return nil
    }
    waiting?.resume(returning: outcome)
  }
}
