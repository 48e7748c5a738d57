internal import Records
internal import Synchronization

/// Learns from the queries of all readers: how often each index is used, and which one is missing so badly
/// that it should be made without being asked for.
///
/// A query is *slow* when it looked at more than ``slowRows`` records and at more than ``slowShare`` times as
/// many as it returned. Once ``slowQueries`` slow queries, with no hour between one and the next, would have
/// been spared by the same index, it is proposed to the writer. That makes it when the records that were
/// looked at in vain are more than ``buildingCost`` times those that building it looks at, and the type has
/// fewer than ``maximumIndexes`` of the kind, or one of them that it can do without best: the one that was not
/// used for the longest time.
///
/// Safe to use from any thread.
final class IndexAdvisor: Sendable {
  static let slowRows = 1000
  static let slowShare = 10
  static let slowQueries = 3
  static let buildingCost: Int64 = 2
  /// Automatic indexes of a type.
  static let maximumIndexes = 8
  /// Milliseconds after which what was learnt of slow queries is forgotten.
  private static let memory: Int64 = 3_600_000
  /// Wanted indexes that are kept in mind.
  private static let maximumWants = 256

  /// An index that should be made.
  struct Proposal: Sendable {
    let recordType: String
    let parts: [IndexPart]
    /// Records that were looked at in vain for want of it.
    let cost: Int64
  }

  /// How often an index was used, and when last.
  struct Use: Sendable {
    var count: Int64 = 0
    var last: Int64 = 0
  }

  private struct Want: Hashable {
    let recordType: Name
    let parts: [IndexPart]
  }

  private struct Tally {
    var queries = 0
    var cost: Int64 = 0
    var last: Int64
    /// The cost at which it is proposed.
    var proposedAt: Int64 = 0
  }

  private struct State {
    var uses: [Int64: Use] = [:]
    var wants: [Want: Tally] = [:]
  }

  private let state = Mutex(State())
  private let clock: @Sendable () -> Int64
  private let propose: (@Sendable (Proposal) -> Void)?

  /// Without `propose` no index is wanted. It is called on the readers' threads.
  init(clock: @escaping @Sendable () -> Int64, propose: (@Sendable (Proposal) -> Void)?) {
    self.clock = clock
    self.propose = propose
  }

  // MARK: Wanted indexes

  /// What a query on one type cost. `wanted` is the index that would have spared it: the keys that are
  /// compared for equality, sorted by name, then the one of a range, then those that are sorted by; empty when
  /// none would.
  func note(recordType: String, wanted: [IndexPart], rowsExamined: Int, rowsReturned: Int) {
    guard let propose, rowsExamined > Self.slowRows, rowsExamined / Self.slowShare > rowsReturned,
      let parts = Self.indexable(wanted)
    else { return }
    let want = Want(recordType: Name(recordType), parts: parts)
    let now = clock()
    let cost = state.withLock { state -> Int64? in
      var tally = state.wants[want] ?? Tally(last: now)
      if now - tally.last > Self.memory { tally = Tally(last: now) }
      tally.queries += 1
      tally.cost += Int64(rowsExamined - rowsReturned)
      tally.last = now
      let isDue = tally.queries >= Self.slowQueries && tally.cost >= tally.proposedAt
      // The writer may find that it doesn't pay yet, or make it, which takes a while.
      if isDue { tally.proposedAt = tally.cost * 2 }
      state.wants[want] = tally
      if state.wants.count > Self.maximumWants { Self.forget(&state.wants) }
      return isDue ? tally.cost : nil
    }
    if let cost { propose(Proposal(recordType: recordType, parts: parts, cost: cost)) }
  }

  /// The parts up to the first localized one, each path once, as many as an index may have; nil when none are
  /// left.
  private static func indexable(_ wanted: [IndexPart]) -> [IndexPart]? {
    var parts: [IndexPart] = []
    for part in wanted.prefix(RecordTypePlan.maximumKeys)
    where !parts.contains(where: { $0.path == part.path }) {
      parts.append(part)
      if part.collation == .localized { break }
    }
    return parts.isEmpty ? nil : parts
  }

  /// Keeps the newer half.
  private static func forget(_ wants: inout [Want: Tally]) {
    let newest = wants.sorted { $0.value.last > $1.value.last }.prefix(maximumWants / 2)
    wants = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
  }

  // MARK: Uses

  /// A query read from the index.
  func noteUse(of index: DeclaredIndex) {
    guard index.origin != .type else { return }
    let now = clock()
    state.withLock { state in
      state.uses[index.id, default: Use()].count += 1
      state.uses[index.id]?.last = now
    }
  }

  /// Uses that are not yet in the file, by the index's number.
  var uses: [Int64: Use] { state.withLock { $0.uses } }

  /// Forgets everything: it was of other indexes.
  func forgetAll() { state.withLock { $0 = State() } }

  /// These are in the file now.
  func forget(_ kept: [Int64: Use]) {
    state.withLock { state in
      for (index, use) in kept {
        state.uses[index]?.count -= use.count
        if state.uses[index]?.count == 0 { state.uses[index] = nil }
      }
    }
  }
}
