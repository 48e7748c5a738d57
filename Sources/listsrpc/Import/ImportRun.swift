import JSONRPC

/// One import from its first row to its report.
@MainActor
final class ImportRun {
  private let source: any RowSource
  private let mapping: RowMapping
  private let session: Session
  private let sender: ImportSender
  private var batch: ImportBatch
  private var bar: ProgressBar
  private var reported = 0
  /// How many rows there are, where all were read before the first was sent.
  private var total: Int?
  /// Rows that are told of one by one; the rest is only counted.
  private static let maximumReports = 50

  init(
    _ source: any RowSource, _ mapping: RowMapping, _ batch: ImportBatch, _ session: Session,
    operationType: String
  ) {
    self.source = source
    self.mapping = mapping
    self.batch = batch
    self.session = session
    bar = ProgressBar("Importing", on: session.errors)
    weak var run: ImportRun?
    sender = ImportSender(session, operationType: operationType) { place, reason in
      run?.tell(place, reason)
    }
    run = self
  }

  func run() async throws(Failure) {
    Interruption.watch()
    do throws(Failure) {
      try await sendAll()
    } catch {
      bar.clear()
      if sender.saved + sender.failed > 0 { try? printCounts() }
      throw error
    }
    bar.clear()
    try printCounts()
    if Interruption.happened { throw .reported(.interrupted) }
    if sender.failed > 0 { throw .reported(.rejected) }
  }

  private func sendAll() async throws(Failure) {
    let rows = try collected()
    total = rows?.all.count
    var index = 0
    while !Interruption.happened {
      let row: InputRow?
      if let rows {
        row = index < rows.all.count ? rows.all[index] : nil
        index += 1
      } else {
        row = try source.next()
      }
      // An interruption may have cut the last row short.
      guard let row, !Interruption.happened else { break }
      try await take(row, rows?.names ?? [])
    }
    if !Interruption.happened { try await sendBatch() }
  }

  /// All rows and their records' names, when the names decide what is referred to.
  private func collected() throws(Failure) -> (all: [InputRow], names: Set<String>)? {
    guard mapping.needsAllNames else { return nil }
    var all: [InputRow] = []
    var names: Set<String> = []
    while let row = try source.next() {
      all.append(row)
      // A row without a name is told of when its turn comes.
      if case .value(let value, _) = row, let name = try? mapping.name(of: value) { names.insert(name) }
    }
    return (all, names)
  }

  private func take(_ row: InputRow, _ names: Set<String>) async throws(Failure) {
    switch row {
    case .fault(let reason, let place): sender.fail(place, reason)
    case .value(let value, let place):
      let record: JSON
      do throws(RowMapping.Fault) {
        record = try mapping.record(for: value, names: names)
      } catch {
        return sender.fail(place, error.reason)
      }
      if batch.isFull(before: record) { try await sendBatch() }
      batch.append(.init(record: record, place: place))
    }
  }

  private func sendBatch() async throws(Failure) {
    let items = batch.takeAll()
    guard !items.isEmpty else { return }
    try await sender.send(items)
    showProgress()
  }

  private func showProgress() {
    guard session.showsProgress else { return }
    let done = sender.saved + sender.failed
    bar.show(done, of: total ?? source.progress.map { estimate($0, done) })
  }

  /// Bytes turned into rows by what the rows so far took.
  private func estimate(_ progress: (done: Int, total: Int), _ done: Int) -> Int {
    guard progress.done > 0 else { return done }
    return max(done, Int(Double(done) * Double(progress.total) / Double(progress.done)))
  }

  private func tell(_ place: String, _ reason: String) {
    reported += 1
    guard reported <= Self.maximumReports else { return }
    bar.clear()
    session.errors.say("\(place): \(DisplayText.harmless(reason))")
  }

  private func printCounts() throws(Failure) {
    if reported > Self.maximumReports {
      session.errors.say("and \(reported - Self.maximumReports) more rows that could not be saved")
    }
    let output = session.output
    if session.printsJSON {
      let counts: JSONNode = ["saved": .int(Int64(sender.saved)), "failed": .int(Int64(sender.failed))]
      try output.writeLine(counts.encoded())
    } else {
      let failed = sender.failed > 0 ? ", \(sender.failed) could not be saved" : ""
      let type = mapping.recordType.map { " as \(DisplayText.harmless($0))" } ?? ""
      try output.write("\(sender.saved) records saved\(type)\(failed)\n")
    }
    try output.flush()
  }
}
