internal import Synchronization

/// Runs what may take long, or for ever, on threads made for it: copying files that others own. Every user has
/// few at a time, so that one whose files hang holds up nobody else.
public final class WorkThreads: Sendable {
  public typealias Work = @Sendable () -> Void

  private struct State {
    var waiting: [(user: UInt32, work: Work)] = []
    var running: [UInt32: Int] = [:]
    var threads = 0
    var isClosed = false

    func mayRun(_ user: UInt32) -> Bool {
      threads < WorkThreads.maximumThreads && running[user, default: 0] < WorkThreads.threadsPerUser
    }

    mutating func begin(_ user: UInt32) {
      running[user, default: 0] += 1
      threads += 1
    }

    mutating func end(_ user: UInt32) {
      threads -= 1
      let left = running[user, default: 1] - 1
      running[user] = left == 0 ? nil : left
    }

    /// The first that may begin.
    mutating func takeNext() -> (user: UInt32, work: Work)? {
      guard !isClosed, let index = waiting.firstIndex(where: { mayRun($0.user) }) else { return nil }
      return waiting.remove(at: index)
    }
  }

  private static let threadsPerUser = 4
  private static let maximumThreads = 64

  private let state = Mutex(State())

  public init() {}

  /// Has the work done, behind what the user has waiting. False, and nothing done, when there is no thread for
  /// it, or after ``close()``.
  public func run(for user: UInt32, _ work: @escaping Work) -> Bool {
    let begins = state.withLock { state -> Bool? in
      if state.isClosed { return nil }
      if state.mayRun(user) {
        state.begin(user)
        return true
      }
      state.waiting.append((user, work))
      return false
    }
    guard let begins else { return false }
    return !begins || start(user, work)
  }

  /// Begins nothing any more. What runs is not waited for: it may never end.
  public func close() {
    state.withLock {
      $0.isClosed = true
      $0.waiting = []
    }
  }

  private func start(_ user: UInt32, _ work: @escaping Work) -> Bool {
    let thread = WorkerThread { [self] in
      var next: (user: UInt32, work: Work)? = (user, work)
      while let current = next {
        current.work()
        next = state.withLock { state in
          state.end(current.user)
          let next = state.takeNext()
          if let next { state.begin(next.user) }
          return next
        }
      }
    }
    guard let thread else {
      state.withLock { $0.end(user) }
      return false
    }
    thread.detach()
    return true
  }
}
