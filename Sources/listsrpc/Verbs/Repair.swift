import ArgumentParsing
import JSONRPC

enum Repair: Verb {
  static let command = Command(
    "repair", "Make a new database of what can be read of a damaged one",
    discussion: [
      "Takes every record over that can still be read, also from pages that the database itself can't reach, with zones, "
        + "types, rules, indexes, saved subscriptions, idempotency keys and what was deleted, and puts the new file in the "
        + "place of the old one. That is kept beside it, under a name with the time, and never removed. A database that "
        + "has no damage is left alone.",
      "Reading goes on meanwhile, saves are refused. Former versions are not taken over, and change tokens from before "
        + "are refused. Ends with 1 when something could not be read, or can't be mended: a backup may have it.",
    ],
    options: [
      Option("dry-run", "Say what would be taken over, and write nothing"),
      Option("force", "Make a new file of a database without damage, too"),
    ],
    examples: [
      .init("listsrpc repair --dry-run", "What would be lost"),
      .init("listsrpc --container notes repair", "An app's database"),
    ])

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    let isDryRun = arguments.has("dry-run")
    let reply = try await session.call(
      "repairDatabase", [("dryRun", .bool(isDryRun)), ("force", .bool(arguments.has("force")))])
    if session.printsJSON {
      try session.output.writeLine(reply.bytes)
    } else {
      try print(reply, isDryRun: isDryRun, session)
    }
    try session.output.flush()
    let isWhole = reply["parts"]?.elements.allSatisfy { $0["isWhole"]?.boolValue == true } ?? true
    let lost = reply["numberOfLost"]?.int64Value ?? 0
    // Where nothing is made what was found remains.
    let remaining = reply["remaining"] ?? reply
    if !isWhole || lost > 0 || remaining["numberOfProblems"]?.int64Value != 0 { throw .reported(.rejected) }
  }

  private static func print(_ reply: JSON, isDryRun: Bool, _ session: Session) throws(Failure) {
    guard let records = reply["numberOfRecords"]?.int64Value else {
      return try session.output.write(
        reply["numberOfProblems"]?.int64Value == 0
          ? "no problem: nothing was changed\n"
          : "only files of assets are missing or damaged, which nothing can bring back here: nothing was changed\n"
      )
    }
    let lost = reply["numberOfLost"]?.int64Value ?? 0
    let names = reply["lost"].map { Array($0.elements) } ?? []
    for name in names { try session.output.write("lost: \(DisplayText.cell(name))\n") }
    if lost > names.count { try session.output.write("and \(lost - Int64(names.count)) more\n") }
    for note in reply["notes"].map({ Array($0.elements) }) ?? [] {
      try session.output.write("\(DisplayText.cell(note))\n")
    }
    try session.output.write(
      "\(DisplayText.count(records, "record")) \(isDryRun ? "would be" : records == 1 ? "was" : "were") taken over, \(lost == 0 ? "none" : "\(lost)") lost\n"
    )
    try printParts(reply, session)
    if let remaining = reply["remaining"], remaining["isSound"]?.boolValue == false {
      try session.output.write("what can't be mended:\n")
      try Check.printProblems(of: remaining, session)
    }
    if let file = reply["keptFile"]?.stringValue {
      try session.output.write("what was there is kept beside it as \(DisplayText.harmless(file))\n")
    }
  }

  private static func printParts(_ reply: JSON, _ session: Session) throws(Failure) {
    for part in reply["parts"].map({ Array($0.elements) }) ?? [] {
      guard let name = part["part"]?.stringValue, name != "records" else { continue }
      let kept = part["kept"]?.int64Value ?? 0
      let isWhole = part["isWhole"]?.boolValue == true
      if kept == 0, isWhole { continue }
      let doubt = isWhole ? "" : "; there may have been more"
      try session.output.write("  \(kept) \(words[name] ?? DisplayText.harmless(name))\(doubt)\n")
    }
  }

  /// Names of parts that are no words.
  private static let words = [
    "deletedRecords": "deleted records", "recordTypes": "record types", "idempotencyKeys": "idempotency keys",
  ]
}
