import ArgumentParsing
import JSONRPC

enum Query: Verb {
  static let command = Command(
    "query", "List the records of a type that match",
    discussion: [
      "Into a pipe go all matching records. On a terminal the first 100 are shown unless --limit or --all "
        + "says otherwise, and a note says when there are more. Pages are fetched as needed.",
      "With --section-by each line of JSON is a section with its records; a section that is too long for "
        + "a page comes in several parts, each with the offset of its first record.",
      "With --include each record of JSON has a member 'included' with the records that it refers to. On a "
        + "terminal they follow in a table of their own.",
    ],
    options: RecordQuery.filterOptions + [
      RecordQuery.fieldsOption, RecordQuery.sortOption,
      Option("limit", letter: "n", takes: "NUMBER", "Stop after that many records"),
      Option("all", letter: "a", "All records on a terminal too"),
      Option("count", "Print how many match (with --limit: at most that many), and none of them"),
      RecordQuery.includeOption,
      RecordQuery.sectionOption,
      Option(
        "index-title", takes: "STYLE", completion: RecordQuery.indexTitleStyles,
        "With --section-by: group by the key's index title of this style"),
      Option(
        "from-title", takes: "TITLE", "With --section-by: begin at the first section with this index title"),
      Option("sections", "With --section-by: only the sections and how many records each has"),
      RecordQuery.explainOption,
    ],
    operands: [Operand("TYPE", "The record type")],
    examples: [
      .init(
        "listsrpc query Country --sort name:localized --section-by name --index-title firstLetter",
        "Countries under the letters of the alphabet"),
      .init("listsrpc query Item --where 'name = %@' --arg \"$name\"", "A value of the shell as it is"),
      .init(
        "listsrpc query Item --where \"SELF CONTAINS 'milk bread'\" --explain",
        "How the records with one of the words are found"),
      .init("listsrpc query Shop --sort place:near=50.85,4.35 -n 3", "The three nearest shops"),
      .init("listsrpc query Item | jq -r .fields.name", "One field of every record"),
    ])

  private static let terminalLimit = 100

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    let (query, limit) = try read(arguments, session)
    do throws(Failure) {
      if arguments.has("count") {
        try await Count.printCount(query, limit: try asked(arguments), session)
      } else if query.explains {
        try await explain(query, limit: limit, session)
      } else if arguments.has("sections") {
        try await printSections(query, session)
      } else {
        try await printRecords(query, limit: limit, isBounded: asked(arguments) == nil, session)
      }
    } catch {
      throw error.explainingPredicate(query.predicate).explainingIndexTitle()
    }
  }

  private static func printRecords(
    _ query: RecordQuery, limit: Int?, isBounded: Bool, _ session: Session
  ) async throws(Failure) {
    let printer = ResultPrinter(
      session, fields: query.desiredKeys, isSectioned: query.sectionNameKey != nil,
      mergesByIndexTitle: query.sectionIndexTitle != nil)
    var pages = ResultPages(query, limit: limit, session: session)
    var shown = 0
    var isContinued = false
    while let page = try await pages.next() {
      try printer.print(page)
      shown += page.records.count
      isContinued = page.isContinued
    }
    try printer.finish()
    if shown == 0 { query.sayNothingMatches(session) }
    if isContinued, isBounded {
      session.errors.say("the first \(shown) records; --all shows every one, --limit another number")
    }
  }

  /// Goes through the pages as if they were to be printed.
  private static func explain(_ query: RecordQuery, limit: Int?, _ session: Session) async throws(Failure) {
    var plan = PlanSummary()
    var pages = ResultPages(query, limit: limit, session: session)
    while let page = try await pages.next() { try plan.add(page.plan) }
    try plan.print(session)
  }

  private static func printSections(_ query: RecordQuery, _ session: Session) async throws(Failure) {
    // Every page has the sections of the whole result.
    var pages = ResultPages(query, limit: 1, session: session)
    guard let page = try await pages.next() else { return }
    let isMerged = query.sectionIndexTitle != nil
    let sections = isMerged ? ResultSection.mergedByIndexTitle(page.sections) : page.sections
    var table = Table(headings: ["name", "indexTitle", "records"])
    for section in sections {
      if session.printsJSON {
        try session.output.writeLine(section.node.encoded())
      } else {
        table.append([
          .init(text: DisplayText.harmless(section.name)),
          .init(text: DisplayText.harmless(section.indexTitle)),
          .init(text: String(section.numberOfRecords), isRight: true),
        ])
      }
    }
    if !session.printsJSON { try session.printTable(table) }
  }

  private static func asked(_ arguments: Arguments) throws(Failure) -> Int? {
    do throws(UsageError) {
      return try arguments.integer("limit", in: 1...Int.max)
    } catch {
      throw .usage(error, verb: command.name)
    }
  }

  private static func read(_ arguments: Arguments, _ session: Session) throws(Failure) -> (RecordQuery, Int?)
  {
    let limit = try asked(arguments)
    do throws(UsageError) {
      var query = try RecordQuery(arguments, recordType: arguments.operands[0])
      query.explains = arguments.has("explain")
      query.include = arguments.value("include").map(RecordQuery.list) ?? []
      query.sectionNameKey = arguments.value("section-by")
      query.sectionIndexTitle = arguments.value("index-title")
      query.fromIndexTitle = arguments.value("from-title")
      if let key = query.sectionNameKey, query.sortKeys.isEmpty {
        query.sortKeys = [try SortKey(parsing: key)]
      }
      if query.sectionNameKey == nil,
        let option = ["index-title", "from-title", "sections"].first(where: arguments.has)
      {
        throw UsageError("--\(option) needs --section-by")
      }
      let isBounded = !session.printsJSON && !arguments.has("all")
      return (query, limit ?? (isBounded ? terminalLimit : nil))
    } catch {
      throw .usage(error, verb: command.name)
    }
  }
}
