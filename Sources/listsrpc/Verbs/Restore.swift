import ArgumentParsing
import JSONRPC

enum Restore: Verb {
  static let command = Command(
    "restore", "Bring deleted records or former versions back",
    discussion: [
      "A deleted record comes back as it was; with --tag the record becomes the version with that tag, whether it is there "
        + "or not. It is saved as any other, so today's rules hold. For whole databases see 'restore-backup'."
    ],
    options: [
      Option("zone", letter: "z", takes: "NAME", "The zone (default: _defaultZone)"),
      Option("tag", letter: "t", takes: "TAG", "The version; 'listsrpc history NAME' lists them"),
      Option("with-cascade", "Also what its deletion took with it"),
    ],
    operands: [Operand("NAME", "The record's name", count: .some)],
    examples: [
      .init("listsrpc restore home --with-cascade", "A list with its items"),
      .init("listsrpc restore milk --tag 2-7198", "As it was in that version"),
    ])

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    var options: [(String, JSONNode)] = []
    if let zone = arguments.value("zone") { options.append(("zoneName", .string(zone))) }
    if let tag = arguments.value("tag") { options.append(("recordChangeTag", .string(tag))) }
    if arguments.has("with-cascade") { options.append(("withCascade", .bool(true))) }
    if arguments.value("tag") != nil, arguments.operands.count > 1 {
      throw Failure(usage: "--tag goes with one name only", verb: command.name)
    }
    for name in arguments.operands {
      let reply = try await session.call("restoreRecord", [("recordName", .string(name))] + options)
      let others = reply["cascadedRestorations"]?.int64Value ?? 0
      let more = others == 0 ? "" : ", and \(others) that had gone with it"
      try session.print(reply, "Restored \(name)\(more)")
    }
  }
}
