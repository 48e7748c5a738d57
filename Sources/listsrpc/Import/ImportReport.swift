import JSONRPC

/// What is told of rows that can't be saved: on standard error of the first ones, in the report of all.
@MainActor
final class ImportReport {
  private let session: Session
  /// Nil: none was asked for.
  private let file: SpoolFile?
  private var told = 0
  /// Rows that are told of one by one; the rest is only counted.
  private static let maximumTold = 50

  /// - Parameter length: How much of the report is from an earlier run.
  init(_ path: String?, keeping length: Int64, _ session: Session) throws(Failure) {
    self.session = session
    file = try path.map { path throws(Failure) in try SpoolFile(path, keeping: length) }
  }

  var isKept: Bool { file != nil }
  var length: Int64 { file?.length ?? 0 }

  func tell(_ refusal: ImportRefusal) throws(Failure) {
    if let file {
      var members: [(String, JSONNode)] = [
        ("place", .string(refusal.place)), ("reason", .string(refusal.reason)),
      ]
      if let row = refusal.row { members.append(("row", .json(row.withoutLineEnds))) }
      try file.append(.object(members))
    }
    told += 1
    guard told <= Self.maximumTold else { return }
    session.errors.say("\(refusal.place): \(DisplayText.harmless(refusal.reason))")
  }

  /// Has the report on the disk.
  func sync() throws(Failure) { try file?.sync() }

  /// Says how many more there were.
  func end() {
    guard told > Self.maximumTold else { return }
    session.errors.say("and \(told - Self.maximumTold) more rows that could not be saved")
  }
}

extension JSON {
  /// The same on one line. Line ends stand only between JSON's tokens: inside a string they are escaped.
  fileprivate var withoutLineEnds: JSON {
    JSON(unchecked: bytes.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 })
  }
}
