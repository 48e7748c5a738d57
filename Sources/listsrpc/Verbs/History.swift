import ArgumentParsing
import JSONRPC

enum History: Verb {
  static let command = Command(
    "history", "Show the versions of a record",
    discussion: [
      "The newest first, as far as they are kept. 'listsrpc restore NAME --tag TAG' brings one back."
    ],
    options: [
      Option("zone", letter: "z", takes: "NAME", "The zone (default: _defaultZone)"),
      Option("fields", letter: "f", takes: "LIST", "Only these fields, with commas between them"),
      UndoOptions.limit,
    ],
    operands: [Operand("NAME", "The record's name")],
    examples: [.init("listsrpc history milk", "What it was, when, and who made it so")])

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    var params: [(String, JSONNode)] = [("recordName", .string(arguments.operands[0]))]
    if let zone = arguments.value("zone") { params.append(("zoneName", .string(zone))) }
    if let fields = arguments.value("fields") {
      params.append(("desiredKeys", .array(RecordQuery.list(fields).map { .string($0) })))
    }
    var pages = UndoPages("fetchHistory", params, listing: "versions")
    _ = try await pages.print(
      ["when", "by", "reason", "tag", "fields"],
      atMost: try UndoOptions.limit(arguments, verb: command.name), session
    ) { version in
      let texts = [
        version["modified"]?["userRecordName"], version["reason"], version["record"]?["recordChangeTag"],
      ].map(DisplayText.cell)
      return [UndoOptions.time(version["modified"])] + texts + [fields(of: version)]
    }
    if pages.isComplete == false { session.errors.say("older versions are not kept, or beyond --limit") }
  }

  /// Those that the version changed, with what they became.
  private static func fields(of version: JSON) -> String {
    let fields = version["record"]?["fields"]
    guard let keys = version["changedKeys"].map({ $0.elements.compactMap(\.stringValue) }), !keys.isEmpty
    else {
      return fields.map { values in
        values.members.map { "\(DisplayText.harmless($0.name))=\(DisplayText.cell($0.value))" }
          .joined(separator: " ")
      } ?? ""
    }
    return keys.map { "\(DisplayText.harmless($0))=\(DisplayText.cell(fields?[$0]))" }.joined(separator: " ")
  }
}
