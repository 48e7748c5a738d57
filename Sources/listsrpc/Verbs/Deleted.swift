import ArgumentParsing
import JSONRPC

enum Deleted: Verb {
  static let command = Command(
    "deleted", "List deleted records that can be restored",
    discussion: [
      "The latest first, as long as their deletion is kept; those whose names are there again are left out."
    ],
    options: [
      Option("type", takes: "TYPE", "Only records of this type"),
      Option("zone", letter: "z", takes: "NAME", "Only records of this zone"),
      UndoOptions.limit,
    ],
    examples: [
      .init("listsrpc deleted --type Item", "What was deleted of a type"),
      .init("listsrpc deleted | jq -r .record.recordName", "Only the names"),
    ])

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    var params: [(String, JSONNode)] = []
    if let type = arguments.value("type") { params.append(("recordType", .string(type))) }
    if let zone = arguments.value("zone") { params.append(("zoneName", .string(zone))) }
    var pages = UndoPages("fetchDeletedRecords", params, listing: "deletedRecords")
    let shown = try await pages.print(
      ["deleted", "by", "type", "name", "zone", "because of"],
      atMost: try UndoOptions.limit(arguments, verb: command.name), session
    ) { item in
      let record = item["record"]
      return [UndoOptions.time(item["deleted"])]
        + [
          item["deleted"]?["userRecordName"], record?["recordType"], record?["recordName"],
          record?["zoneName"], item["cause"]?["recordName"],
        ].map(DisplayText.cell)
    }
    if shown == 0 { session.errors.say("nothing that was deleted is kept") }
  }
}
