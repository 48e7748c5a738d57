import JSONRPC

/// What a person sees of an import: the progress bar, and the counts at the end.
@MainActor
final class ImportDisplay {
  private let session: Session
  private var bar: ProgressBar
  /// How many rows there are, where all were read before the first was sent.
  var total: Int?

  init(_ title: String, _ session: Session) {
    self.session = session
    bar = ProgressBar(title, on: session.errors)
  }

  func show(_ progress: ImportState.Progress, _ source: any RowSource) {
    guard session.showsProgress else { return }
    let done = Int(progress.saved + progress.failed)
    bar.show(done, of: total ?? source.progress.map { estimate($0, done) })
  }

  /// Bytes turned into rows by what the rows so far took.
  private func estimate(_ read: (done: Int, total: Int), _ done: Int) -> Int {
    guard read.done > 0 else { return done }
    return max(done, Int(Double(done) * Double(read.total) / Double(read.done)))
  }

  func clear() { bar.clear() }

  /// - Parameter recordType: The type of every record; nil when they say theirs.
  func printCounts(_ progress: ImportState.Progress, recordType: String?) throws(Failure) {
    let output = session.output
    if session.printsJSON {
      let counts: JSONNode = ["saved": .int(progress.saved), "failed": .int(progress.failed)]
      try output.writeLine(counts.encoded())
    } else {
      let failed = progress.failed > 0 ? ", \(progress.failed) could not be saved" : ""
      let type = recordType.map { " as \(DisplayText.harmless($0))" } ?? ""
      try output.write("\(DisplayText.count(progress.saved, "record")) saved\(type)\(failed)\n")
    }
    try output.flush()
  }
}
