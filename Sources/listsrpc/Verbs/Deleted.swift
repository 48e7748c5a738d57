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
    var table = Table(headings: ["deleted", "by", "type", "name", "zone", "because of"])
    var shown = 0
    var pages = UndoPages("fetchDeletedRecords", params, listing: "deletedRecords")
    let limit = try UndoOptions.limit(arguments, verb: command.name)
    while shown < limit, let page = try await pages.next(atMost: limit - shown, session) {
      shown += page.count
      for item in page {
        guard !session.printsJSON else {
          try session.output.writeLine(item.bytes)
          continue
        }
        let record = item["record"]
        table.append(
          [
            UndoOptions.time(item["deleted"]), DisplayText.cell(item["deleted"]?["userRecordName"]),
            DisplayText.cell(record?["recordType"]), DisplayText.cell(record?["recordName"]),
            DisplayText.cell(record?["zoneName"]), DisplayText.cell(item["cause"]?["recordName"]),
          ].map { .init(text: $0) })
      }
    }
    if shown == 0 { session.errors.say("nothing that was deleted is kept") }
    if !session.printsJSON, shown > 0 { try session.printTable(table) }
  }
}
