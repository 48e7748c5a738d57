import ArgumentParsing
import JSONRPC
import ListsClient

enum Delete: Verb {
  static let command = Command(
    "delete", "Delete records by their names",
    options: [
      Option("type", takes: "TYPE", "Only if it is of this type"),
      Option("zone", letter: "z", takes: "NAME", "The zone (default: _defaultZone)"),
      Option("tag", letter: "t", takes: "TAG", "Only if the record still has this tag"),
      Option("ignore-missing", "A record that isn't there is no error"),
      .idempotencyKey,
    ],
    operands: [Operand("NAME", "The record's name", count: .some)],
    examples: [.init("listsrpc delete milk bread", "Two records")])

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    var options: [(String, JSONNode)] = []
    if let type = arguments.value("type") { options.append(("recordType", .string(type))) }
    if let zone = arguments.value("zone") { options.append(("zoneName", .string(zone))) }
    if let tag = arguments.value("tag") { options.append(("recordChangeTag", .string(tag))) }
    if arguments.has("ignore-missing") { options.append(("ignoreMissing", .bool(true))) }
    if let key = arguments.value("idempotency-key") { options.append(("idempotencyKey", .string(key))) }
    for option in ["tag", "idempotency-key"] where arguments.operands.count > 1 {
      guard arguments.value(option) == nil else {
        throw Failure(usage: "--\(option) goes with one name only", verb: command.name)
      }
    }
    var worst = ExitStatus.success
    for name in arguments.operands {
      do throws(Failure) {
        let reply = try await session.call("deleteRecord", [("recordName", .string(name))] + options)
        try printDeleted(name, reply, session)
      } catch {
        // One that can't be deleted doesn't keep the others; a lost connection does.
        guard arguments.operands.count > 1, let failure = error.rejection else {
          throw error.explainingConflictOfDeletion()
        }
        worst = Failure.status(of: failure)
        error.reportable(showsJSON: arguments.has("json")).report(to: session.errors)
      }
    }
    if worst != .success { throw .reported(worst) }
  }

  private static func printDeleted(_ name: String, _ reply: JSON, _ session: Session) throws(Failure) {
    guard !session.printsJSON else { return try session.output.writeLine(reply.bytes) }
    let wasThere = reply["deleted"]?.boolValue ?? true
    let others = reply["cascadedDeletions"]?.int64Value ?? 0
    let more = others == 0 ? "" : ", and \(others) that referred to it"
    try session.output.write(
      "\(wasThere ? "Deleted" : "Not there:") \(DisplayText.harmless(name))\(more)\n")
  }
}
