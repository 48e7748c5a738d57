import ArgumentParsing
import JSONRPC

enum Distinct: Verb {
  static let command = Command(
    "distinct", "List the values that records have under a key, and how many have each",
    discussion: [
      "In sort order. As JSON each line has 'value', which is null for the records without one, and 'count'. "
        + "On a terminal the first 100 are shown unless --limit or --all says otherwise."
    ],
    options: RecordQuery.filterOptions + [
      Option("limit", letter: "n", takes: "NUMBER", "Stop after that many values"),
      Option("all", letter: "a", "All values on a terminal too"),
      RecordQuery.explainOption,
    ],
    operands: [
      Operand("TYPE", "The record type"), Operand("KEY", "A field, a key path or a system key"),
    ],
    examples: [.init("listsrpc distinct Item list --where 'done == NO'", "The lists with open items")])

  private static let terminalLimit = 100

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    let (query, limit) = try read(arguments, session)
    do throws(Failure) {
      try await printValues(query, key: arguments.operands[1], limit: limit, session)
    } catch {
      throw error.explainingPredicate(query.predicate)
    }
  }

  private static func read(_ arguments: Arguments, _ session: Session) throws(Failure) -> (RecordQuery, Int?)
  {
    do throws(UsageError) {
      var query = try RecordQuery(arguments, recordType: arguments.operands[0])
      query.explains = arguments.has("explain")
      let asked = try arguments.integer("limit", in: 1...Int.max)
      let isBounded = !session.printsJSON && !arguments.has("all")
      return (query, asked ?? (isBounded ? terminalLimit : nil))
    } catch {
      throw .usage(error, verb: command.name)
    }
  }

  private static func printValues(
    _ query: RecordQuery, key: String, limit: Int?, _ session: Session
  ) async throws(Failure) {
    var plan = PlanSummary()
    var table = Table(headings: [key, "count"])
    var wanted = limit
    var cursor: String?
    repeat {
      let size = min(wanted ?? ResultPages.pageSize, ResultPages.pageSize)
      var params = query.filterParameters + [("key", .string(key)), ("resultsLimit", .int(Int64(size)))]
      if let cursor { params.append(("cursor", .string(cursor))) }
      let reply = try await session.call("distinctValues", params)
      let values = reply["values"].map { Array($0.elements) } ?? []
      if query.explains {
        try plan.add(reply["plan"])
      } else if session.printsJSON {
        for value in values { try session.output.writeLine(value.bytes) }
        try session.output.flush()
      } else {
        for value in values { table.append(cells(of: value)) }
      }
      wanted = wanted.map { $0 - values.count }
      cursor = reply["cursor"]?.stringValue
    } while cursor != nil && wanted.map { $0 > 0 } ?? true
    if query.explains { return try plan.print(session) }
    guard !session.printsJSON else { return }
    try session.printTable(table)
    if cursor != nil {
      session.errors.say(
        "the first \(table.rows.count) values; --all shows every one, --limit another number")
    }
  }

  private static func cells(of entry: JSON) -> [Table.Cell] {
    let value = entry["value"]
    let text = value.map { $0.isNull ? "—" : DisplayText.cell($0) } ?? "—"
    return [
      .init(text: text, isRight: DisplayText.isNumber(value)),
      .init(text: DisplayText.cell(entry["count"]), isRight: true),
    ]
  }
}
