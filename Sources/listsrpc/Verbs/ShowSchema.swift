import ArgumentParsing
import JSONRPC

enum ShowSchema: Verb {
  static let command = Command(
    "schema", "Show the record types, their fields and indexes",
    discussion: [
      "With the size of each index and how many queries used it. An index is there because it was declared (see "
        + "'declare') or because queries by its keys were slow without it. As JSON each line is a record type.",
      "With --ckdb in CloudKit's schema language, which 'declare --ckdb' and Apple's cktool take. What it has no words "
        + "for is said on standard error.",
    ],
    options: [Option("ckdb", "Print the schema as CloudKit's tools have it")],
    operands: [Operand("TYPE", "Only this record type", count: .optional)],
    examples: [
      .init("listsrpc schema Item", "One type"),
      .init("listsrpc schema --ckdb > schema.ckdb", "For a CloudKit container"),
      .init(
        "listsrpc schema | jq -r '.name + \" \" + (.numberOfRecords | tostring)'", "How much there is of each"
      ),
    ])

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    let type = arguments.operands.first
    let reply = try await session.call("fetchSchema", type.map { [("recordType", .string($0))] } ?? [])
    let types = reply["recordTypes"].map { Array($0.elements) } ?? []
    if arguments.has("ckdb") { return try printCloudKit(types, session) }
    for (index, type) in types.enumerated() {
      if index > 0, !session.printsJSON { try session.output.write("\n") }
      try SchemaCard.print(type, session)
    }
    if types.isEmpty, !session.printsJSON {
      session.errors.say(type.map { "there is no record type '\($0)'" } ?? "there are no records yet")
    }
  }

  private static func printCloudKit(_ types: [JSON], _ session: Session) throws(Failure) {
    var schema = CloudKitSchema()
    var notes: [String] = []
    for type in types { schema.recordTypes.append(.init(type, notes: &notes)) }
    try session.output.write(schema.text)
    try session.output.flush()
    for note in notes { session.errors.say(DisplayText.harmless(note)) }
  }
}
