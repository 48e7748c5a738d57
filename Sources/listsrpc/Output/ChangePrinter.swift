import JSONRPC
import ListsClient

/// Prints changes one a line, or runs a command for each.
@MainActor
struct ChangePrinter {
  private let output: Output
  private let errors: Output
  private let printsJSON: Bool
  private let command: String?
  private let endsAtFailure: Bool
  private let includedPaths: [String]

  /// - Parameters:
  ///   - command: What to run for each change; nil: they are printed.
  ///   - endsAtFailure: A command that fails is a failure, so that its change is not noted as taken in; otherwise
  ///     it is only told.
  ///   - includedPaths: The key paths whose records come along.
  init(_ session: Session, command: String? = nil, endsAtFailure: Bool = false, includedPaths: [String] = [])
  {
    output = session.output
    errors = session.errors
    printsJSON = session.printsJSON
    self.command = command
    self.endsAtFailure = endsAtFailure
    self.includedPaths = includedPaths
  }

  /// Prints an event and hands it on.
  ///
  /// - Returns: How many changes (or numbers of records) were printed, at most `limit`.
  func print(_ event: ChangeEvent, atMost limit: Int = .max) throws(Failure) -> Int {
    switch event {
    case .reset(let token):
      try printReset(token)
      return 0
    case .changes(let batch):
      if let count = batch.count {
        try print(Array("\(count)".utf8), text: "\(count)", .init(reason: "count"))
        try output.flush()
        return 1
      }
      return try print(
        batch.changes, zones: batch.deletedZones, token: batch.isContinued ? nil : batch.changeToken,
        isInitial: batch.isInitial, included: batch.json["included"], atMost: limit)
    }
  }

  /// Prints a page of fetched changes and hands it on.
  func print(_ page: FetchedChanges) throws(Failure) {
    if page.isReset { try printReset("") }
    _ = try print(
      page.changes, zones: page.deletedZones, token: page.isContinued ? nil : page.changeToken,
      isInitial: false,
      included: nil, atMost: .max)
  }

  /// - Parameter token: What the last line is to carry; nil: another part follows.
  private func print(
    _ changes: [RecordChange], zones: [String], token: String?, isInitial: Bool, included: JSON?,
    atMost limit: Int
  ) throws(Failure) -> Int {
    let records = IncludedRecords(included, paths: includedPaths)
    let count = changes.count + zones.count
    for (index, change) in changes.prefix(limit).enumerated() {
      if index > 0, command != nil { Termination.letPass() }
      let line = ChangeLine.json(
        of: change, changeToken: index == count - 1 ? token : nil, isInitial: isInitial, included: records)
      try print(line, text: ChangeLine.text(of: change), .init(change))
    }
    for (index, zone) in zones.enumerated() where limit > changes.count {
      let isLast = index == zones.count - 1
      try print(
        ChangeLine.json(ofDeletedZone: zone, changeToken: isLast ? token : nil),
        text: "zoneDeleted  \(DisplayText.harmless(zone))", .init(reason: "zoneDeleted", zoneName: zone))
    }
    try output.flush()
    return min(limit, changes.count)
  }

  private func printReset(_ token: String) throws(Failure) {
    if command == nil, !printsJSON {
      errors.say("changes were missed that are no longer kept: what was shown may be out of date")
    } else {
      try print(ChangeLine.reset(changeToken: token), text: "", .init(reason: "reset"))
    }
    try output.flush()
  }

  private func print(_ line: [UInt8], text: String, _ subject: Subject) throws(Failure) {
    if let command {
      try output.flush()
      let status = try ShellCommand(command).run(input: line + [0x0A], variables: subject.variables)
      if status != 0 { try handleFailure(of: command, status) }
    } else if printsJSON {
      try output.writeLine(line)
    } else {
      try output.write(output.columns.map { DisplayText.fitted(text, to: $0) } ?? text)
      try output.write("\n")
    }
  }

  private func handleFailure(of command: String, _ status: Int32) throws(Failure) {
    guard endsAtFailure else { return errors.say("'\(command)' ended with \(status)") }
    // Ctrl-C ends the command too: then the end is the signal's.
    Termination.letPass()
    throw .trouble("'\(command)' ended with \(status): its commit comes again when you watch again")
  }
}

/// What a command is told in its environment.
private struct Subject {
  var reason: String
  var recordType = ""
  var recordName = ""
  var zoneName = ""

  init(reason: String, zoneName: String = "") {
    self.reason = reason
    self.zoneName = zoneName
  }

  init(_ change: RecordChange) {
    reason = change.reason
    recordType = change.recordType
    recordName = change.recordName
    zoneName = change.zoneName
  }

  var variables: [(String, String)] {
    [
      ("LISTS_REASON", reason), ("LISTS_RECORD_TYPE", recordType), ("LISTS_RECORD_NAME", recordName),
      ("LISTS_ZONE_NAME", zoneName),
    ]
  }
}
