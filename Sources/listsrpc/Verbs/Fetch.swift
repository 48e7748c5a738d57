import ArgumentParsing
import JSONRPC
import ListsClient

enum Fetch: Verb {
  static let command = Command(
    "fetch", "Show records by their names",
    discussion: [
      "Those that are there are printed in the order asked for; the others are named on standard error."
    ],
    options: [
      Option("type", takes: "TYPE", "Only records of this type"),
      Option("zone", letter: "z", takes: "NAME", "The zone (default: _defaultZone)"),
      Option("fields", letter: "f", takes: "LIST", "Only these fields, with commas between them"),
    ],
    operands: [Operand("NAME", "The record's name", count: .some)],
    examples: [.init("listsrpc fetch BE", "One record")])

  /// How many records are asked for at once: what the service's defaults allow.
  private static let chunk = 1000

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    var options: [(String, JSONNode)] = []
    if let type = arguments.value("type") { options.append(("recordType", .string(type))) }
    if let zone = arguments.value("zone") { options.append(("zoneName", .string(zone))) }
    if let fields = arguments.value("fields") {
      options.append(("desiredKeys", .array(RecordQuery.list(fields).map { .string($0) })))
    }
    let names = arguments.operands
    if names.count == 1 {
      let reply = try await session.call("fetchRecord", [("recordName", .string(names[0]))] + options)
      if let record = reply["record"] { try RecordCard.print(record, session) }
      return
    }
    var worst = ExitStatus.success
    for start in stride(from: 0, to: names.count, by: chunk) {
      let part = names[start..<min(start + chunk, names.count)]
      let reply = try await session.call(
        "fetchRecords", [("recordNames", .array(part.map { .string($0) }))] + options)
      for result in reply["results"].map({ Array($0.elements) }) ?? [] {
        if let record = result["record"] {
          try RecordCard.print(record, session)
        } else {
          let error = ClientError.ServiceError(error: result["error"])
          worst = Failure.status(of: error)
          Failure.client(.rejected(error)).reportable(showsJSON: arguments.has("json")).report(
            to: session.errors)
        }
      }
    }
    if worst != .success { throw .reported(worst) }
  }
}
