import JSONRPC
import ServiceFixture
import Testing

@Suite(.timeLimit(.minutes(5)))
struct QueryTests {
  let shell: ShellSession

  init() throws { shell = try ShellSession() }

  private func names(_ lines: [String]) throws -> [String] {
    try lines.map { try JSON(parsing: $0)["recordName"]?.stringValue ?? "" }
  }

  @Test("Into a pipe go all records, a line each, over as many pages as it takes")
  func pages() throws {
    try shell.seed(2500)
    #expect(try Set(names(shell.lines("query", "Item"))).count == 2500)
    let sorted = try names(shell.lines("query", "Item", "--sort", "-n", "--limit", "1500"))
    #expect(sorted == (0..<1500).map { "n\(2499 - $0)" })
    #expect(try shell.lines("query", "Item", "--count", "--where", "n >= 2000") == ["500"])
    let few = try names(
      shell.lines("query", "Item", "--where", "n < %@ OR recordName = %@", "--arg-json=1", "--arg=n7"))
    #expect(Set(few) == ["n0", "n7"])
  }

  @Test("A count is printed alone; with a limit it is that at most")
  func count() throws {
    try shell.seed(30)
    #expect(try shell.lines("count", "Item") == ["30"])
    #expect(try shell.lines("count", "Item", "--where", "n < $m", "--var", "m:=7") == ["7"])
    #expect(try shell.lines("query", "Item", "--count", "-n", "12") == ["12"])
    #expect(try shell.lines("query", "Item", "--count", "-n", "31") == ["30"])
    #expect(try shell.run("count", "Item", "-w", "n <").ending.status == 1)
  }

  @Test("Where nothing matches a person is told what may be the cause, and a script is not")
  func nothing() throws {
    try shell.seed(3)
    for verb in ["query", "count"] {
      let said = try shell.terminal("\(verb) Item --where 'n > %@' --arg 1", columns: 200)
      #expect(said.contains("no record of type 'Item' matches\n"))
      #expect(said.contains("--arg-json") && said.contains("--explain"))
      let typed = try shell.terminal("\(verb) Item --where 'n > 7'", columns: 200)
      #expect(!typed.contains("--arg") && typed.contains("--explain"))
      #expect(try shell.terminal("\(verb) Item --where 'n > %@' --arg-json 1").contains("matches") == false)
      #expect(try shell.run(verb, "Item", "--where", "n > %@", "--arg", "1").errorText == "")
    }
    #expect(try !shell.terminal("query Other").contains("--explain"))
  }

  @Test("head gets its line, and nothing is said of the closed pipe", arguments: ["", "--section-by n"])
  func head(options: String) throws {
    try shell.seed(3000)
    let run = try shell.bash(
      "listsrpc query Item \(options) | head -n 1; echo \"status ${PIPESTATUS[0]}\"")
    let lines = run.outputText.split(separator: "\n")
    #expect(lines.count == 2 && lines.last == "status 0")
    #expect(run.errorText == "")
  }

  @Test("Sections as JSON have their records; with an index title neighbours are together")
  func sections() throws {
    for name in ["Åland", "Albania", "Belgium", "Türkiye"] {
      _ = try shell.lines("save", "Country", "name=\(name)", "--name", name)
    }
    let sections = try shell.lines(
      "query", "Country", "--sort", "name:localized", "--section-by", "name", "--index-title", "firstLetter")
    let parsed = try sections.map { try JSON(parsing: $0) }
    #expect(parsed.compactMap { $0["name"]?.stringValue } == ["A", "B", "T"])
    #expect(parsed.compactMap { $0["numberOfRecords"]?.int64Value } == [2, 1, 1])
    #expect(parsed.compactMap { $0["offset"]?.int64Value } == [0, 2, 3])
    let records = parsed.flatMap { $0["records"].map { Array($0.elements) } ?? [] }
    #expect(
      records.compactMap { $0["recordName"]?.stringValue } == ["Åland", "Albania", "Belgium", "Türkiye"])
  }

  @Test("--sections prints the sections alone, each with its number of records")
  func sectionsAlone() throws {
    for name in ["Apple", "Apricot", "Beet"] { _ = try shell.lines("save", "Item", "name=\(name)") }
    let sections = try shell.lines(
      "query", "Item", "--section-by", "name", "--index-title", "firstLetter", "--sections")
    #expect(
      sections == [
        #"{"name":"A","indexTitle":"A","numberOfRecords":2,"offset":0}"#,
        #"{"name":"B","indexTitle":"B","numberOfRecords":1,"offset":2}"#,
      ])
    #expect(
      try shell.terminal("query Item --section-by name --sections").contains("Apricot  A                 1\n")
    )
  }

  @Test(
    "Options that need another one, or exclude it, are refused before any connection",
    arguments: [
      "--sections", "--from-title A", "--index-title whole", "--where TRUEPREDICATE --filter-by []",
      "--filter-by {", "--sort ''", "--var n", "--var n=1 --var n=2",
    ])
  func usage(options: String) throws {
    let run = try shell.bash("listsrpc --socket /nonexistent query Item \(options)")
    #expect(run.ending.status == 2)
    #expect(run.errorText.contains("Try 'listsrpc query --help'"))
  }

  @Test("A predicate that can't be read is shown with its place")
  func predicate() throws {
    let run = try shell.run("query", "Item", "--where", "name = = 'x'")
    #expect(run.ending.status == 1)
    let lines = run.errorText.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[1] == "  name = = 'x'")
    #expect(lines[2] == "         ^")
  }

  @Test("A terminal gets a table within its width, the first hundred and a note", arguments: [40, 80])
  func table(columns: Int) throws {
    try shell.seed(150)
    let text = try shell.terminal("query Item --sort n", columns: columns, variables: ["NO_COLOR": "1"])
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.first == "recordName   n")
    #expect(lines[1] == "n0           0")
    #expect(lines[100] == "n99         99")
    #expect(lines[101].contains("the first 100 records"))
    #expect(!text.contains("\u{1B}"))
    #expect(try shell.terminal("query Item --all", columns: columns).contains("n149"))
  }

  @Test("Headings are bold on a terminal unless NO_COLOR or a dumb terminal says otherwise")
  func styles() throws {
    try shell.seed(1)
    #expect(try shell.terminal("query Item").hasPrefix("\u{1B}[1mrecordName"))
    for variables in [["NO_COLOR": "1"], ["TERM": "dumb"]] as [[String: String?]] {
      #expect(try shell.terminal("query Item", variables: variables).hasPrefix("recordName"))
    }
    #expect(try shell.terminal("query Item --json").hasPrefix("{\"recordType\""))
  }
}
