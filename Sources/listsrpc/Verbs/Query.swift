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
    ],
    options: RecordQuery.filterOptions + [
      RecordQuery.sortOption,
      Option("limit", letter: "n", takes: "NUMBER", "Stop after that many records"),
      Option("all", letter: "a", "All records on a terminal too"),
      Option("count", "Print how many match, and none of them"),
      Option("section-by", takes: "KEY", "Group by this key; sorted by it unless --sort says otherwise"),
      Option(
        "index-title", takes: "STYLE", completion: .choices(["firstLetter", "whole", "wholeUppercased"]),
        "With --section-by: group by the key's index title of this style"),
    ],
    operands: [Operand("TYPE", "The record type")],
    examples: [
      .init(
        "listsrpc query Country --sort name:localized --section-by name --index-title firstLetter",
        "Countries under the letters of the alphabet"),
      .init("listsrpc query Item --where 'name = %@' --arg \"$name\"", "A value of the shell as it is"),
      .init("listsrpc query Item | jq -r .fields.name", "One field of every record"),
    ])

  private static let terminalLimit = 100

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    let (query, limit) = try read(arguments, session)
    if arguments.has("count") { return try await count(query, session) }
    let printer = ResultPrinter(
      session, fields: query.desiredKeys, isSectioned: query.sectionNameKey != nil,
      mergesByIndexTitle: query.sectionIndexTitle != nil)
    var pages = ResultPages(query, limit: limit, session: session)
    var shown = 0
    var isContinued = false
    do throws(Failure) {
      while let page = try await pages.next() {
        try printer.print(page)
        shown += page.records.count
        isContinued = page.isContinued
      }
    } catch {
      throw error.explainingPredicate(query.predicate)
    }
    if !session.printsJSON, shown == 0 {
      session.errors.say("no record of type '\(query.recordType)' matches")
    }
    if isContinued, limit == terminalLimit, arguments.value("limit") == nil {
      session.errors.say("the first \(shown) records; --all shows every one, --limit another number")
    }
  }

  private static func read(_ arguments: Arguments, _ session: Session) throws(Failure) -> (RecordQuery, Int?)
  {
    do throws(UsageError) {
      var query = try RecordQuery(arguments, recordType: arguments.operands[0])
      query.sectionNameKey = arguments.value("section-by")
      query.sectionIndexTitle = arguments.value("index-title")
      if let key = query.sectionNameKey, query.sortKeys.isEmpty {
        query.sortKeys = [try SortKey(parsing: key)]
      }
      guard query.sectionIndexTitle == nil || query.sectionNameKey != nil else {
        throw UsageError("--index-title needs --section-by")
      }
      let asked = try arguments.integer("limit", in: 1...Int.max)
      let isBounded = !session.printsJSON && !arguments.has("all")
      return (query, asked ?? (isBounded ? terminalLimit : nil))
    } catch {
      throw .usage(error, verb: command.name)
    }
  }

  private static func count(_ query: RecordQuery, _ session: Session) async throws(Failure) {
    do throws(Failure) {
      let reply = try await session.call("countRecords", query.filterParameters)
      try session.output.write("\(reply["count"]?.text ?? "0")\n")
    } catch {
      throw error.explainingPredicate(query.predicate)
    }
  }
}
