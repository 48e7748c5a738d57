import Glibc
import JSONRPC

/// One import from its first row to its counts.
@MainActor
final class ImportRun {
  /// How it is to be done.
  struct Plan {
    var limits: ImportBatch.Limits
    var state: ImportState?
    var reportPath: String?
    /// The beginning of the requests' keys; nil: they have none.
    var keyPrefix: String?
    /// Where the files of assets are; nil: nowhere.
    var assets: AssetFolder?
    /// Looks instead of saving; nil: it saves.
    var check: ImportCheck?
  }

  private let source: any RowSource
  private var reader: RecordReader
  private let session: Session
  private let plan: Plan
  private let report: ImportReport
  /// Records that refer to ones that were not there.
  private var deferred: SpoolFile?
  private var batch = ImportBatch()
  private var progress: ImportState.Progress
  /// Behind the row that was read last.
  private var position = ImportPosition()
  private let display: ImportDisplay
  private var sender: ImportSender?
  /// Where an earlier run ended.
  private let start: ImportPosition
  /// The rows are done, and those that were put off are tried again.
  private var isRetrying = false
  /// The batches of them that were sent.
  private var retries: Int64 = 0

  init(_ source: any RowSource, _ reader: RecordReader, _ plan: Plan, _ session: Session) throws(Failure) {
    self.source = source
    self.reader = reader
    self.plan = plan
    self.session = session
    progress = plan.state?.progress ?? .init()
    start = progress.position
    report = try ImportReport(plan.reportPath, keeping: progress.reportBytes, session)
    display = ImportDisplay(plan.check == nil ? "Importing" : "Checking", session)
    if progress.deferredBytes > 0 { try openDeferred() }
    guard plan.check == nil else { return }
    weak var run: ImportRun?
    sender = ImportSender(session, keyPrefix: plan.keyPrefix, assets: plan.assets) {
      batch, outcomes throws(Failure) in
      try run?.settle(batch, outcomes)
    }
    run = self
  }

  func run() async throws(Failure) {
    let wasFinished = progress.isFinished
    progress.isFinished = false
    Interruption.watch()
    do throws(Failure) {
      try await takeAll()
    } catch {
      display.clear()
      // What is under way may be done all the same, and is noted then.
      if error.rejection != nil || plan.check != nil { try? await sender?.drain() }
      if progress.saved + progress.failed > 0 { try? printCounts() }
      throw error
    }
    display.clear()
    report.end()
    if wasFinished, position.rows == start.rows, let state = plan.state {
      session.errors.say("\(state.path) says that all of it was imported already")
    }
    for note in source.notes + reader.notes + (plan.check?.notes ?? []) {
      session.errors.say(DisplayText.harmless(note))
    }
    try printCounts()
    if Interruption.happened {
      if let state = plan.state {
        session.errors.say("interrupted; --resume \(state.path) goes on from here")
      }
      throw .reported(.interrupted)
    }
    if progress.failed > 0 { throw .reported(.rejected) }
  }

  // MARK: Rows

  private func takeAll() async throws(Failure) {
    let rows = try collected()
    display.total = rows?.all.count
    var index = 0
    while !Interruption.happened {
      let row: InputRow?
      if let rows {
        row = index < rows.all.count ? rows.all[index] : nil
        index += 1
      } else {
        // What is done is noted before a long wait.
        if source.isWaiting { try await sender?.drain() }
        row = try source.next()
      }
      // An interruption may have cut the last row short.
      guard let row, !Interruption.happened else { break }
      try await take(row, rows?.names ?? [])
    }
    if !Interruption.happened {
      guard position.rows >= start.rows else { throw changed() }
      try await sendBatch()
    }
    try await sender?.drain()
    if !Interruption.happened { try await finish() }
  }

  /// All rows and their records' names, when the names decide what is referred to.
  private func collected() throws(Failure) -> (all: [InputRow], names: Set<String>)? {
    guard reader.mapping.needsAllNames else { return nil }
    var all: [InputRow] = []
    var names: Set<String> = []
    while let row = try source.next() {
      all.append(row)
      // A row without a name is told of when its turn comes.
      if case .value(let value, _) = row, let name = try? reader.mapping.name(of: value) {
        names.insert(name)
      }
    }
    return (all, names)
  }

  private func take(_ row: InputRow, _ names: Set<String>) async throws(Failure) {
    switch row {
    case .fault(let reason, _): position.advance(over: reason.utf8)
    case .value(let value, _): position.advance(over: value.bytes)
    }
    guard position.rows > start.rows else { return try passOver(row) }
    if batch.refusals.count >= plan.limits.maximumItems { try await sendBatch() }
    switch row {
    case .fault(let reason, let place): batch.refusals.append(.init(place: place, reason: reason, row: nil))
    case .value(let value, let place):
      let item: ImportItem?
      do throws(RowMapping.Fault) {
        item = try reader.read(
          value, number: position.rows, place: place, names: names, keepsRow: report.isKept)
      } catch {
        item = nil
        batch.refusals.append(.init(place: place, reason: error.reason, row: report.isKept ? value : nil))
      }
      if let item { try await append(item) }
    }
    batch.end = position
  }

  /// A row that an earlier run took.
  private func passOver(_ row: InputRow) throws(Failure) {
    if position.rows == start.rows, position != start { throw changed() }
    // The first row says what form they all have.
    if position.rows == 1, case .value(let value, _) = row { reader.findForm(of: value) }
  }

  private func changed() -> Failure {
    .trouble(
      "the input is not the one that was imported before: its first \(start.rows) rows are others. "
        + "Remove \(plan.state?.path ?? "the state") to begin anew")
  }

  private func append(_ item: ImportItem) async throws(Failure) {
    if batch.isFull(before: item.record, plan.limits) { try await sendBatch() }
    batch.append(item)
  }

  private func sendBatch() async throws(Failure) {
    // What comes first waits for what comes behind it: else it would not have been put off.
    var full = isRetrying ? batch.reversed : batch
    batch = ImportBatch()
    if isRetrying {
      retries += 1
      // Of this the request's key is made.
      full.end.rows = position.rows + retries
    }
    guard !full.isEmpty || full.end.rows > progress.position.rows else { return }
    if let check = plan.check {
      try settle(full, try await check.outcomes(of: full.items, session))
    } else {
      try await sender?.send(full)
    }
  }

  // MARK: What became of them

  /// Notes what became of a batch, on the disk where the import can be gone on from.
  private func settle(_ batch: ImportBatch, _ outcomes: [ImportOutcome]) throws(Failure) {
    for refusal in batch.refusals { try refuse(refusal) }
    for (item, outcome) in zip(batch.items, outcomes) {
      switch outcome {
      case .saved: progress.saved += 1
      case .refused(let reason): try refuse(.init(place: item.place, reason: reason, row: item.row))
      case .deferred(let reason): try putOff(item, reason)
      }
    }
    display.show(progress, source)
    guard !isRetrying else { return }
    progress.position = batch.end
    try note()
  }

  private func refuse(_ refusal: ImportRefusal) throws(Failure) {
    progress.failed += 1
    display.clear()
    try report.tell(refusal)
  }

  private func putOff(_ item: ImportItem, _ reason: String) throws(Failure) {
    if deferred == nil { try openDeferred() }
    try deferred?.append(item.node(reason: reason))
  }

  private func openDeferred() throws(Failure) {
    let path = isRetrying ? nil : plan.state.map { $0.path + ".deferred" }
    deferred = try SpoolFile(path, keeping: path == nil ? 0 : progress.deferredBytes)
  }

  private func note() throws(Failure) {
    guard let state = plan.state else { return }
    try report.sync()
    try deferred?.sync()
    progress.reportBytes = report.length
    progress.deferredBytes = deferred?.length ?? 0
    try state.save(progress)
  }

  private func finish() async throws(Failure) {
    try await retryDeferred()
    try report.sync()
    progress.isFinished = true
    deferred = nil
    try note()
    if let state = plan.state { unlink(state.path + ".deferred") }
  }

  // MARK: Records that others have to come before

  /// Saves what was put off, again and again while that lets more of it be saved.
  private func retryDeferred() async throws(Failure) {
    isRetrying = true
    defer { isRetrying = false }
    while let round = deferred, !Interruption.happened {
      let before = progress.saved + progress.failed
      deferred = nil
      let lines = try round.reader()
      while let line = try lines.next() {
        if let item = ImportItem(line) { try await append(item) }
      }
      try await sendBatch()
      try await sender?.drain()
      guard progress.saved + progress.failed == before, let left = deferred else { continue }
      deferred = nil
      return try await giveUp(on: left)
    }
  }

  /// Nothing helps: the records are refused, unless it is each other that they wait for.
  private func giveUp(on left: SpoolFile) async throws(Failure) {
    var all: [(item: ImportItem, reason: String)] = []
    var isComplete = true
    let lines = try left.reader()
    while let line = try lines.next() {
      guard let item = ImportItem(line) else { continue }
      all.append((item, line["reason"]?.stringValue ?? ""))
      // Too many to be saved in one request: none of them can wait for each other.
      guard all.count > plan.limits.maximumItems else { continue }
      for (item, reason) in all { try refuse(.init(place: item.place, reason: reason, row: item.row)) }
      all = []
      isComplete = false
    }
    if isComplete, try await canSaveTogether(all.map(\.item)) {
      progress.saved += Int64(all.count)
    } else {
      for (item, reason) in all { try refuse(.init(place: item.place, reason: reason, row: item.row)) }
    }
  }

  private func canSaveTogether(_ items: [ImportItem]) async throws(Failure) -> Bool {
    if let check = plan.check { return try await check.couldSaveTogether(items, session) }
    return try await sender?.saveTogether(items) ?? false
  }

  private func printCounts() throws(Failure) {
    guard let check = plan.check else {
      return try display.printCounts(progress, recordType: reader.mapping.recordType)
    }
    try session.output.write(check.summary(progress.saved, progress.failed, asJSON: session.printsJSON))
    try session.output.flush()
  }
}
