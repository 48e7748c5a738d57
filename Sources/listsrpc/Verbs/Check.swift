import ArgumentParsing
import JSONRPC

enum Check: Verb {
  static let command = Command(
    "check", "Look a database through for damage",
    discussion: [
      "Reads the whole file of the database while the service goes on, and compares everything that is kept twice: "
        + "counts, indexes, references, the log of changes. Changes nothing. Ends with 1 when something is wrong: "
        + "then 'listsrpc repair' makes a new file of what can be read."
    ],
    options: [Option("assets", "Read the files of assets, too, and hold them against their checksums")],
    examples: [
      .init("listsrpc check", "Your own database"), .init("listsrpc --container notes check", "An app's"),
    ])

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    let report = try await session.call("checkDatabase", [("assets", .bool(arguments.has("assets")))])
    let count = report["numberOfProblems"]?.int64Value ?? 0
    if session.printsJSON {
      try session.output.writeLine(report.bytes)
    } else {
      try printProblems(of: report, session)
      let records = report["checked"]?["records"]?.int64Value ?? 0
      let changes = report["checked"]?["changes"]?.int64Value ?? 0
      let assets = report["checked"]?["assets"]?.int64Value ?? 0
      let found = count == 0 ? "no problem" : count == 1 ? "1 problem" : "\(count) problems"
      try session.output.write(
        "\(DisplayText.count(records, "record")), \(DisplayText.count(changes, "kept change")) and "
          + "\(DisplayText.count(assets, "asset")) looked at: \(found)\n")
    }
    try session.output.flush()
    if count > 0 { throw .reported(.rejected) }
  }

  /// One a line.
  static func printProblems(of report: JSON, _ session: Session) throws(Failure) {
    let problems = report["problems"].map { Array($0.elements) } ?? []
    for problem in problems { try print(problem, session) }
    let count = (report["numberOfProblems"]?.int64Value ?? 0) - Int64(problems.count)
    if count > 0 { try session.output.write("and \(count) more\n") }
  }

  private static func print(_ problem: JSON, _ session: Session) throws(Failure) {
    var line = DisplayText.cell(problem["kind"]) + ": " + DisplayText.cell(problem["message"])
    if let name = problem["recordName"]?.stringValue { line += " (\(DisplayText.harmless(name)))" }
    try session.output.write(line + "\n")
  }
}
