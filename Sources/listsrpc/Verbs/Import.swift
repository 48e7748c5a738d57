import ArgumentParsing
import JSONRPC

enum Import: Verb {
  static let command = Command(
    "import", "Save the records of a file",
    discussion: [
      "Reads JSON lines, a JSON array, an array inside a JSON file (--at), or CSV whose first line names the "
        + "fields. A row is either a record as it was exported or an object whose members become the fields; in "
        + "CSV a column 'recordName' is the record's name. A row that can't be saved is named with its place and "
        + "reason, and the others are saved all the same.",
      "Records that exist are merged with the row's fields unless --policy says otherwise, so an import can "
        + "be repeated.",
    ],
    options: RowMapping.options + [
      Option(
        "at", takes: "PLACE", "Where in a JSON file the list is: '3166-1', 'data.items' or '/data/items'"),
      Option(
        "format", takes: "FORMAT", completion: .choices(RowFormat.allCases.map(\.rawValue)),
        "json, jsonl, csv or tsv (default: by the file's name, else by its first character)"),
      Option(
        "policy", letter: "p", takes: "POLICY",
        completion: .choices(["changedKeys", "allKeys", "ifServerRecordUnchanged"]),
        "changedKeys to merge (the default), allKeys to replace, ifServerRecordUnchanged to refuse what exists"
      ),
    ],
    operands: [Operand("FILE", "The file, or - for standard input", completion: .file)],
    examples: [
      .init(
        "listsrpc import /usr/share/iso-codes/json/iso_3166-1.json --at 3166-1 --type Country --name-from alpha_2",
        "The world's countries"),
      .init(
        "listsrpc import /usr/share/iso-codes/json/iso_3166-2.json --at 3166-2 --type Subdivision "
          + "--name-from code --reference country={code:2} --reference 'parent={parent}|{code:2}-{parent}'",
        "Their subdivisions, with references to the country and to the subdivision above"),
      .init("listsrpc export Item | listsrpc import - --container copy", "A copy in another container"),
    ])

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    let mapping: RowMapping
    do throws(UsageError) {
      mapping = try RowMapping(arguments)
    } catch {
      throw .usage(error, verb: command.name)
    }
    let source = try source(arguments)
    let limits = try await session.call("serverInfo", [])["limits"]
    let run = ImportRun(
      source, mapping, ImportBatch(limits: limits), session,
      operationType: operationType(arguments.value("policy")))
    try await run.run()
  }

  private static func operationType(_ policy: String?) -> String {
    switch policy {
    case "allKeys": "forceReplace"
    case "ifServerRecordUnchanged": "create"
    default: "forceUpdate"
    }
  }

  private static func source(_ arguments: Arguments) throws(Failure) -> any RowSource {
    let path = arguments.operands[0]
    let file = try InputFile(path)
    let place = arguments.value("at").map(JSONPath.init)
    var format = arguments.value("format").flatMap { RowFormat(rawValue: $0) } ?? RowFormat(path: path)
    if format == nil {
      try file.skipByteOrderMark()
      let first = try file.peekByte()
      let isJSON = first.map { "{[ \n\t\r".utf8.contains($0) } ?? true
      format = isJSON || place != nil ? .json : .csv
    }
    switch format {
    case .csv: return CSVRows(file, separator: UInt8(ascii: ","))
    case .tsv: return CSVRows(file, separator: UInt8(ascii: "\t"))
    default: return JSONRows(file, path: place)
    }
  }
}
