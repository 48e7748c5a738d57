import ArgumentParsing
import JSONRPC

enum Repair: Verb {
  static let command = Command(
    "repair", "Make a new database of what can be read of a damaged one",
    discussion: [
      "Takes every record over that can still be read, also from pages that the database itself can't reach, with zones, "
        + "types, rules, indexes and saved subscriptions, and puts the new file in the place of the old one. That is kept "
        + "beside it, under a name with the time. One that has no damage is left alone.",
      "What was deleted, the history and idempotency keys are not taken over, and change tokens from before are refused. "
        + "Nobody can write meanwhile. Ends with 1 when there are names of which no record could be read.",
    ],
    options: [
      Option("dry-run", "Say what would be taken over, and replace nothing"),
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
    let lost = reply["numberOfLost"]?.int64Value ?? 0
    if session.printsJSON {
      try session.output.writeLine(reply.bytes)
    } else {
      try print(reply, lost: lost, isDryRun: isDryRun, session)
    }
    try session.output.flush()
    if lost > 0 { throw .reported(.rejected) }
  }

  private static func print(
    _ reply: JSON, lost: Int64, isDryRun: Bool, _ session: Session
  ) throws(Failure) {
    guard let records = reply["numberOfRecords"]?.int64Value else {
      let problems = reply["numberOfProblems"]?.int64Value ?? 0
      return try session.output.write(
        problems == 0
          ? "no problem: nothing was changed\n"
          : "only files of assets are missing or damaged, which nothing can bring back here: nothing was changed\n"
      )
    }
    for name in reply["lost"].map({ Array($0.elements) }) ?? [] {
      try session.output.write("lost: \(DisplayText.cell(name))\n")
    }
    let listed = Int64(reply["lost"].map { Array($0.elements).count } ?? 0)
    if lost > listed { try session.output.write("and \(lost - listed) more\n") }
    try session.output.write(
      "\(DisplayText.count(records, "record")) \(isDryRun ? "would be" : records == 1 ? "was" : "were") taken over, \(lost == 0 ? "none" : "\(lost)") lost\n"
    )
    if let file = reply["keptFile"]?.stringValue {
      try session.output.write("what was there is kept beside it as \(DisplayText.harmless(file))\n")
    }
  }
}
