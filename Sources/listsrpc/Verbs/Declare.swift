import ArgumentParsing
import JSONRPC
import ListsClient

enum Declare: Verb {
  static let command = Command(
    "declare", "Declare fields, rules and indexes of a record type, or change its fields",
    discussion: [
      "A field has a name, a type and, where it is to be searched by, its indexes: 'queryable' finds by value, "
        + "range and prefix, 'sortable' sorts, 'searchable' finds by words. Those named take the place of those "
        + "that the field had; a field without indexes keeps its own, and 'none' takes them away. ':localized' behind them sorts as a person expects.",
      "Indexes only make queries faster; every query works without. They are built while the service goes on: "
        + "'listsrpc schema TYPE' shows how far.",
      "Rules hold for every save, and are refused while records break them. The value of --default, --min and --max is "
        + "a text; with FIELD:=JSON it is any value, as in --min quantity:=0.",
      "--rename, --retype and --drop change every record that has the field, in one commit, before anything else is "
        + "declared. Values are only lost with --accept-loss; --dry-run tells which.",
      "With --ckdb a file in CloudKit's schema language says it all, of as many record types as it defines: a field "
        + "without QUERYABLE, SORTABLE or SEARCHABLE has no index then. Roles and grants mean nothing here. With --schema the "
        + "file is what 'schema' prints, rules included. Either way all is tried first: where something is refused, nothing "
        + "is declared.",
    ],
    options: [
      Option(
        "index", letter: "i", takes: "KEYS",
        "An index over several keys, with commas between them; those given take the place of the declared ones",
        isRepeatable: true),
      Option("no-indexes", "Take the declared indexes over several keys away"),
      Option(
        "automatic-indexes", takes: "ON", completion: .choices(["on", "off"]),
        "Whether queries may make indexes by themselves"),
      Option("delete", "Forget the type, which must have no records"),
      Option(
        "ckdb", takes: "FILE", completion: .file,
        "Declare what a file in CloudKit's schema language defines; - for standard input"),
      Option(
        "schema", takes: "FILE", completion: .file,
        "Declare what 'listsrpc schema' printed as JSON, or what 'export --all' begins with; - for standard input"
      ),
    ] + FieldRuleOptions.options + FieldChangeOptions.options,
    operands: [
      Operand("TYPE", "The record type; none with --ckdb or --schema", count: .optional),
      Operand("FIELD", "NAME:TYPE or NAME:TYPE:INDEXES; a list's type is string-list and so on", count: .any),
    ],
    examples: [
      .init(
        "listsrpc declare Item name:string:queryable,sortable,searchable tags:string-list:queryable",
        "Find items by name, words and tags"),
      .init(
        "listsrpc declare Item --index list,done,name", "The open items of a list by name, without sorting"),
      .init(
        "listsrpc declare Item name:string --required name --unique name --min quantity:=0",
        "What is demanded of items"),
      .init(
        "listsrpc declare Item --rename qty=quantity --retype quantity=int64 --dry-run",
        "What would be lost if the field became a number"),
      .init("listsrpc declare --ckdb schema.ckdb", "What an app's CloudKit container has"),
      .init(
        "listsrpc schema | listsrpc declare --schema - --container copy",
        "The same types in another container"),
    ])

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    for (option, isDescribed) in [("ckdb", false), ("schema", true)] {
      guard let path = arguments.value(option) else { continue }
      let others = command.options.map(\.name).filter {
        ![option, "dry-run"].contains($0) && arguments.has($0)
      }
      guard arguments.operands.isEmpty, others.isEmpty else {
        throw Failure(usage: "with --\(option) the file says everything", verb: command.name)
      }
      let isDryRun = arguments.has("dry-run")
      guard isDescribed else { return try await SchemaDeclaration(path).run(session, isDryRun: isDryRun) }
      return try await declareDescribed(path, isDryRun: isDryRun, session)
    }
    if arguments.has("delete") { return try await delete(arguments, session) }
    let parameters: [(String, JSONNode)]
    do throws(UsageError) {
      parameters = [("recordType", try read(arguments))] + (try FieldChangeOptions.parameters(arguments))
    } catch {
      throw .usage(error, verb: command.name)
    }
    let reply: JSON
    do {
      reply = try await session.call("saveRecordType", parameters)
    } catch {
      throw error.explainingRules()
    }
    if let report = reply["report"], reply["recordType"] == nil || !session.printsJSON {
      try FieldChangesCard.print(report, isDryRun: reply["recordType"] == nil, session)
    }
    if arguments.has("dry-run") {
      // As without it: then this would be refused.
      if reply["report"]?["violations"].map({ !$0.elements.isEmpty }) == true { throw .reported(.rejected) }
      return
    }
    guard let type = reply["recordType"] else {
      throw .client(.malformedReply("saveRecordType gave no record type"))
    }
    try SchemaCard.print(type, session)
  }

  /// Declares what `schema` printed as JSON lines, or what an export of everything begins with.
  private static func declareDescribed(
    _ path: String, isDryRun: Bool, _ session: Session
  ) async throws(Failure) {
    let rows = JSONRows(try InputFile(path), path: nil)
    var described: [JSON] = []
    while let row = try rows.next() {
      switch row {
      case .fault(let reason, let place): throw .trouble("\(place): \(DisplayText.harmless(reason))")
      case .value(let value, let place):
        if let schema = DatabaseSchema(row: value) {
          described = schema.recordTypes
          break
        }
        guard value["name"]?.kind == .string, value["fields"]?.kind == .array else {
          throw .trouble("\(place): no record type as 'listsrpc schema --json' prints it")
        }
        described.append(value)
        continue
      }
      break
    }
    let declarations = TypeDeclarations(types: described.compactMap { .init(described: $0) })
    if isDryRun {
      try await declarations.check(session)
    } else {
      try await declarations.declare(session, prints: true)
    }
    guard !session.printsJSON else { return }
    let could = isDryRun ? "could be " : ""
    try session.output.write("\(declarations.types.count) record types \(could)declared\n")
  }

  private static func delete(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    let others = command.options.map(\.name).filter { $0 != "delete" && arguments.has($0) }
    guard arguments.operands.count == 1, others.isEmpty else {
      throw Failure(usage: "--delete takes a TYPE and nothing else", verb: command.name)
    }
    let name = arguments.operands[0]
    let reply = try await session.call("deleteRecordType", [("recordType", .string(name))])
    try session.print(reply, "deleted the record type \(DisplayText.harmless(name))")
  }

  private static func read(_ arguments: Arguments) throws(UsageError) -> JSONNode {
    guard let name = arguments.operands.first else {
      throw UsageError("give a TYPE, or --ckdb and a file")
    }
    var members: [(String, JSONNode)] = [("name", .string(name))]
    var fields: [(String, JSONNode)] = []
    for word in arguments.operands.dropFirst() {
      let field = try FieldDeclaration(parsing: word).member
      guard !fields.contains(where: { $0.0 == field.0 }) else {
        throw UsageError("the field '\(field.0)' is declared twice")
      }
      fields.append(field)
    }
    for (field, rule, value) in try FieldRuleOptions.rules(arguments) {
      let place = fields.firstIndex { $0.0 == field } ?? fields.endIndex
      if place == fields.endIndex { fields.append((field, .object([]))) }
      guard case .object(let members) = fields[place].1 else { continue }
      fields[place].1 = .object(members + [(rule, value)])
    }
    if !fields.isEmpty { members.append(("fields", .object(fields))) }
    let indexes = arguments.values("index")
    guard indexes.isEmpty || !arguments.has("no-indexes") else {
      throw UsageError("--index and --no-indexes exclude each other")
    }
    if !indexes.isEmpty || arguments.has("no-indexes") {
      var nodes: [JSONNode] = []
      for text in indexes { nodes.append(try index(text)) }
      members.append(("indexes", .array(nodes)))
    }
    if let choice = arguments.value("automatic-indexes") {
      members.append(("automaticIndexes", .bool(choice == "on")))
    }
    guard members.count > 1 || ["rename", "retype", "drop"].contains(where: arguments.has) else {
      throw UsageError("there is nothing to declare: give a FIELD, an index, a rule or a change")
    }
    return .object(members)
  }

  /// `list,done,name`, with `:localized` at its end.
  private static func index(_ text: String) throws(UsageError) -> JSONNode {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    let keys = RecordQuery.list(parts[0])
    guard !keys.isEmpty,
      parts.count == 1 || (parts.count == 2 && ["localized", "codePoint"].contains(parts[1]))
    else {
      throw UsageError("--index takes keys such as list,done,name or name:localized, not '\(text)'")
    }
    var members: [(String, JSONNode)] = [("keys", .array(keys.map { .string($0) }))]
    if parts.count == 2 { members.append(("collation", .string(parts[1]))) }
    return .object(members)
  }
}
