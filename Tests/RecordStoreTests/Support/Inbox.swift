import Glibc
import RecordStore
import Records
import Synchronization

/// What a store delivered, to be waited for.
final class Inbox: Sendable {
  private struct State {
    var outcomes: [Ticket: Outcome] = [:]
    var groups: [CommitGroup] = []
    var repeated = 0
  }

  private let state = Mutex(State())
  private let arrivals = Semaphore()

  @Sendable func deliver(_ group: CommitGroup) {
    state.withLock { state in
      state.groups.append(group)
      for answer in group.answers {
        if state.outcomes.updateValue(answer.outcome, forKey: answer.ticket) != nil { state.repeated += 1 }
      }
    }
    arrivals.signal()
  }

  /// Everything delivered so far.
  var groups: [CommitGroup] { state.withLock { $0.groups } }
  var changeSets: [ChangeSet] { groups.flatMap(\.changeSets) }
  /// Answers to tickets that had one already.
  var repeatedAnswers: Int { state.withLock { $0.repeated } }

  func hasAnswer(_ ticket: Ticket) -> Bool { state.withLock { $0.outcomes[ticket] != nil } }

  func outcome(of ticket: Ticket) -> Outcome {
    while true {
      if let outcome = state.withLock({ $0.outcomes[ticket] }) { return outcome }
      arrivals.wait()
    }
  }

  func write(_ ticket: Ticket) -> Result<WriteResult, WriteFailure> {
    guard case .write(let result) = outcome(of: ticket) else { fatalError("not a write") }
    return result
  }

  func read(_ ticket: Ticket) throws -> ReadResult {
    guard case .read(let result) = outcome(of: ticket) else { fatalError("not a read") }
    return try result.get()
  }
}

/// Unchecked: `sem_wait` and `sem_post` are made for being called by any thread.
final class Semaphore: @unchecked Sendable {
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func signal() { sem_post(semaphore) }
  func wait() { sem_wait(semaphore) }
}
