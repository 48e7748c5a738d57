import ArgumentParsing
import JSONRPC
import ListsClient

enum Count: Verb {
  static let command = Command(
    "count", "Print how many records of a type match",
    options: RecordQuery.filterOptions + [RecordQuery.explainOption],
    operands: [Operand("TYPE", "The record type")],
    examples: [.init("listsrpc count Item --where 'done == NO'", "How many are open")])

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    var query: RecordQuery
    do throws(UsageError) {
      query = try RecordQuery(arguments, recordType: arguments.operands[0])
    } catch {
      throw .usage(error, verb: command.name)
    }
    query.explains = arguments.has("explain")
    do throws(Failure) {
      try await printCount(query, limit: nil, session)
    } catch {
      throw error.explainingPredicate(query.predicate)
    }
  }

  /// Prints the number, `limit` where it is larger, or the plan if that is what was asked for.
  static func printCount(_ query: RecordQuery, limit: Int?, _ session: Session) async throws(Failure) {
    var plan = PlanSummary()
    let reply = try await session.call("countRecords", query.filterParameters)
    if query.explains {
      try plan.add(reply["plan"])
      return try plan.print(session)
    }
    guard let count = reply["count"]?.int64Value else {
      throw .client(.malformedReply("countRecords gave no count"))
    }
    if count == 0 { query.sayNothingMatches(session) }
    try session.output.write("\(limit.map { min(Int64($0), count) } ?? count)\n")
  }
}
