internal import Records
internal import SQLite
internal import Synchronization

/// Runs what takes long on a thread of its own, one after another: reads, and the copying of the write-ahead
/// log. The thread starts with the first of them.
final class LongReads: Sendable {
  private enum Item: Sendable {
    case read(Ticket, ReadRequest)
    case copyLog
  }

  private let file: StoreFile
  private let use: FileUse
  private let advisor: IndexAdvisor
  private let sectionCache: SectionCache
  /// What a read may take.
  private let maximumSeconds: Int
  private let deliver: @Sendable (CommitGroup) -> Void
  private let logCopied: @Sendable () -> Void
  private let mailbox = Mailbox<Item>()
  private let thread = Mutex<WorkerThread?>(nil)
  private let isStopping = Atomic<Bool>(false)

  init(
    file: StoreFile, use: FileUse, advisor: IndexAdvisor, sectionCache: SectionCache,
    maximumSeconds: Int, deliver: @escaping @Sendable (CommitGroup) -> Void,
    logCopied: @escaping @Sendable () -> Void
  ) {
    self.file = file
    self.use = use
    self.advisor = advisor
    self.sectionCache = sectionCache
    self.maximumSeconds = maximumSeconds
    self.deliver = deliver
    self.logCopied = logCopied
  }

  func read(_ request: ReadRequest, _ ticket: Ticket) {
    guard start(), mailbox.put({ _ in .read(ticket, request) }) else { return refuse(ticket) }
  }

  func copyLog() {
    if start() { mailbox.put { _ in .copyLog } }
  }

  /// Ends what runs and answers what waits, then returns.
  func stop() {
    isStopping.store(true, ordering: .releasing)
    mailbox.close()
    thread.withLock { thread in
      thread?.join()
      thread = nil
    }
  }

  private func start() -> Bool {
    thread.withLock { thread in
      if thread == nil, !isStopping.load(ordering: .acquiring) {
        thread = WorkerThread { [self] in run() }
      }
      return thread != nil
    }
  }

  private func refuse(_ ticket: Ticket) {
    deliver(
      CommitGroup(answers: [.init(ticket: ticket, outcome: .read(.failure(.stopping)))], changeSets: []))
  }

  private func run() {
    let reader = Reader(file: file, use: use, advisor: advisor, sectionCache: sectionCache)
    while let item = mailbox.takeFirst() {
      switch item {
      case .read(let ticket, let request):
        let outcome = Outcome.read(result(of: request, reader))
        deliver(CommitGroup(answers: [.init(ticket: ticket, outcome: outcome)], changeSets: []))
      case .copyLog:
        copy()
        logCopied()
      }
    }
  }

  private func result(of request: ReadRequest, _ reader: Reader) -> Result<ReadResult, RecordError> {
    reader.renew()
    defer { reader.renew() }
    let nanoseconds = UInt64(maximumSeconds) * 1_000_000_000
    let budget = RowBudget(
      rows: .max, nanoseconds: nanoseconds, isStopped: { [self] in isStopping.load(ordering: .relaxed) })
    do {
      let result: ReadResult? =
        switch request {
        case .query(let query): try reader.query(query, budget).map { .query($0) }
        case .count(let query): try reader.count(query, budget).map { .count($0) }
        case .distinct(let query): try reader.distinct(query, budget).map { .distinct($0) }
        case .aggregate(let query): try reader.aggregate(query, budget).map { .aggregate($0) }
        }
      if let result { return .success(result) }
      return .failure(isStopping.load(ordering: .relaxed) ? .stopping : tooLong)
    } catch {
      return .failure(error)
    }
  }

  private var tooLong: RecordError {
    RecordError(
      .limitExceeded,
      "the query took longer than \(maximumSeconds) seconds; an index, or a narrower question, makes it shorter",
      details: [
        .init(name: "limitName", text: "maximumQuerySeconds"), .init(name: "limit", number: maximumSeconds),
      ])
  }

  private func copy() {
    do {
      let database = try Database(path: file.path, access: .readWrite, busyTimeout: file.busyTimeout)
      try database.checkpoint(.passive)
    } catch {
      file.log("store \(file.path): the write-ahead log could not be copied: \(error)")
    }
  }
}
