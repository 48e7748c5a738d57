import ArgumentParsing
import JSONRPC

enum ShowSchema: Verb {
  static let command = Command(
    "schema", "Show the record types, their fields and indexes",
    discussion: [
      "With the size of each index and how many queries used it. An index is there because it was declared (see "
        + "'declare') or because queries by its keys were slow without it. As JSON each line is a record type."
    ],
    operands: [Operand("TYPE", "Only this record type", count: .optional)],
    examples: [
      .init("listsrpc schema Item", "One type"),
      .init(
        "listsrpc schema | jq -r '.name + \" \" + (.numberOfRecords | tostring)'", "How much there is of each"
      ),
    ])

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    let type = arguments.operands.first
    let reply = try await session.call("fetchSchema", type.map { [("recordType", .string($0))] } ?? [])
    let types = reply["recordTypes"].map { Array($0.elements) } ?? []
    for (index, type) in types.enumerated() {
      if index > 0, !session.printsJSON { try session.output.write("\n") }
      try SchemaCard.print(type, session)
    }
    if types.isEmpty, !session.printsJSON {
      session.errors.say(type.map { "there is no record type '\($0)'" } ?? "there are no records yet")
    }
  }
}
