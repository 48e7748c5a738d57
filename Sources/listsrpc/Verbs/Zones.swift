import ArgumentParsing
import JSONRPC

enum Zones: Verb {
  static let command = Command(
    "zones", "List, make or delete zones",
    discussion: [
      "A zone is a set of records with names of their own, which can be watched and deleted whole. 'zones save "
        + "NAME...' makes zones, 'zones delete NAME...' deletes them with all their records; _defaultZone is always "
        + "there. Without an action they are listed."
    ],
    options: [Option("ignore-missing", "With delete: one that isn't there is no error")],
    operands: [
      Operand(
        "ACTION", "What to do (default: list them)", count: .optional,
        completion: .choices(["save", "delete"])),
      Operand("NAME", "The zones' names", count: .any),
    ],
    examples: [
      .init("listsrpc zones save holidays", "A zone"),
      .init("listsrpc watch --zone holidays", "All changes of its records"),
      .init("listsrpc zones delete holidays", "Gone with all its records"),
    ])

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    let names = arguments.operands.dropFirst()
    if arguments.operands.first != "delete", arguments.has("ignore-missing") {
      throw Failure(usage: "--ignore-missing goes with 'delete' only", verb: command.name)
    }
    switch arguments.operands.first {
    case nil:
      let reply = try await session.call("fetchZones", [])
      for zone in reply["zones"].map({ Array($0.elements) }) ?? [] {
        try session.print(zone, zone["zoneName"]?.stringValue ?? "")
      }
    case "save" where !names.isEmpty:
      for name in names {
        let reply = try await session.call("saveZone", [("zoneName", .string(name))])
        try session.print(reply["zone"] ?? reply, "Saved \(name)")
      }
    case "delete" where !names.isEmpty:
      for name in names {
        var params: [(String, JSONNode)] = [("zoneName", .string(name))]
        if arguments.has("ignore-missing") { params.append(("ignoreMissing", true)) }
        let reply = try await session.call("deleteZone", params)
        let count = reply["deletedRecords"]?.int64Value ?? 0
        try session.print(reply, "Deleted \(name) with \(count) record\(count == 1 ? "" : "s")")
      }
    case "save", "delete": throw Failure(usage: "NAME is missing", verb: command.name)
    case let action?:
      throw Failure(
        usage: "'\(action)' is none of save, delete; without a word the zones are listed", verb: command.name)
    }
  }
}
