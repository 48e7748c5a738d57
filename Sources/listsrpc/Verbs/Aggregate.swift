import ArgumentParsing
import JSONRPC

enum Aggregate: Verb {
  static let command = Command(
    "aggregate", "Count, add up and compare the records of a type, by group",
    discussion: [
      "Without --group-by there is one group of all matching records. As JSON each line is a group: 'group' has "
        + "the values of its keys, 'values' what was worked out, under its name."
    ],
    options: RecordQuery.filterOptions + [
      Option(
        "group-by", letter: "g", takes: "KEYS", "A group for each combination of values under these keys"),
      Option("limit", letter: "n", takes: "NUMBER", "At most that many groups"),
      RecordQuery.explainOption,
    ],
    operands: [
      Operand("TYPE", "The record type"),
      Operand(
        "AGGREGATE",
        "count (the default), or sum:KEY, avg:KEY, min:KEY, max:KEY; NAME=sum:KEY gives it a name",
        count: .any),
    ],
    examples: [
      .init(
        "listsrpc aggregate Package --group-by section count total=sum:size",
        "How many packages each section has, and their size")
    ])

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    let query: RecordQuery
    let terms: [AggregateTerm]
    let keys = arguments.value("group-by").map(RecordQuery.list) ?? []
    var params: [(String, JSONNode)]
    do throws(UsageError) {
      (query, terms) = try read(arguments)
      params = query.filterParameters
      if let limit = try arguments.integer("limit", in: 1...Int.max) {
        params.append(("resultsLimit", .int(Int64(limit))))
      }
    } catch {
      throw .usage(error, verb: command.name)
    }
    params.append(("aggregates", .array(terms.map(\.node))))
    if !keys.isEmpty { params.append(("groupBy", .array(keys.map { .string($0) }))) }
    do throws(Failure) {
      var plan = PlanSummary()
      let reply = try await session.call("aggregateRecords", params)
      if query.explains {
        try plan.add(reply["plan"])
        return try plan.print(session)
      }
      let groups = reply["groups"].map { Array($0.elements) } ?? []
      try print(groups, keys: keys, terms: terms, session)
    } catch {
      throw error.explainingPredicate(query.predicate)
    }
  }

  private static func read(_ arguments: Arguments) throws(UsageError) -> (RecordQuery, [AggregateTerm]) {
    var query = try RecordQuery(arguments, recordType: arguments.operands[0])
    query.explains = arguments.has("explain")
    var terms: [AggregateTerm] = []
    for word in arguments.operands.dropFirst() {
      let term = try AggregateTerm(parsing: word)
      guard !terms.contains(where: { $0.name == term.name }) else {
        throw UsageError("two aggregates have the name '\(term.name)'")
      }
      terms.append(term)
    }
    if terms.isEmpty { terms = [try AggregateTerm(parsing: "count")] }
    return (query, terms)
  }

  private static func print(
    _ groups: [JSON], keys: [String], terms: [AggregateTerm], _ session: Session
  ) throws(Failure) {
    guard !session.printsJSON else {
      for group in groups { try session.output.writeLine(group.bytes) }
      return
    }
    var table = Table(headings: keys + terms.map(\.name))
    for group in groups {
      let named = keys.map { key in group["group"]?[key] }
      let worked = terms.map { group["values"]?[$0.name] }
      table.append(
        (named + worked).map { value in
          let isMissing = value.map(\.isNull) ?? true
          return Table.Cell(
            text: isMissing ? "—" : DisplayText.cell(value), isRight: DisplayText.isNumber(value))
        })
    }
    try session.printTable(table)
  }
}
