import ArgumentParsing
import Glibc
import JSONRPC
import Records

enum Import: Verb {
  static let command = Command(
    "import", "Save the records of a file",
    discussion: [
      "Reads JSON lines, a JSON array, an array inside a JSON file (--at), or CSV whose first line names the "
        + "fields. A row is either a record as it was exported or an object whose members become the fields; in "
        + "CSV a column 'recordName' is the record's name. Text of CSV becomes what the record type's field is ('declare' "
        + "says so before the first record), or --convert. A row that can't be saved is named with its place and "
        + "reason, and the others are saved all the same.",
      "Records that exist are merged with the row's fields unless --policy says otherwise, so an import can "
        + "be repeated. Zones that aren't there are made.",
      "An export of everything (--all) begins with record types, their rules and indexes, and zones, which are made first.",
      "When the service is started anew meanwhile the import goes on, and no row is saved twice. With --resume the same "
        + "command goes on after Ctrl-C or a crash: what was saved is not saved again, and nothing is left out.",
      "CloudKit's records ({\"records\": […]}, as its web services give them) and Parse's objects ({\"results\": […]}, a "
        + "file for each class, whose name it bears) are known by their form. CloudKit's dates of creation and change "
        + "are not kept, since the service puts its own; Parse's createdAt and updatedAt become fields, and its pointers references. A field of Parse whose "
        + "numbers are all integers in the file becomes int64, any other double, unless it has a type already; from standard "
        + "input all are doubles.",
    ],
    options: RowMapping.options + [
      Option(
        "at", takes: "PLACE", "Where in a JSON file the list is: '3166-1', 'data.items' or '/data/items'"),
      Option(
        "format", takes: "FORMAT", completion: .choices(RowFormat.allCases.map(\.rawValue)),
        "json, jsonl, csv, tsv, cloudkit or parse (default: by the file's name and its first row)"),
      Option(
        "policy", letter: "p", takes: "POLICY",
        completion: .choices(["changedKeys", "allKeys", "ifServerRecordUnchanged"]),
        "changedKeys to merge (the default), allKeys to replace, ifServerRecordUnchanged to refuse what exists"
      ),
      Option(
        "assets", takes: "DIR", completion: .directory,
        "Save the files of assets, too: they are in this folder, each under its checksum"),
      Option(
        "dry-run", letter: "d", "Save nothing: say what would be saved, and what would be refused and why"),
      Option(
        "report", takes: "FILE", completion: .file,
        "Write every row that can't be saved to this file, as JSON lines with place, reason and row"),
      Option(
        "resume", takes: "FILE", completion: .file,
        "Keep in this file how far the import is, and go on from there when it is there already"),
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
    var mapping: RowMapping
    do throws(UsageError) {
      mapping = try RowMapping(arguments)
    } catch {
      throw .usage(error, verb: command.name)
    }
    guard !arguments.has("dry-run") || !arguments.has("resume") else {
      throw Failure(
        usage: "--dry-run saves nothing that could be gone on from with --resume", verb: command.name)
    }
    try checkFiles(arguments)
    let source = try source(arguments)
    let info = try await session.call("serverInfo", [])
    let types = try await types(session)
    if source is CSVRows { mapping.types = types }
    var plan = ImportRun.Plan(limits: .init(info["limits"]), reportPath: arguments.value("report"))
    plan.assets = arguments.value("assets").map { AssetFolder($0, session) }
    if let path = arguments.value("resume") {
      let state = try ImportState(path, of: description(arguments, session))
      plan.state = state
    }
    let features = info["capabilities"]?.elements.compactMap(\.stringValue) ?? []
    if features.contains("idempotency") { plan.keyPrefix = "import-\(plan.state?.id ?? ImportState.newID())" }
    if arguments.has("dry-run") {
      plan.check = try await ImportCheck(session, limits: info["limits"], assets: plan.assets)
    }
    var reader = RecordReader(
      mapping, format: arguments.value("format").flatMap { RowFormat(rawValue: $0) },
      className: ParseForm.className(ofFile: arguments.operands[0]) ?? mapping.recordType,
      operationType: operationType(arguments.value("policy")), nameSeed: plan.state?.id,
      numbers: NumberTypes(mapping, schema: types))
    // Only a file can be read twice.
    if !(source is CSVRows), source.progress != nil, arguments.operands[0] != "-" {
      reader.learnNumbers(from: try Self.source(arguments))
    }
    let rows = try RowsBehindSchema(source)
    if let schema = rows.schema { try await bring(schema, mapping, plan, session) }
    let run = try ImportRun(rows, reader, plan, session)
    do throws(Failure) {
      try await run.run()
    } catch {
      // Rows that were refused are no reason to leave the rest out.
      if case .reported(.rejected) = error { try await finish(rows.schema, mapping, plan, session) }
      throw error
    }
    try await finish(rows.schema, mapping, plan, session)
  }

  /// What is written must not be what is read, nor one file twice.
  private static func checkFiles(_ arguments: Arguments) throws(Failure) {
    var known: [(what: String, device: dev_t, inode: ino_t)] = []
    var paths: [String: String] = [:]
    let files =
      [("FILE", arguments.operands[0])]
      + ["report", "resume"].compactMap { option in
        arguments.value(option).map { ("--\(option)", $0) }
      }
    for (what, path) in files {
      var status = stat()
      let isThere =
        path == "-" && what == "FILE" ? fstat(STDIN_FILENO, &status) == 0 : stat(path, &status) == 0
      let isFile = isThere && status.st_mode & S_IFMT == S_IFREG
      let same =
        isFile ? known.first { $0.device == status.st_dev && $0.inode == status.st_ino }?.what : paths[path]
      if let same {
        throw Failure(usage: "\(same) and \(what) are the same file, '\(path)'", verb: command.name)
      }
      if isFile { known.append((what, status.st_dev, status.st_ino)) }
      if !isThere { paths[path] = what }
    }
  }

  /// Makes what the file says that its records need, unless they are to be others than there.
  private static func bring(
    _ schema: DatabaseSchema, _ mapping: RowMapping, _ plan: ImportRun.Plan, _ session: Session
  ) async throws(Failure) {
    guard mapping.keepsRecords else {
      return session.errors.say(
        "the file's record types, rules and zones are passed over, since the records are changed on their way"
      )
    }
    // An earlier run has brought it, and somebody may have changed it since.
    if plan.state?.isResumed == true { return }
    if let check = plan.check {
      try await schema.check(session)
      check.learn(schema)
    } else {
      try await schema.bring(session)
    }
  }

  /// Makes what is to be there once the records are.
  private static func finish(
    _ schema: DatabaseSchema?, _ mapping: RowMapping, _ plan: ImportRun.Plan, _ session: Session
  ) async throws(Failure) {
    guard let schema, mapping.keepsRecords, plan.check == nil else { return }
    try await schema.bringDefaults(session)
  }

  /// What is imported and how: what a state is of.
  private static func description(_ arguments: Arguments, _ session: Session) -> JSONNode {
    let names = Set(RowMapping.options.map(\.name) + ["at", "format", "policy"])
    let options = arguments.values(of: names).map { JSONNode.array([.string($0.name), .string($0.value)]) }
    return .object([("file", .string(arguments.operands[0])), ("options", .array(options))] + session.place)
  }

  /// The fields of all record types, and their types.
  private static func types(_ session: Session) async throws(Failure) -> [String: [String: FieldType]] {
    var types: [String: [String: FieldType]] = [:]
    let reply = try await session.call("fetchSchema", [])
    for type in reply["recordTypes"].map({ Array($0.elements) }) ?? [] {
      for field in type["fields"].map({ Array($0.elements) }) ?? [] {
        types[type["name"]?.stringValue ?? "", default: [:]][field["name"]?.stringValue ?? ""] =
          field["type"]?.stringValue.flatMap { FieldType(name: $0) }
      }
    }
    return types
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
