import ArgumentParsing
import JSONRPC

enum Export: Verb {
  static let command = Command(
    "export", "Write records to a file",
    discussion: [
      "As JSON lines or as a JSON array each record is whole, and 'import' takes it back. CSV has the name "
        + "and the fields, references as the name they refer to, and what has no short form as JSON.",
      "With --all the record types with their rules and indexes, and the zones, come first: 'import' makes them before "
        + "the first record. The files of assets are exported with --assets.",
      "As 'cloudkit' they are written as CloudKit's web services have them, as 'parse' as the objects of a Parse class.",
    ],
    options: RecordQuery.filterOptions + [
      Option("all", letter: "a", "Everything: types, rules, indexes, zones, and all records"),
      RecordQuery.fieldsOption,
      RecordQuery.sortOption,
      Option(
        "format", takes: "FORMAT", completion: .choices(RowFormat.allCases.map(\.rawValue)),
        "jsonl, json, csv, tsv, cloudkit or parse (default: by the file's name, else jsonl)"),
      Option(
        "assets", takes: "DIR", completion: .directory,
        "Write the files of assets into this folder, each under its checksum; those that are there stay"),
      Option("output", letter: "o", takes: "FILE", completion: .file, "The file (default: standard output)"),
    ],
    operands: [Operand("TYPE", "The record type (default: every type)", count: .optional)],
    examples: [
      .init("listsrpc export Item -o items.csv --fields name,quantity", "A table for a spreadsheet"),
      .init(
        "listsrpc export --all -o everything.jsonl --assets files",
        "All records of all types and zones, what is declared, and their assets"),
    ]
  )

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    let path = arguments.value("output").flatMap { $0 == "-" ? nil : $0 }
    let format =
      arguments.value("format").flatMap { RowFormat(rawValue: $0) } ?? path.flatMap { RowFormat(path: $0) }
      ?? .jsonl
    let isAll = arguments.has("all")
    if isAll { try checkAll(arguments, format) }
    guard !arguments.operands.isEmpty || [.jsonl, .json, .cloudkit].contains(format) else {
      throw Failure(
        usage: "a file of the format \(format.rawValue) has one TYPE: name it", verb: command.name)
    }
    let queries = try await queries(arguments, session)
    do throws(Failure) {
      // The query comes first: a file is not emptied for one that is refused.
      let run = try await ExportRun(
        queries, format, assets: arguments.value("assets").map { AssetFolder($0, session) }, session)
      if isAll { run.schema = try await DatabaseSchema(session) }
      let file = try path.map { path throws(Failure) in try ExportFile(path) }
      try await run.write(to: file?.output ?? session.output)
      try file?.finish()
      if file != nil, !session.printsJSON {
        try session.output.write("\(DisplayText.count(run.written, "record")) written\n")
      }
    } catch {
      throw error.explainingPredicate(arguments.value("where"))
    }
  }

  private static func checkAll(_ arguments: Arguments, _ format: RowFormat) throws(Failure) {
    let others = (RecordQuery.filterOptions + [RecordQuery.fieldsOption]).map(\.name).filter(arguments.has)
    guard arguments.operands.isEmpty, others.isEmpty else {
      let other = arguments.operands.first ?? others.first.map { "--\($0)" } ?? ""
      throw Failure(usage: "--all is everything, and '\(other)' only a part", verb: command.name)
    }
    guard [.jsonl, .json].contains(format) else {
      throw Failure(usage: "--all goes with the formats jsonl and json only", verb: command.name)
    }
  }

  /// One for each type.
  private static func queries(_ arguments: Arguments, _ session: Session) async throws(Failure)
    -> [RecordQuery]
  {
    let prototype: RecordQuery
    do throws(UsageError) {
      prototype = try RecordQuery(arguments, recordType: arguments.operands.first ?? "")
    } catch {
      throw .usage(error, verb: command.name)
    }
    guard arguments.operands.isEmpty else { return [prototype] }
    let reply = try await session.call("fetchSchema", [])
    return (reply["recordTypes"]?.elements.compactMap { $0["name"]?.stringValue } ?? []).map { type in
      var query = prototype
      query.recordType = type
      return query
    }
  }
}
