internal import Records
internal import SQLite
internal import Synchronization

/// Runs what takes long on threads of its own: reads, and the copying of the write-ahead log.
///
/// There are two lanes, one after another each. A read that takes longer than ``secondsOfFirstLane`` in the
/// first begins anew in the second, so that it doesn't hold up those that are done sooner. A lane's thread
/// starts with the first item in it.
final class LongReads: Sendable {
  private enum Item: Sendable {
    case read(Ticket, ReadRequest)
    case copyLog
  }

  private struct Lane: Sendable {
    let mailbox = Mailbox<Item>()
    let seconds: Int
  }

  private let file: StoreFile
  private let use: FileUse
  private let advisor: IndexAdvisor
  private let sectionCache: SectionCache
  private let deliver: @Sendable (CommitGroup) -> Void
  private let logCopied: @Sendable () -> Void
  private let lanes: [Lane]
  private let threads = Mutex<[Int: WorkerThread]>([:])
  private let isStopping = Atomic<Bool>(false)

  /// What a read may take in the first lane.
  private static let secondsOfFirstLane = 1

  /// `maximumSeconds` is what a read may take.
  init(
    file: StoreFile, use: FileUse, advisor: IndexAdvisor, sectionCache: SectionCache,
    maximumSeconds: Int, deliver: @escaping @Sendable (CommitGroup) -> Void,
    logCopied: @escaping @Sendable () -> Void
  ) {
    self.file = file
    self.use = use
    self.advisor = advisor
    self.sectionCache = sectionCache
    self.deliver = deliver
    self.logCopied = logCopied
    lanes = [
      Lane(seconds: min(Self.secondsOfFirstLane, maximumSeconds)), Lane(seconds: maximumSeconds),
    ]
  }

  func read(_ request: ReadRequest, _ ticket: Ticket) {
    put(.read(ticket, request), inLane: 0)
  }

  func copyLog() {
    put(.copyLog, inLane: 0)
  }

  /// Ends what runs and answers what waits, then returns.
  func stop() {
    isStopping.store(true, ordering: .releasing)
    // The first lane puts into the second.
    for (number, lane) in lanes.enumerated() {
      lane.mailbox.close()
      threads.withLock { $0.removeValue(forKey: number) }?.join()
    }
  }

  private func put(_ item: Item, inLane number: Int) {
    if start(number), lanes[number].mailbox.put({ _ in item }) { return }
    if case .read(let ticket, _) = item { answer(ticket, .failure(.stopping)) }
  }

  private func start(_ number: Int) -> Bool {
    threads.withLock { threads in
      if threads[number] == nil, !isStopping.load(ordering: .acquiring) {
        threads[number] = WorkerThread { [self] in run(number) }
      }
      return threads[number] != nil
    }
  }

  private func answer(_ ticket: Ticket, _ result: Result<ReadResult, RecordError>) {
    deliver(CommitGroup(answers: [.init(ticket: ticket, outcome: .read(result))], changeSets: []))
  }

  private func run(_ number: Int) {
    let reader = Reader(file: file, use: use, advisor: advisor, sectionCache: sectionCache)
    while let item = lanes[number].mailbox.takeFirst() {
      switch item {
      case .read(let ticket, let request):
        if let result = result(of: request, reader, seconds: lanes[number].seconds) {
          answer(ticket, result)
        } else if isStopping.load(ordering: .relaxed) {
          answer(ticket, .failure(.stopping))
        } else if number + 1 < lanes.count, lanes[number + 1].seconds > lanes[number].seconds {
          put(item, inLane: number + 1)
        } else {
          answer(ticket, .failure(tooLong))
        }
      case .copyLog:
        copy()
        logCopied()
      }
    }
  }

  /// Nil when it was not done in time.
  private func result(
    of request: ReadRequest, _ reader: Reader, seconds: Int
  ) -> Result<ReadResult, RecordError>? {
    reader.renew()
    defer { reader.renew() }
    let budget = RowBudget(
      rows: .max, nanoseconds: UInt64(seconds) * 1_000_000_000,
      isStopped: { [self] in isStopping.load(ordering: .relaxed) })
    do {
      let result: ReadResult? =
        switch request {
        case .query(let query): try reader.query(query, budget).map { .query($0) }
        case .count(let query): try reader.count(query, budget).map { .count($0) }
        case .distinct(let query): try reader.distinct(query, budget).map { .distinct($0) }
        case .aggregate(let query): try reader.aggregate(query, budget).map { .aggregate($0) }
        case .changes(let query): try reader.changes(query, budget).map { .changes($0) }
        }
      return result.map { .success($0) }
    } catch {
      return .failure(error)
    }
  }

  private var tooLong: RecordError {
    let seconds = lanes.last?.seconds ?? 0
    return RecordError(
      .limitExceeded,
      "the query took longer than \(seconds) seconds; an index, or a narrower question, makes it shorter",
      details: [
        .init(name: "limitName", text: "maximumQuerySeconds"), .init(name: "limit", number: seconds),
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
