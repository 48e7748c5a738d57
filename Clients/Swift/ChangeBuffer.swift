import JSONRPC
import Synchronization

/// The pushes of one subscription between the connection's thread and the task that takes them.
final class ChangeBuffer: Sendable {
  enum Item: Sendable {
    case push(JSON)
    /// Pushes were not kept: read on from the last token.
    case gap
    case end(ClientError)
    /// The service ended the subscription since it has done what it was for.
    case fired
    /// The waiting task was cancelled.
    case cancelled
  }

  private struct State {
    var pushes: [JSON] = []
    var taken = 0
    var bytes = 0
    var hasGap = false
    /// `end` or `fired`.
    var end: Item?
    var waiter: CheckedContinuation<Item, Never>?
    var isCancelled = false
  }
  private let state = Mutex(State())
  private let maximumPushes: Int
  private let maximumBytes: Int

  init(maximumPushes: Int, maximumBytes: Int) {
    self.maximumPushes = maximumPushes
    self.maximumBytes = maximumBytes
  }

  /// Takes a push in, or only remembers that there was one. On the connection's thread; never waits.
  func append(_ push: JSON) {
    let waiter = state.withLock { state -> CheckedContinuation<Item, Never>? in
      guard state.end == nil, !state.hasGap else { return nil }
      if let waiter = state.waiter {
        state.waiter = nil
        return waiter
      }
      let size = push.bytes.count
      // One push is always kept, however large, so that a stream gets on.
      if state.pushes.count > state.taken,
        state.pushes.count - state.taken >= maximumPushes || state.bytes + size > maximumBytes
      {
        state.hasGap = true
        return nil
      }
      state.pushes.append(push)
      state.bytes += size
      return nil
    }
    waiter?.resume(returning: .push(push))
  }

  /// Nothing comes after this; what is buffered can still be taken.
  func end(_ error: ClientError) {
    end(.end(error))
  }

  /// As `end`, but without a failure.
  func endFired() {
    end(.fired)
  }

  private func end(_ item: Item) {
    let waiter = state.withLock { state in
      if state.end == nil { state.end = item }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: item)
  }

  /// The next push, or why there is none. One task at a time.
  func next() async -> Item {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let item = state.withLock { state -> Item? in
          if let item = Self.take(&state) { return item }
          state.waiter = continuation
          return nil
        }
        if let item { continuation.resume(returning: item) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.isCancelled = true
        defer { state.waiter = nil }
        return state.waiter
      }
      waiter?.resume(returning: .cancelled)
    }
  }

  private static func take(_ state: inout State) -> Item? {
    if state.isCancelled { return .cancelled }
    if state.taken < state.pushes.count {
      let push = state.pushes[state.taken]
      state.taken += 1
      state.bytes -= push.bytes.count
      if state.taken == state.pushes.count {
        state.pushes.removeAll(keepingCapacity: true)
        state.taken = 0
      } else if state.taken >= 256 {
        state.pushes.removeFirst(state.taken)
        state.taken = 0
      }
      return .push(push)
    }
    if state.hasGap { return .gap }
    return state.end
  }
}
