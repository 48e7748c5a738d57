internal import Glibc
internal import Records
internal import SQLite

/// What there is to do at indexes besides writing.
enum IndexWork {
  /// It is not known whether there is any.
  case unknown
  case waiting
  case none
  /// It could not be done just now.
  case held

  /// Whether there is something to do, or may be.
  var isOpen: Bool { self == .unknown || self == .waiting }
}

extension Writer {
  /// Milliseconds between two times at which the uses of indexes are written down.
  private static let usesInterval: Int64 = 600_000

  /// Nanoseconds between two times at which readers are told of progress.
  private static let progressInterval: UInt64 = 250_000_000

  /// Sees whether there is something to do now: it may have come with the requests, or be possible again.
  func lookForIndexWork() {
    guard isCurrent else { return indexWork = .unknown }
    guard indexWork != .none || schemaSeen != state.schema else { return }
    schemaSeen = state.schema
    indexWork = state.hasIndexWork ? .waiting : .none
  }

  /// Does a small part of what there is to do at indexes, so that nobody who wants to write waits for long.
  func advanceIndexes() {
    guard indexWork.isOpen else { return }
    guard connection != nil else {
      indexWork = .held
      return
    }
    guard configuration.indexPace.isAllowed(), hasRoomForIndexes else {
      indexWork = .held
      return
    }
    do throws(RecordError) {
      if indexWork == .unknown {
        indexWork = try stateNow().hasIndexWork ? .waiting : .none
        guard indexWork == .waiting else { return }
      }
      let schema = state.schema
      // It need not be on the disk before the next write is: until then nobody was told of it.
      let isDone = try withoutWaitingForDisk { () throws(RecordError) in
        try transact { (work: inout WriteTransaction) throws(SQLiteError) in
          try work.advanceIndexes(mayGoOn()) == false
        }
      }
      // Readers are to see an index that is whole, and now and then how far the others are.
      if state.schema != schema || Self.now - progressTold >= Self.progressInterval {
        progressTold = Self.now
        deliver(CommitGroup(answers: [], changeSets: []))
      }
      if isDone { indexWork = state.hasIndexWork ? .held : .none }
    } catch {
      indexWork = .held
    }
    copyLogIfLong()
  }

  /// To be asked after each row: false when the part is as large as it may be.
  private func mayGoOn() -> () -> Bool {
    let end = Self.now + configuration.indexPace.time
    var rows = configuration.indexPace.rows
    return {
      rows -= 1
      return rows > 0 && Self.now < end
    }
  }

  private static var now: UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }

  // MARK: Indexes that are made by themselves

  func consider(_ proposals: [IndexAdvisor.Proposal]) {
    guard !proposals.isEmpty else { return }
    keepUses()
    // What fails now is proposed again.
    try? transact { (work: inout WriteTransaction) throws(SQLiteError) in
      for proposal in proposals { try work.consider(proposal) }
    }
    indexWork = .unknown
  }

  // MARK: Uses

  /// Writes down how indexes were used, if that wasn't done for some time.
  func keepUsesAtTimes() {
    let now = configuration.clock()
    guard now - usesKept >= Self.usesInterval else { return }
    usesKept = now
    keepUses()
  }

  func keepUses() {
    let uses = advisor.uses
    guard !uses.isEmpty, connection != nil else { return }
    do throws(RecordError) {
      try withoutWaitingForDisk { () throws(RecordError) in
        try transact { (work: inout WriteTransaction) throws(SQLiteError) in try work.keep(uses) }
      }
      advisor.forget(uses)
    } catch {
      // They are kept in memory, and a later time will do.
    }
  }

  /// Runs `body` with commits that a power cut, though nothing else, may undo until the next ordinary one.
  private func withoutWaitingForDisk<Value>(
    _ body: () throws(RecordError) -> Value
  ) throws(RecordError) -> Value {
    guard file.isDurable else { return try body() }
    try? connection?.database.execute("PRAGMA synchronous = NORMAL")
    defer {
      do {
        try connection?.database.execute("PRAGMA synchronous = FULL")
      } catch {
        // A reply must never leave before the disk has the write: the next connection waits for it again.
        close()
      }
    }
    return try body()
  }
}

extension StoreState {
  /// Whether an index is to be built or removed.
  var hasIndexWork: Bool {
    !droppedIndexes.isEmpty || types.values.contains { $0.indexes.contains { !$0.isReady } }
  }
}
