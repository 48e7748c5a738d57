import JSONRPC
import ServiceFixture
import Testing

/// `distinct`, `aggregate`, and `--explain` and `--include` of `query`.
@Suite(.timeLimit(.minutes(5)))
struct FigureTests {
  let shell: ShellSession

  init() throws {
    shell = try ShellSession()
    let rows = [
      #"{"recordType":"List","recordName":"g","fields":{"name":"Groceries"}}"#,
      #"{"recordType":"Item","recordName":"a","fields":{"size":2,"list":{"$reference":{"recordName":"g"}}}}"#,
      #"{"recordType":"Item","recordName":"b","fields":{"size":40,"list":{"$reference":{"recordName":"g"}}}}"#,
      #"{"recordType":"Item","recordName":"c","fields":{"size":7}}"#,
    ]
    try shell.run("import", "-", input: rows.joined(separator: "\n"))
  }

  @Test("distinct prints each value with its number of records; a terminal gets a table")
  func distinct() throws {
    #expect(
      try shell.lines("distinct", "Item", "list.name") == [
        #"{"value":null,"count":1}"#, #"{"value":"Groceries","count":2}"#,
      ])
    #expect(try shell.lines("distinct", "Item", "size", "-n", "2", "-w", "size > 2").count == 2)
    let table = try shell.terminal("distinct Item list.name", variables: ["NO_COLOR": "1"])
    #expect(table == "list.name  count\n—              1\nGroceries      2\n")
  }

  @Test("aggregate prints a group a line, under the names that were typed; a terminal gets a table")
  func aggregate() throws {
    #expect(
      try shell.lines("aggregate", "Item", "count", "total=sum:size", "max:size", "-g", "list.name") == [
        #"{"group":{"list.name":null},"values":{"count":1,"total":7,"max:size":7}}"#,
        #"{"group":{"list.name":"Groceries"},"values":{"count":2,"total":42,"max:size":40}}"#,
      ])
    #expect(try shell.lines("aggregate", "Item") == [#"{"group":{},"values":{"count":3}}"#])
    let table = try shell.terminal("aggregate Item avg:size -g list.name", variables: ["NO_COLOR": "1"])
    #expect(table == "list.name  avg:size\n—               7.0\nGroceries      21.0\n")
    #expect(try shell.run("aggregate", "Item", "median:size").ending.status == 2)
  }

  @Test(
    "--explain prints the plan of all pages and no record",
    arguments: ["query", "count", "distinct", "aggregate"])
  func explain(verb: String) throws {
    let operands = verb == "distinct" ? "Item size" : "Item"
    let run = try shell.bash("listsrpc \(verb) \(operands) -w 'size > 2' --explain")
    let plan = try JSON(parsing: run.output)
    #expect(plan["rowsExamined"]?.int64Value == 3)
    #expect(plan["access"]?.stringValue == "type")
    #expect(plan["milliseconds"]?.kind == .number)
    let text = try shell.terminal("\(verb) \(operands) -w 'size > 2' --explain", variables: ["NO_COLOR": "1"])
    #expect(text.hasPrefix("access    type\n") && text.contains("\nexamined  3 records\n"))
  }

  @Test("--include puts what references lead to into each record, and in a table of its own on a terminal")
  func include() throws {
    let lines = try shell.lines("query", "Item", "--include", "list", "--sort", "size")
    let names = try lines.map { try JSON(parsing: $0)["included"]?["list"]?["fields"]?["name"]?.stringValue }
    #expect(names == ["Groceries", nil, "Groceries"])
    let text = try shell.terminal("query Item --include list", variables: ["NO_COLOR": "1"])
    #expect(text.contains("\nincluded  1\n") && text.contains("\ng           Groceries\n"))
  }

  @Test("--from-title begins at a section; an unknown title ends with 4 and the known ones are named")
  func fromTitle() throws {
    let options = ["query", "Item", "--section-by", "list.name", "--sort", "list.name", "--sort", "size"]
    let run = try runToEnd(
      [shell.program] + options + ["--from-title", "G"], environment: shell.environment)
    let section = try JSON(parsing: run.output)
    #expect(section["name"]?.stringValue == "Groceries" && section["offset"]?.int64Value == 1)
    #expect(section["records"].map { Array($0.elements).count } == 2)
    let refused = try runToEnd(
      [shell.program] + options + ["--from-title", "Q"], environment: shell.environment)
    #expect(refused.ending.status == 4)
    #expect(refused.errorText.contains("There are '', 'G'."))
  }
}
