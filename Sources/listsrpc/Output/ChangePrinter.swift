import JSONRPC
import ListsClient

/// Prints changes one a line, or runs a command for each.
@MainActor
struct ChangePrinter {
  private let output: Output
  private let errors: Output
  private let printsJSON: Bool
  private let command: String?

  init(_ session: Session, command: String?) {
    output = session.output
    errors = session.errors
    printsJSON = session.printsJSON
    self.command = command
  }

  /// Prints an event and hands it on.
  ///
  /// - Returns: How many changes were printed, at most `limit`.
  func print(_ event: ChangeEvent, atMost limit: Int) throws(Failure) -> Int {
    switch event {
    case .reset(let token):
      try print(Line.reset(changeToken: token), nil)
      try output.flush()
      return 0
    case .changes(let batch):
      let changes = batch.changes
      for (index, change) in changes.prefix(limit).enumerated() {
        let ends = index == changes.count - 1 && !batch.isContinued
        try print(
          Line.change(change, changeToken: ends ? batch.changeToken : nil, isInitial: batch.isInitial), change
        )
      }
      try output.flush()
      return min(limit, changes.count)
    }
  }

  private func print(_ line: [UInt8], _ change: RecordChange?) throws(Failure) {
    if let command {
      try output.flush()
      try run(command, line, change)
    } else if printsJSON {
      try output.writeLine(line)
    } else if let change {
      let text = Line.text(of: change)
      try output.write(output.columns.map { DisplayText.fitted(text, to: $0) } ?? text)
      try output.write("\n")
    } else {
      errors.say("changes were missed that are no longer kept: what was shown may be out of date")
    }
  }

  private func run(_ command: String, _ line: [UInt8], _ change: RecordChange?) throws(Failure) {
    let variables = [
      ("LISTS_REASON", change?.reason ?? "reset"), ("LISTS_RECORD_TYPE", change?.recordType ?? ""),
      ("LISTS_RECORD_NAME", change?.recordName ?? ""),
    ]
    let status = try ShellCommand(command).run(input: line + [0x0A], variables: variables)
    if status != 0 { errors.say("'\(command)' ended with \(status)") }
  }
}

/// A change as a line.
private enum Line {
  static func change(_ change: RecordChange, changeToken: String?, isInitial: Bool) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    for member in change.json.members {
      writer.key(member.key)
      writer.raw(member.value)
    }
    if isInitial {
      writer.key("initial")
      writer.bool(true)
    }
    if let changeToken {
      writer.key("changeToken")
      writer.string(changeToken)
    }
    writer.endObject()
    return writer.bytes
  }

  static func reset(changeToken: String) -> [UInt8] {
    JSONNode.object([("reason", "reset"), ("changeToken", .string(changeToken))]).encoded()
  }

  /// `updated  Item milk  quantity=2 done=true`
  static func text(of change: RecordChange) -> String {
    let reason = DisplayText.padded(DisplayText.harmless(change.reason), to: 8)
    var text =
      "\(reason)  \(DisplayText.harmless(change.recordType)) \(DisplayText.harmless(change.recordName))"
    guard let fields = change.record?["fields"] else { return text }
    let changed = Set(change.changedKeys)
    let isWhole = changed.isEmpty || change.reason == "created" || change.reason == "entered"
    let shown = fields.members.filter { isWhole || changed.contains($0.name) }
    let values = shown.map { "\(DisplayText.harmless($0.name))=\(DisplayText.cell($0.value))" }
    if !values.isEmpty { text += "  " + values.joined(separator: " ") }
    return text
  }
}
